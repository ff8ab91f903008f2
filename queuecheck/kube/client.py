"""Requests to one API server, objects in and out as plain dictionaries.

``Api`` is safe to use from many threads. It retries nothing: whether a request may be sent again
is the caller's to know.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import urllib3
import yaml
from kubernetes import client as kubernetes_client
from kubernetes import config as kubernetes_config
from kubernetes.client.exceptions import ApiException
from kubernetes.client.rest import RESTResponse
from kubernetes.config import incluster_config

from queuecheck.kube.errors import KubeconfigError, Unreachable, from_response
from queuecheck.kube.resource import Resource
from queuecheck.kube.token import TokenFile, check_token, token_file

KubeObject = dict[str, Any]
JsonPatch = list[KubeObject]
CONNECT_TIMEOUT = 5.0
READ_TIMEOUT = 30.0
POOL_SIZE = 64


@dataclass(frozen=True)
class ObjectList:
    """A list as of ``resource_version``, each item complete with apiVersion and kind."""

    items: tuple[KubeObject, ...]
    resource_version: str


class Api:
    """One API server, as one user."""

    def __init__(
        self,
        client: kubernetes_client.ApiClient,
        *,
        server: str,
        seconds: float | None = None,
    ) -> None:
        self._client = client
        self._seconds = seconds
        self.server = server

    @classmethod
    def from_kubeconfig(
        cls, path: str | Path, *, context: str | None = None, user_agent: str = "queuecheck"
    ) -> Api:
        """Reads the file now, and raises KubeconfigError if it cannot be used."""
        file = Path(path)
        try:
            file.open("rb").close()
        except OSError as error:
            raise KubeconfigError(f"kubeconfig {file}: {error.strerror}") from error
        settings = kubernetes_client.Configuration()
        try:
            kubernetes_config.load_kube_config(
                config_file=str(file), context=context, client_configuration=settings
            )
        except kubernetes_config.ConfigException as error:
            raise KubeconfigError(f"kubeconfig {file}: {_told(file, error)}") from error
        except Exception as error:  # the loader leaks YAML, type and attribute errors
            raise KubeconfigError(f"kubeconfig {file} cannot be read: {error}") from error
        token = token_file(file, context)
        try:
            check_token(settings, token)
        except (kubernetes_config.ConfigException, OSError) as error:
            raise KubeconfigError(f"kubeconfig {file}: {error}") from error
        return cls._from_settings(settings, token, user_agent=user_agent)

    @classmethod
    def in_cluster(cls, *, user_agent: str = "queuecheck") -> Api:
        """As the pod's service account."""
        settings = kubernetes_client.Configuration()
        try:
            kubernetes_config.load_incluster_config(settings, try_refresh_token=False)
        except kubernetes_config.ConfigException as error:
            raise KubeconfigError(f"not in a cluster: {error}") from error
        token = Path(incluster_config.SERVICE_TOKEN_FILENAME)
        return cls._from_settings(settings, token, user_agent=user_agent)

    @classmethod
    def _from_settings(
        cls, settings: kubernetes_client.Configuration, token: Path | None, *, user_agent: str
    ) -> Api:
        if token is not None:
            settings.refresh_api_key_hook = TokenFile(token)  # type: ignore[assignment]
        settings.retries = False
        settings.connection_pool_maxsize = POOL_SIZE
        # The library sets the host again for every request that carries a token, and then looks
        # through the environment for a proxy, unless one has been set: that of now is. In a thread
        # the look breaks where another changes the environment, as pytest does for every phase.
        settings.proxy = settings.proxy
        client = kubernetes_client.ApiClient(settings)
        client.user_agent = user_agent
        return cls(client, server=settings.host)

    def within(self, seconds: float) -> Api:
        """The same server and user; where it is silent for longer a request is given up.

        Watches are not, and an answer that comes bit by bit may take longer.
        """
        return Api(self._client, server=self.server, seconds=seconds)

    def named(self, user_agent: str) -> Api:
        """The same server, user and connections under another User-Agent."""
        client = copy.copy(self._client)
        client.default_headers = dict(client.default_headers)
        client.user_agent = user_agent
        return Api(client, server=self.server, seconds=self._seconds)

    def close(self) -> None:
        """Closes the pooled connections."""
        self._client.close()

    def get(
        self,
        resource: Resource,
        name: str,
        *,
        namespace: str | None = None,
        subresource: str | None = None,
    ) -> KubeObject:
        """The object as it is now. Raises NotFound."""
        path = resource.path(namespace=namespace, name=name, subresource=subresource)
        return self._json("GET", path)

    def list(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str | None = None,
        field_selector: str | None = None,
        read_timeout: float = READ_TIMEOUT,
    ) -> ObjectList:
        """Every object of the kind, in one namespace or in all."""
        query = _query(labelSelector=label_selector, fieldSelector=field_selector)
        path = resource.path(namespace=namespace)
        answer = self._json("GET", path, query=query, read_timeout=read_timeout)
        stamp = {"apiVersion": resource.api_version, "kind": resource.kind}
        items = tuple({**stamp, **item} for item in answer.get("items") or ())
        version = (answer.get("metadata") or {}).get("resourceVersion")
        if not version:
            raise _nonsense("GET", path, "a list without a resourceVersion")
        return ObjectList(items, str(version))

    def create(
        self,
        resource: Resource,
        body: KubeObject,
        *,
        namespace: str | None = None,
        name: str | None = None,
        subresource: str | None = None,
        field_manager: str | None = None,
        dry_run: bool = False,
    ) -> KubeObject:
        """The created object. Raises AlreadyExists. ``name`` only with a subresource.

        With ``dry_run`` it goes through admission and is not kept.
        """
        path = resource.path(namespace=namespace, name=name, subresource=subresource)
        query = _query(fieldManager=field_manager, dryRun="All" if dry_run else None)
        return self._json("POST", path, body=body, query=query)

    def replace(
        self,
        resource: Resource,
        body: KubeObject,
        *,
        subresource: str | None = None,
        field_manager: str | None = None,
    ) -> KubeObject:
        """The object as written. Its own resourceVersion, if there, guards it: Conflict."""
        metadata = body["metadata"]
        path = resource.path(
            namespace=metadata.get("namespace"), name=metadata["name"], subresource=subresource
        )
        return self._json("PUT", path, body=body, query=_query(fieldManager=field_manager))

    def patch(
        self,
        resource: Resource,
        name: str,
        patch: KubeObject | JsonPatch,
        *,
        namespace: str | None = None,
        subresource: str | None = None,
        resource_version: str | None = None,
        field_manager: str | None = None,
    ) -> KubeObject:
        """A dictionary is sent as a merge patch, a list as a JSON patch.

        With ``resource_version`` the patch is refused (Conflict) if the object has moved on; the
        version goes into the body, where alone the server looks for it.
        """
        body: Any = patch
        if isinstance(patch, list):
            kind = "json-patch"
            guard = {"op": "replace", "path": "/metadata/resourceVersion"}
            if resource_version is not None:
                body = [{**guard, "value": resource_version}, *patch]
        else:
            kind = "merge-patch"
            if resource_version is not None:
                metadata = {**patch.get("metadata", {}), "resourceVersion": resource_version}
                body = {**patch, "metadata": metadata}
        path = resource.path(namespace=namespace, name=name, subresource=subresource)
        query = _query(fieldManager=field_manager)
        return self._json(
            "PATCH", path, body=body, query=query, content_type=f"application/{kind}+json"
        )

    def delete(
        self,
        resource: Resource,
        name: str,
        *,
        namespace: str | None = None,
        grace_seconds: int | None = None,
        uid: str | None = None,
        propagation: str | None = None,
    ) -> KubeObject:
        """Asks for deletion. Raises NotFound, and Conflict when the object has another UID."""
        options: KubeObject = {"apiVersion": "v1", "kind": "DeleteOptions"}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        if propagation is not None:
            options["propagationPolicy"] = propagation
        return self._json("DELETE", resource.path(namespace=namespace, name=name), body=options)

    def raw(
        self,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        read_timeout: float = READ_TIMEOUT,
    ) -> str:
        """The text of a GET on any path (``/readyz``, ``/openapi/v3/…``, a pod's metrics)."""
        response = self._send("GET", path, query=query, read_timeout=read_timeout)
        return _body(response).decode("utf-8", "replace")

    def open_stream(
        self, path: str, *, query: Mapping[str, str], read_timeout: float
    ) -> urllib3.BaseHTTPResponse:
        """The response of a watch, not yet read. The caller closes it."""
        answer = self._send("GET", path, query=query, read_timeout=read_timeout, stream=True)
        return cast("urllib3.BaseHTTPResponse", answer.response)

    def _json(
        self,
        verb: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        read_timeout: float = READ_TIMEOUT,
    ) -> KubeObject:
        response = self._send(
            verb, path, body=body, query=query, content_type=content_type, read_timeout=read_timeout
        )
        try:
            answer = json.loads(_body(response))
        except ValueError:
            answer = None
        if not isinstance(answer, dict):  # a proxy's page, or an answer cut short
            raise _nonsense(verb, path, f"{response.status}, but no JSON object")
        return answer

    def _send(
        self,
        verb: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        read_timeout: float = READ_TIMEOUT,
        stream: bool = False,
    ) -> RESTResponse:
        timeout: Any = (CONNECT_TIMEOUT, read_timeout)
        if self._seconds is not None and not stream:
            timeout = min(self._seconds, read_timeout)  # to connect, and of each silence
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = content_type
        try:
            # Credentials that have to be fetched anew are fetched in here.
            request = self._client.param_serialize(
                method=verb,
                resource_path=path,
                query_params=list((query or {}).items()),
                header_params=headers,
                body=body,
                auth_settings=["BearerToken"],
            )
            response: RESTResponse = self._client.call_api(*request, _request_timeout=timeout)
            if not stream or response.status >= 400:
                response.read()
        except (
            urllib3.exceptions.HTTPError,
            kubernetes_config.ConfigException,
            ApiException,
            OSError,
        ) as error:
            raise Unreachable(
                verb=verb, path=path, status=0, reason="Unreachable", message=_cause(error)
            ) from error
        if response.status >= 400:
            raise from_response(
                verb=verb,
                path=path,
                status=response.status,
                body=_body(response),
                retry_after=response.getheader("Retry-After"),
            )
        return response


def _body(response: RESTResponse) -> bytes:
    return cast("bytes | None", response.data) or b""


def _query(**values: str | None) -> dict[str, str]:
    return {key: value for key, value in values.items() if value is not None}


def _nonsense(verb: str, path: str, answer: str) -> Unreachable:
    return Unreachable(
        verb=verb, path=path, status=0, reason="Unreachable", message=f"the answer is {answer}"
    )


def _told(file: Path, error: kubernetes_config.ConfigException) -> str:
    """The loader's own words, except where it looked for a context: then what there is, too."""
    found = re.search(r"with name (\S+) in .*/contexts list", str(error))
    if found is None:
        return str(error)
    contexts = yaml.safe_load(file.read_text("utf-8")).get("contexts") or []
    names = ", ".join(str(each.get("name")) for each in contexts) or "none"
    return f"there is no context {found[1]!r}; there is {names}"


def _cause(error: BaseException) -> str:
    """The innermost reason, without the pools and objects that urllib3 wraps around it."""
    reason = getattr(error, "reason", None)
    text = " ".join(str(reason if isinstance(reason, BaseException | str) else error).split())
    return (
        text.rsplit("object at 0x", 1)[-1].split(">: ", 1)[-1] if "object at 0x" in text else text
    )
