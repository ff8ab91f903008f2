"""A local HTTP server that plays scripted faults of an API server; it knows no semantics.

``script`` queues answers for one method and path; the last one is given again and again. Watches
are scripted apart from lists, by ``WATCH`` as their method. Every request is recorded.
"""

import json
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

import yaml

# For what comes for certain: however busy the machine is, only a failure waits for so long.
PATIENCE = 60.0


@dataclass(frozen=True)
class Answer:
    """One complete response. ``body`` a string is sent as it is."""

    status: int = 200
    body: dict[str, Any] | str = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Stream:
    """A chunked response: ``text`` at once, then its end.

    That is a proper one, a cut, or none: silence, or a trickle of spaces.
    """

    text: str = ""
    end: Literal["proper", "cut", "silence", "trickle"] = "proper"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: dict[str, str]
    body: Any
    headers: dict[str, str]


Reply = Answer | Stream


def event(verb: str, found: dict[str, Any]) -> str:
    """A line of a watch."""
    return json.dumps({"type": verb, "object": found}) + "\n"


def failure(code: int, reason: str, **headers: str) -> Answer:
    """The response of a refusal, with a Status object."""
    return Answer(code, status(code, reason), headers)


def status(code: int, reason: str) -> dict[str, Any]:
    return {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "no"}


def listing(version: str, *items: dict[str, Any]) -> Answer:
    return Answer(200, {"metadata": {"resourceVersion": version}, "items": list(items)})


class FaultServer:
    """Start it with ``with``; ``kubeconfig`` leads to it."""

    def __init__(self, directory: Path) -> None:
        self._scripts: dict[tuple[str, str], list[Reply]] = {}
        self._changed = threading.Condition()
        self._requests: list[Request] = []
        self._replies: list[Reply] = []
        self.silence = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.kubeconfig = write_kubeconfig(directory / "kubeconfig", self.url)

    def __enter__(self) -> "FaultServer":
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end_streams()
        self._server.shutdown()
        self._server.server_close()

    def script(self, method: str, path: str, *replies: Reply) -> None:
        with self._changed:
            self._scripts[method, path] = list(replies)

    def reply(self, request: Request) -> Reply:
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()
            replies = self._scripts.get((request.method, request.path))
            if not replies:
                reply: Reply = failure(404, "NotFound")
            else:
                reply = replies.pop(0) if len(replies) > 1 else replies[0]
            self._replies.append(reply)
            return reply

    @property
    def last_reply(self) -> Reply:
        with self._changed:
            return self._replies[-1]

    def requests(self, method: str | None = None, path: str | None = None) -> list[Request]:
        with self._changed:
            return [
                one
                for one in self._requests
                if method in {None, one.method} and path in {None, one.path}
            ]

    def end_streams(self) -> None:
        """Cuts the streams that are silent or a trickle now."""
        ended, self.silence = self.silence, threading.Event()
        ended.set()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Until it is true; it is looked at after every request."""
        with self._changed:
            assert self._changed.wait_for(condition, PATIENCE), self._requests


def write_kubeconfig(path: Path, server: str) -> Path:
    path.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "c", "cluster": {"server": server}}],
                "users": [{"name": "u", "user": {"token": "t"}}],
                "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
                "current-context": "here",
            }
        )
    )
    return path


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that has gone is no fault
            super().handle_error(request, client_address)


def _handler(server: FaultServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # so that what begins a stream comes with its text, in one piece

        def _answer(self) -> None:
            parts = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            method = "WATCH" if query.get("watch") == "true" else self.command
            silence = server.silence  # before anybody can know of this request
            reply = server.reply(
                Request(
                    method,
                    parts.path,
                    query,
                    json.loads(raw) if raw else None,
                    {key.lower(): value for key, value in self.headers.items()},
                )
            )
            if isinstance(reply, Stream):
                self._stream(reply, silence)
                return
            body = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
            self.send_response(reply.status)
            for key, value in reply.headers.items():
                self.send_header(key.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def _stream(self, reply: Stream, silence: threading.Event) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if reply.text:
                self._chunk(reply.text)
            self.wfile.flush()
            if reply.end == "silence":
                silence.wait()
            if reply.end == "trickle":
                with suppress(OSError):  # the client has gone
                    while not silence.wait(0.05):
                        self._chunk(" ")
            if reply.end == "proper":
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.close_connection = True

        def _chunk(self, text: str) -> None:
            chunk = text.encode()
            self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
            self.wfile.flush()

        do_GET = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815 - so the base class asks

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    return Handler
