"""Tokens by which a program outside a cluster is one of its service accounts."""

from __future__ import annotations

from queuecheck.cluster.errors import ClusterError
from queuecheck.kube import Api, ApiError, NotFound
from queuecheck.kube.resource import SERVICE_ACCOUNTS

# Longer than any run; a server may grant less.
SECONDS = 12 * 3600


def token_of(api: Api, *, namespace: str, account: str) -> str:
    """A token that the server makes for the purpose. Raises ClusterError."""
    body = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": SECONDS},
    }
    try:
        answer = api.create(
            SERVICE_ACCOUNTS, body, namespace=namespace, name=account, subresource="token"
        )
    except NotFound as error:
        raise ClusterError(
            f"there is no service account {namespace}/{account} at {api.server}: install the "
            f"implementation's roles first"
        ) from error
    except ApiError as error:
        raise ClusterError(f"no token for {namespace}/{account}: {error.message}") from error
    return str(answer["status"]["token"])
