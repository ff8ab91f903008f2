"""Where features, manifests and implementations are: in a checkout, or in the installed package."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent
CHECKOUT = PACKAGE.parent
DATA = PACKAGE / "data"


def features_root() -> Path:
    """The directory of feature files."""
    return _root("features")


def manifests_root() -> Path:
    """The directory of CRDs, roles, configuration and examples."""
    return _root("manifests")


def implementations_root() -> Path:
    """The directory of descriptors."""
    return _root("implementations")


def catalogue_file(profile: str) -> Path:
    """The requirements of a profile."""
    return PACKAGE / "profiles" / profile / "catalogue.yaml"


def _root(name: str) -> Path:
    # An installed package has neighbours of its own in site-packages: only a project file beside
    # it makes a directory of that name ours.
    if (CHECKOUT / "pyproject.toml").is_file() and (CHECKOUT / name).is_dir():
        return CHECKOUT / name
    return DATA / name
