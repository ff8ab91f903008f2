"""The descriptors of the controllers that do nothing: what they lack, no scenario would show."""

from __future__ import annotations

from pathlib import Path

import pytest

from queuecheck.implementation import load_descriptor

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", ["nothing", "takes-over-only"])
def test_they_declare_every_feature(name: str) -> None:
    descriptor = load_descriptor(HERE / f"{name}.yaml")
    assert descriptor.name == name
    assert descriptor.features == descriptor.profile.features.keys()
