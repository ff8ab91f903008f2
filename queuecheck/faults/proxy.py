"""The proxy itself: one thread, one event loop, on loopback.

Each request is read whole, looked at by the rules in the order in which they were made, and passed
on with the credentials that it came with. Answers are passed back whole, watches line by line. What
waits while the world is halted is never passed on: its connection is dropped when the world goes
on, so that nobody's last request takes effect after their end.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
import threading
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import aiohttp
import yaml
from aiohttp import web
from yarl import URL

from queuecheck.faults.fault import (
    Delay,
    Drop,
    EndWatch,
    Fault,
    Halt,
    Meanwhile,
    Refuse,
    Rule,
    Target,
    status_object,
)
from queuecheck.faults.request import Request

LOOPBACK = "127.0.0.1"
START_SECONDS = 10.0
# They belong to one connection, and not to what is passed on.
HOP_BY_HOP = frozenset(
    {
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
# What the event carries that ends the initial ones of a watch.
INITIAL_END = b"k8s.io/initial-events-end"
Answer = TypeVar("Answer")


class _Dropped(Exception):
    """The connection to the client is broken off."""


class FaultProxy:
    """A proxy to the server of a kubeconfig. Safe to use from any thread.

    With that server's ``certificate`` and key it is reached as the server itself is. Without, it
    speaks plain HTTP, and clients that keep their credentials from such a server (client-go does)
    are nobody there.
    """

    def __init__(self, kubeconfig: Path, *, certificate: tuple[Path, Path] | None = None) -> None:
        self._server = _server(kubeconfig)
        self._serving: ssl.SSLContext | None = None
        if certificate is not None:
            self._serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._serving.load_cert_chain(*certificate)
        self._lock = threading.Lock()
        self._rules: list[Rule] = []
        self._writes: list[Request] = []
        self._halted = threading.Event()
        self._url = ""
        self._loop: asyncio.AbstractEventLoop
        self._thread: threading.Thread
        # Of the loop's thread alone:
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None
        self._released = asyncio.Event()
        self._watches: dict[asyncio.Event, Request] = {}

    @property
    def url(self) -> str:
        """Where it listens."""
        return self._url

    @property
    def writes(self) -> tuple[Request, ...]:
        """The writes that have come in since ``forget``, refused ones included."""
        with self._lock:
            return tuple(self._writes)

    def start(self) -> None:
        """Returns when it listens. Nothing else can be asked of it before."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="faults", daemon=True)
        self._thread.start()
        self._wait_for(self._start())

    def stop(self) -> None:
        """Breaks off all connections and ends its thread."""
        self.go_on()
        self._wait_for(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_SECONDS)
        self._loop.close()

    def add(self, rule: Rule) -> Rule:
        """From now on requests are looked at by this rule too."""
        with self._lock:
            self._rules.append(rule)
        return rule

    def forget(self) -> None:
        """Takes all rules back, and forgets what was written. A halted world goes on."""
        with self._lock:
            self._rules.clear()
            self._writes.clear()
        self.go_on()

    def cut_watches(self, target: Target = Target("watch")) -> int:  # noqa: B008 - a constant
        """Breaks off the watches that are open now; how many they were."""
        return self._wait_for(self._cut(target))

    def await_halt(self, seconds: float) -> bool:
        """Whether the world has come to a halt within that time."""
        return self._halted.wait(seconds)

    def go_on(self) -> None:
        """The world goes on; what was waiting is dropped."""
        if self._halted.is_set():
            self._halted.clear()
            self._loop.call_soon_threadsafe(self._released.set)

    def _wait_for(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        future: Future[Answer] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(START_SECONDS)

    async def _start(self) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=self._server.tls),
            timeout=aiohttp.ClientTimeout(total=None),
            auto_decompress=False,
        )
        application = web.Application(client_max_size=64 * 1024 * 1024)
        application.router.add_route("*", "/{path:.*}", self._handle)
        # A client that has gone takes its watch with it.
        self._runner = web.AppRunner(
            application, handler_cancellation=True, access_log=None, shutdown_timeout=0.1
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, LOOPBACK, 0, ssl_context=self._serving)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self._url = f"{'https' if self._serving else 'http'}://{host}:{port}"

    async def _stop(self) -> None:
        for cut in self._watches:
            cut.set()
        if self._runner is not None:
            await self._runner.cleanup()
        if self._session is not None:
            await self._session.close()

    async def _cut(self, target: Target) -> int:
        found = [cut for cut, request in self._watches.items() if target.fits(request)]
        for cut in found:
            cut.set()
        return len(found)

    async def _handle(self, incoming: web.Request) -> web.StreamResponse:
        request = Request.read(incoming.method, incoming.path, incoming.query)
        body = await incoming.read()
        try:
            await self._pass_halt()
            if request.write:
                with self._lock:
                    self._writes.append(request)
            return await self._answer(incoming, request, body)
        except (_Dropped, aiohttp.ClientError):
            if incoming.transport is not None:
                incoming.transport.abort()
            return web.Response()

    async def _answer(
        self, incoming: web.Request, request: Request, body: bytes
    ) -> web.StreamResponse:
        faults = self._strike(request)
        for fault in faults:
            match fault:
                case Refuse():
                    return _refusal(fault)
                case Delay():
                    await asyncio.sleep(fault.seconds)
                case Drop(passed_on=False):
                    raise _Dropped
                case Meanwhile():
                    await asyncio.to_thread(fault.act)
                case Halt(passed_on=False):
                    await self._halt()
                case _:
                    pass
        await self._pass_halt()
        ending = next((fault for fault in faults if isinstance(fault, EndWatch)), None)
        assert self._session is not None
        async with self._session.request(
            incoming.method,
            URL(f"{self._server.url}{incoming.raw_path}", encoded=True),
            headers=_passed_on(incoming.headers),
            data=body or None,
            server_hostname=self._server.name,
        ) as upstream:
            if request.watch and upstream.status == 200:
                return await self._stream(incoming, request, upstream, ending)
            content = await upstream.read()
            await self._lose_answer(faults)
            return web.Response(
                status=upstream.status, headers=_passed_on(upstream.headers), body=content
            )

    async def _lose_answer(self, faults: list[Fault]) -> None:
        for fault in faults:
            if isinstance(fault, Drop):
                raise _Dropped
            if isinstance(fault, Halt):
                await self._halt()
        await self._pass_halt()

    async def _stream(
        self,
        incoming: web.Request,
        request: Request,
        upstream: aiohttp.ClientResponse,
        ending: EndWatch | None,
    ) -> web.StreamResponse:
        outgoing = web.StreamResponse(status=200, headers=_passed_on(upstream.headers))
        await outgoing.prepare(incoming)
        cut = asyncio.Event()
        self._watches[cut] = request
        events, counting = 0, not request.initial
        try:
            async for event in _until(cut, upstream):
                await self._pass_halt()
                await outgoing.write(event)
                events += counting
                counting = counting or INITIAL_END in event
                if ending is not None and events >= ending.events:
                    break
            if cut.is_set():
                raise _Dropped
            if ending is not None and ending.gone and _is_json(upstream):
                await outgoing.write(b'{"type":"ERROR","object":' + status_object(410) + b"}\n")
            await outgoing.write_eof()
        finally:
            del self._watches[cut]
        return outgoing

    def _strike(self, request: Request) -> list[Fault]:
        with self._lock:
            rules = list(self._rules)
        return [rule.fault for rule in rules if rule.strikes(request)]

    async def _halt(self) -> None:
        """Whoever is told of it may let the world go on before this thread looks again."""
        self._released.clear()
        self._halted.set()
        await self._drop()

    async def _pass_halt(self) -> None:
        """Returns at once while the world goes on; what has waited through a halt is dropped."""
        if self._halted.is_set():
            await self._drop()

    async def _drop(self) -> NoReturn:
        """The connection, when the world goes on."""
        await self._released.wait()
        raise _Dropped


async def _until(cut: asyncio.Event, upstream: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """The events of a stream until it ends or is cut: lines of JSON, or what comes in one piece."""
    end: asyncio.Future[Any] = asyncio.ensure_future(cut.wait())
    chunk: asyncio.Future[Any] = asyncio.ensure_future(upstream.content.readany())
    rest = b""
    try:
        while True:
            await asyncio.wait((chunk, end), return_when=asyncio.FIRST_COMPLETED)
            if not chunk.done() or not (data := chunk.result()):
                return
            chunk = asyncio.ensure_future(upstream.content.readany())
            if not _is_json(upstream):
                yield data
                continue
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                yield line + b"\n"
    finally:
        end.cancel()
        chunk.add_done_callback(lambda read: read.cancelled() or read.exception())
        chunk.cancel()


def _is_json(upstream: aiohttp.ClientResponse) -> bool:
    return upstream.content_type == "application/json"


def _refusal(fault: Refuse) -> web.Response:
    headers = {"Content-Type": "application/json"}
    if fault.retry_after is not None:
        headers["Retry-After"] = str(fault.retry_after)
    return web.Response(status=fault.status, headers=headers, body=fault.body)


def _passed_on(headers: Any) -> dict[str, str]:
    return {key: value for key, value in headers.items() if key.lower() not in HOP_BY_HOP}


@dataclass(frozen=True)
class _Server:
    """An API server; ``tls`` and ``name`` are how to know that it is the right one.

    Without a name it is the one in the URL; False is not to look.
    """

    url: str
    tls: ssl.SSLContext | bool = True
    name: str | None = None


def _server(kubeconfig: Path) -> _Server:
    """The current context's."""
    document = yaml.safe_load(kubeconfig.read_text("utf-8"))
    current = document["current-context"]
    context = next(each for each in document["contexts"] if each["name"] == current)
    meant = context["context"]["cluster"]
    cluster = next(each["cluster"] for each in document["clusters"] if each["name"] == meant)
    server = str(cluster["server"])
    if not server.startswith("https:"):
        return _Server(server)
    name = cluster.get("tls-server-name") or None
    if cluster.get("insecure-skip-tls-verify"):
        return _Server(server, False, name)
    tls = ssl.create_default_context()
    if data := cluster.get("certificate-authority-data"):
        tls.load_verify_locations(cadata=base64.b64decode(data).decode("ascii"))
    elif file := cluster.get("certificate-authority"):
        tls.load_verify_locations(cafile=kubeconfig.parent / file)
    return _Server(server, tls, name)
