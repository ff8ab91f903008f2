"""What tests of the plugin share."""

import pytest

from tests.plugin.project import Project


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    """A directory with feature files, and pytest to run on it."""
    return Project(pytester)
