"""What is told of a server that is not the one that was meant."""

from __future__ import annotations

import pytest

from queuecheck.cluster.choice import ClusterChoice
from queuecheck.implementation import packaged_descriptor
from queuecheck.world.examination import examine
from tests.fault_server import Answer, FaultServer, Reply, failure

REFERENCE = packaged_descriptor("reference")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(200, "<html>"), "does not answer: what came is of no API server; is it running, "),
        (Answer(200, "[]"), "does not answer: what came is of no API server; is it running, "),
        (Answer(200, '"ok"'), "does not answer: what came is of no API server; is it running, "),
        (Answer(502, "<b>Bad gateway"), "answers with 502: <b>Bad gateway; is it the one you mean"),
        (failure(404, "NotFound"), "answers with 404: no; is it the one you mean?"),
        (failure(401, "Unauthorized"), "refuses the context's user: no"),
        (failure(403, "Forbidden"), "refuses the context's user: no"),
    ],
)
def test_a_server_without_a_version_is_told_in_one_line(
    server: FaultServer, answer: Reply, told: str
) -> None:
    server.script("GET", "/version", answer)
    (problem,) = examine(ClusterChoice("existing", server.kubeconfig, "here"), REFERENCE).problems
    assert problem.startswith(f"cluster here at {server.url} {told}")
