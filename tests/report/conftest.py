"""A Chromium for the tests of pages, where there is one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import Browser, browser, program


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    found = program()
    if found is None:
        pytest.skip("there is no Chromium here (Debian: apt-get install chromium)")
    with browser(found) as running:
        yield running
