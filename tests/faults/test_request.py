"""What an address is about."""

from __future__ import annotations

import pytest

from queuecheck.faults import Request, Target

UNITS = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/team/queueunits"


@pytest.mark.parametrize(
    ("method", "path", "about"),
    [
        ("GET", UNITS, ("queueunits", "team", "", "")),
        ("PATCH", f"{UNITS}/low/status", ("queueunits", "team", "low", "status")),
        ("GET", "/api/v1/pods", ("pods", "", "", "")),
        ("POST", "/api/v1/namespaces/team/events", ("events", "team", "", "")),
        ("GET", "/api/v1/namespaces/team", ("namespaces", "", "team", "")),
        ("PUT", "/api/v1/namespaces/team/finalize", ("namespaces", "", "team", "finalize")),
        ("GET", "/version", ("", "", "", "")),
        ("GET", "/openapi/v3/apis/batch/v1", ("", "", "", "")),
    ],
)
def test_an_address_names_kind_namespace_object_and_part(
    method: str, path: str, about: tuple[str, str, str, str]
) -> None:
    request = Request.read(method, path, {})
    assert (request.plural, request.namespace, request.name, request.subresource) == about


def test_lists_watches_and_writes_are_told_apart() -> None:
    listing = Request.read("GET", UNITS, {})
    watch = Request.read("GET", UNITS, {"watch": "true"})
    read = Request.read("GET", f"{UNITS}/low", {})
    write = Request.read("PATCH", f"{UNITS}/low", {})
    kinds = [(one.list, one.watch, one.write) for one in (listing, watch, read, write)]
    assert kinds == [
        (True, False, False),
        (False, True, False),
        (False, False, False),
        (False, False, True),
    ]


def test_a_target_looks_only_at_what_it_names() -> None:
    status = Request.read("PATCH", f"{UNITS}/low/status", {})
    spec = Request.read("PATCH", f"{UNITS}/low", {})
    assert Target().fits(status)
    assert Target("write", "queueunits", "low").fits(spec)
    assert Target("write", "queueunits", subresource="status").fits(status)
    assert not Target("write", "queueunits", subresource="status").fits(spec)
    assert not Target("write", "queueunits", "high").fits(status)
    assert not Target("write", "jobs").fits(status)
    assert not Target("list").fits(status)
    assert not Target("write", method="POST").fits(status)


def test_a_renewal_of_a_lease_is_meant_only_where_leases_are_named() -> None:
    lease = "/apis/coordination.k8s.io/v1/namespaces/koord-queue/leases/koord-queue-queue"
    renewal = Request.read("PATCH", lease, {})
    assert not Target("write").fits(renewal)
    assert Target("write", "leases").fits(renewal)
    assert Target().fits(renewal)
