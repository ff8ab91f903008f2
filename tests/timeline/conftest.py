import pytest

from queuecheck.kube import Api


@pytest.fixture
def api(client: Api) -> Api:
    return client
