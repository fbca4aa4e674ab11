"""Headless Chromium by its DevTools protocol, over two pipes: no library, no port."""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

from driven import DrivenPage, end
from programs import PATIENCE, Failed, until


class Chromium:
    def __init__(self, *arguments: str, home: Optional[Path] = None) -> None:
        """home: whose certificates it trusts; an empty one where none is named."""
        self._profile = Path(tempfile.mkdtemp(prefix="chromium-", dir="/tmp"))
        command_read, self._write = os.pipe()
        self._read, answer_write = os.pipe()

        def wire() -> None:  # the browser reads from 3 and writes to 4
            os.dup2(command_read, 63)
            os.dup2(answer_write, 64)
            os.dup2(63, 3)
            os.dup2(64, 4)

        self._process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
             "--hide-scrollbars", f"--user-data-dir={self._profile}", *arguments, "about:blank"],
            env={**os.environ, "HOME": str(home or self._profile)}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=wire, close_fds=False)
        os.close(command_read)
        os.close(answer_write)
        self._bytes = b""
        self._last = 0
        self.events: List[Dict[str, Any]] = []

    def send(self, method: str, session: Optional[str] = None, **params: Any) -> Any:
        self._last += 1
        message: Dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        wanted = self._last
        while True:
            answer = self._message()
            if answer.get("id") == wanted:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _message(self) -> Dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._bytes:
            if not select.select([self._read], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Failed("Chromium does not answer")
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise Failed("Chromium has ended")
            self._bytes += chunk
        line, self._bytes = self._bytes.split(b"\0", 1)
        return json.loads(line)

    def page(self, url: str, width: int = 1100, height: int = 900, dark: bool = False) -> "Page":
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        self.send("Page.enable", session)
        self.send("Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", session, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        page.go(url)
        return page

    def allow_local(self, origin: str) -> None:
        """As a person who is asked says yes, or an administrator's policy."""
        for name in ("loopbackNetwork", "localNetworkAccess"):  # since version 145, and before
            try:
                self.send("Browser.grantPermissions", origin=origin, permissions=[name])
                return
            except Failed as error:
                refused = error
        raise refused

    def close(self) -> None:
        end(self._process, self._profile)
        os.close(self._write)
        os.close(self._read)


class Page(DrivenPage):
    def __init__(self, browser: Chromium, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target

    def go(self, url: str) -> None:
        self._browser.send("Page.navigate", self._session, url=url)
        self.until("location.href !== 'about:blank' && document.readyState === 'complete'")

    def back(self, expression: str) -> None:
        """To the page before, as the browser's own button does it, until something is so there."""
        history = self._browser.send("Page.getNavigationHistory", self._session)
        entry = history["entries"][history["currentIndex"] - 1]
        self._browser.send("Page.navigateToHistoryEntry", self._session, entryId=entry["id"])

        def is_so() -> Any:
            try:
                return self.run(expression)
            except Failed:  # on its way
                return False

        until(expression, is_so)

    def run(self, expression: str) -> Any:
        """The value of an expression, awaited."""
        answer = self._browser.send(
            "Runtime.evaluate", self._session, expression=expression, awaitPromise=True, returnByValue=True,
            userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failed(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def picture(self, path: str) -> None:
        size = self.run("[innerWidth, document.documentElement.scrollHeight]")
        answer = self._browser.send(
            "Page.captureScreenshot", self._session, format="png", captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": size[0], "height": min(size[1], 4000), "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def accessible(self) -> List[Dict[str, Any]]:
        self._browser.send("Accessibility.enable", self._session)
        return self._browser.send("Accessibility.getFullAXTree", self._session)["nodes"]

    def before(self, script: str) -> None:
        """Runs a script in the page before its own, from the next visit on: as an extension that has user scripts does."""
        self._browser.send("Page.addScriptToEvaluateOnNewDocument", self._session, source=script)

    def key(self, name: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self._browser.send(
                "Input.dispatchKeyEvent", self._session, type=kind, key=name, code=name,
                windowsVirtualKeyCode={"Tab": 9, "Enter": 13}[name], text="\r" if name == "Enter" and kind == "keyDown" else "")

    def close(self) -> None:
        self._browser.send("Target.closeTarget", targetId=self._target)
