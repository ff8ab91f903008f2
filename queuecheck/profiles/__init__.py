"""Profiles: what the engine has to know about one family of queues, as data.

A profile is a directory here with a ``profile.yaml`` and a ``catalogue.yaml``. The engine's code
names no kind, annotation or namespace of any of them.
"""

from queuecheck.profiles.profile import (
    Canary,
    Controllers,
    Feature,
    Kind,
    Look,
    Profile,
    ProfileError,
    Timing,
    Wording,
    load_profile,
    profile_names,
)

__all__ = [
    "Canary",
    "Controllers",
    "Feature",
    "Kind",
    "Look",
    "Profile",
    "ProfileError",
    "Timing",
    "Wording",
    "load_profile",
    "profile_names",
]
