"""Talking to an API server with raw objects: requests, list-and-watch, errors.

The only code that the engine and the reference controller share: it knows HTTP, resources and
watches, and nothing of queues. Objects are plain dictionaries, as the server sent them, never
typed models (decoding those is slow, and loses fields that the model does not know).
"""

from queuecheck.kube.client import Api, KubeObject, ObjectList
from queuecheck.kube.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    Gone,
    KubeconfigError,
    NotFound,
    Unreachable,
)
from queuecheck.kube.refusals import going_on
from queuecheck.kube.resource import Resource
from queuecheck.kube.watch import Changed, Interrupted, Listed, ListWatch, WatchItem

__all__ = [
    "AlreadyExists",
    "Api",
    "ApiError",
    "Changed",
    "Conflict",
    "Gone",
    "Interrupted",
    "KubeObject",
    "KubeconfigError",
    "ListWatch",
    "Listed",
    "NotFound",
    "ObjectList",
    "Resource",
    "Unreachable",
    "WatchItem",
    "going_on",
]
