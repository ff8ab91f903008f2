"""Chromium, told what to do through its debugging pipe: pages are opened, measured, drawn.

The protocol is JSON, each message ended by a zero byte, on two more file descriptors. Nothing of
it needs a port or a driver.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--remote-debugging-pipe"),
)
Message = dict[str, Any]


def program() -> str | None:
    """Where Chromium is, or None."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Browser:
    """A running Chromium."""

    def __init__(self, chromium: str, profile: Path) -> None:
        near_in, self._out = os.pipe()
        self._in, near_out = os.pipe()
        # Away from the two numbers that they are to have in the end.
        theirs_in, theirs_out = (
            fcntl.fcntl(near, fcntl.F_DUPFD, 10) for near in (near_in, near_out)
        )
        words = [chromium, *FLAGS, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "bash", *words],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for near in (near_in, near_out, theirs_in, theirs_out):
            os.close(near)
        self._rest = b""
        self._number = 0
        self.events: list[Message] = []

    def close(self) -> None:
        """Ends it and what it has started."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def call(self, method: str, *, session: str = "", **parameters: Any) -> Message:
        """What the browser answers; what it tells meanwhile is in ``events``."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer
        result: Message = answer["result"]
        return result

    def wait_for(self, method: str, **parameters: str) -> None:
        """Returns when an event of that name with these parameters has come."""

        def awaited(event: Message) -> bool:
            told = event.get("params", {})
            return event.get("method") == method and all(
                told.get(name) == value for name, value in parameters.items()
            )

        while not any(map(awaited, self.events)):
            self.events.append(self._read())

    def _read(self) -> Message:
        while b"\0" not in self._rest:
            chunk = os.read(self._in, 1 << 20)
            assert chunk, "Chromium has ended"
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\0")
        message: Message = json.loads(line)
        return message

    @contextmanager
    def page(
        self, url: str, *, width: int = 1280, height: int = 900, dark: bool = False
    ) -> Iterator[Page]:
        """The page, loaded, at that width, in that colour scheme."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        try:
            page.open(url, width=width, height=height, dark=dark)
            yield page
        finally:
            self.call("Target.closeTarget", targetId=target)


class Page:
    """An open page."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def open(self, url: str, *, width: int, height: int, dark: bool) -> None:
        """Loads the page and forgets what was told of an earlier one."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._call("Page.setLifecycleEventsEnabled", enabled=True)
        self._browser.events.clear()
        # The empty page that stood there before may be told to be loaded even now.
        loader = self._call("Page.navigate", url=url)["loaderId"]
        self._browser.wait_for("Page.lifecycleEvent", loaderId=loader, name="load")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, as plain data."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def draw(self, file: Path, *, whole: bool = True) -> None:
        """A screenshot."""
        shot = self._call("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))

    @property
    def complaints(self) -> list[str]:
        """What the console says of errors."""
        found = []
        for event in self._browser.events:
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"]))
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(str(event["params"]["args"]))
            elif event["method"] == "Log.entryAdded":
                found.append(str(event["params"]["entry"]["text"]))
        return found

    @property
    def requests(self) -> list[str]:
        """Everything that was asked for, the page itself included."""
        return [
            event["params"]["request"]["url"]
            for event in self._browser.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def _call(self, method: str, **parameters: Any) -> Message:
        return self._browser.call(method, session=self._session, **parameters)


@contextmanager
def browser(chromium: str) -> Iterator[Browser]:
    """A Chromium with a profile that is gone afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        found = Browser(chromium, Path(profile))
        try:
            yield found
        finally:
            found.close()


# What is wider than the window it is in, and does not scroll by itself.
OVERFLOW = """
(() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (element) => {
    for (let at = element; at; at = at.parentElement)
      if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  return [...document.querySelectorAll("body *")]
    .filter((each) => each.checkVisibility() && !each.closest("svg svg"))
    .filter((each) => each.getBoundingClientRect().right > width + 1 && !scrolls(each))
    .map((each) => each.tagName + " " + each.textContent.trim().slice(0, 60));
})()
"""
# Texts that are too faint on what is behind them: less than 4.5, or 3 for what is large.
FAINT = """
(() => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((numbers(colour)[3] ?? 1) > 0.5) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    const ours = !element.closest("svg, script, style, .sign");
    if (!text || !ours || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const [one, other] = [light(style.color), light(behind(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const large = parseFloat(style.fontSize) >= 24;
    if (ratio < (large ? 3 : 4.5)) found.add(`${ratio.toFixed(1)} ${text.slice(0, 60)}`);
  }
  return [...found];
})()
"""
