"""What can go wrong in a request, one class per way in which a caller would react."""

import json


class KubeconfigError(Exception):
    """The kubeconfig, or the context named in it, cannot be used; the message says why."""


class ApiError(Exception):
    """The server refused a request.

    ``status`` is the HTTP status, ``reason`` the Status object's word (``Invalid``, ``Forbidden``
    …), ``message`` its sentence, ``retry_after`` the seconds of a Retry-After header or None.
    """

    def __init__(
        self,
        *,
        verb: str,
        path: str,
        status: int,
        reason: str,
        message: str,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{verb} {path}: {status} {reason}: {message}")
        self.verb = verb
        self.path = path
        self.status = status
        self.reason = reason
        self.message = message
        self.retry_after = retry_after

    @property
    def transient(self) -> bool:
        """Whether the same request may well succeed a little later."""
        return self.status == 429 or self.status >= 500

    @property
    def forbidden(self) -> bool:
        """Whether the user lacks the right, or what admits writes has said no."""
        return self.status == 403


class NotFound(ApiError):
    """404: the object, or its kind, is not there."""


class Conflict(ApiError):
    """409 Conflict: somebody wrote the object since it was read."""


class AlreadyExists(ApiError):
    """409 AlreadyExists: an object of that name is there."""


class Gone(ApiError):
    """410: the resourceVersion asked for has been compacted away."""


class Unreachable(ApiError):
    """No answer (refused, reset, timed out): status 0; whether the server acted is open."""

    @property
    def transient(self) -> bool:
        """A lost connection may be back a little later."""
        return True


def from_response(
    *, verb: str, path: str, status: int, body: bytes | str, retry_after: str | None
) -> ApiError:
    """The error class for a response of 400 and above."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = {}
    answer = parsed if isinstance(parsed, dict) else {}
    reason = str(answer.get("reason") or "")
    message = str(answer.get("message") or text.strip()[:300])
    kinds: dict[int, type[ApiError]] = {404: NotFound, 409: Conflict, 410: Gone}
    kind = AlreadyExists if reason == "AlreadyExists" else kinds.get(status, ApiError)
    return kind(
        verb=verb,
        path=path,
        status=status,
        reason=reason,
        message=message,
        retry_after=_seconds(retry_after),
    )


def _seconds(header: str | None) -> float | None:
    try:
        seconds = float(header) if header else -1.0
    except ValueError:
        return None
    return seconds if seconds >= 0 else None  # nor is "nan" a time
