"""``/metrics``, ``/healthz`` and ``/readyz`` on one small HTTP server."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from controller.shell.errors import StartError, UsageError
from controller.shell.metrics import CONTENT_TYPE, Metrics

PLAIN = "text/plain; charset=utf-8"


def parse_address(text: str) -> tuple[str, int]:
    """(host, port) of ``host:port``, ``:port`` (every address) or ``[v6]:port``."""
    host, colon, port = text.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not colon or not port.isdecimal() or int(port) > 65535 or (":" in bare and bare == host):
        raise UsageError(
            f"metrics address {text!r} is not host:port; write 127.0.0.1:8080, or :0 for a free one"
        )
    return bare, int(port)


class Endpoints:
    """Answers until ``close``. ``ready`` and ``ailment`` are asked at every request.

    ``ailment`` is why the process is not healthy, or "".
    """

    def __init__(
        self,
        address: str,
        *,
        metrics: Metrics,
        ready: Callable[[], bool],
        ailment: Callable[[], str],
    ) -> None:
        host, port = parse_address(address)
        self._closed = threading.Event()
        pages: dict[str, Callable[[], tuple[int, str, bytes]]] = {
            "/metrics": lambda: (200, CONTENT_TYPE, metrics.exposition()),
            "/healthz": lambda: _check(ailment()),
            "/readyz": lambda: _check("" if ready() else "caches are not complete"),
        }
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            self._server = _server(family)((host, port), _handler(pages))
        except OSError as error:
            reason = error.strerror or error
            raise StartError(
                f"metrics address {address}: {reason}; free it, or choose another one with "
                "--metrics-bind-address (:0 takes any free port)"
            ) from error
        self.port: int = self._server.server_address[1]
        shown = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104
        self.url = f"http://{shown.get(host, f'[{host}]' if ':' in host else host)}:{self.port}"

    def run(self) -> None:
        """Takes connections until ``close``, asleep in between."""
        while True:
            try:
                connection, client = self._server.get_request()
            except OSError:
                if self._closed.is_set():
                    return
                continue  # the client has given up already
            self._server.process_request(connection, client)

    def close(self) -> None:
        """Stops taking connections and frees the port."""
        self._closed.set()
        with suppress(OSError):  # wakes ``run``, which a mere close would not
            self._server.socket.shutdown(socket.SHUT_RDWR)
        self._server.server_close()


def _check(problem: str) -> tuple[int, str, bytes]:
    return (503, PLAIN, f"{problem}\n".encode()) if problem else (200, PLAIN, b"ok\n")


def _server(family: socket.AddressFamily) -> type[ThreadingHTTPServer]:
    class Server(ThreadingHTTPServer):
        address_family = family
        daemon_threads = True
        # With reuse a second process could start on a port that is merely lingering; on Linux it
        # never shares a listening one, which is all that matters here.
        allow_reuse_address = True

        # Closing waits for nobody: a probe that is being answered ends with the process.
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that hangs up in the middle is its own affair."""

        def server_bind(self) -> None:
            # The base class asks DNS for the host's full name, which may take seconds.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.socket.bind(self.server_address)
            self.server_address = self.socket.getsockname()
            self.server_name, self.server_port = "queuecheck", self.server_address[1]

    return Server


def _handler(
    pages: dict[str, Callable[[], tuple[int, str, bytes]]],
) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10  # a client that stays connected and silent costs a thread

        def do_GET(self) -> None:
            page = pages.get(self.path.partition("?")[0])
            status, content_type, body = page() if page else (404, PLAIN, b"not found\n")
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Requests are not worth a line each."""

    return Handler
