"""Headless Firefox by Marionette, its own remote protocol: lengths and JSON on a socket."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from driven import DrivenPage, end
from programs import PATIENCE, Failed, until


class Firefox(DrivenPage):
    def __init__(self) -> None:
        self._profile = Path(tempfile.mkdtemp(prefix="firefox-", dir="/tmp"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (self._profile / "user.js").write_text(
            f'user_pref("marionette.port", {port});\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
            'user_pref("app.update.enabled", false);\nuser_pref("network.captive-portal-service.enabled", false);\n')
        self._process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(self._profile)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(self._profile), "MOZ_DISABLE_CONTENT_SANDBOX": "1"})
        self._socket = until("Firefox", lambda: self._connect(port))
        self._bytes = b""
        self._last = 0
        self._message()
        self.send("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        self.send("WebDriver:SetTimeouts", script=int(PATIENCE * 1000), pageLoad=int(PATIENCE * 1000))

    @staticmethod
    def _connect(port: int) -> Any:
        try:
            return socket.create_connection(("127.0.0.1", port), PATIENCE)
        except OSError:
            return None

    def _message(self) -> Any:
        while b":" not in self._bytes:
            self._fill()
        length, rest = self._bytes.split(b":", 1)
        self._bytes = rest
        while len(self._bytes) < int(length):
            self._fill()
        message, self._bytes = self._bytes[:int(length)], self._bytes[int(length):]
        return json.loads(message)

    def _fill(self) -> None:
        chunk = self._socket.recv(1 << 16)
        if not chunk:
            raise Failed("Firefox has ended")
        self._bytes += chunk

    def send(self, command: str, **params: Any) -> Any:
        self._last += 1
        line = json.dumps([0, self._last, command, params]).encode()
        self._socket.sendall(str(len(line)).encode() + b":" + line)
        _, _, error, result = self._message()
        if error:
            raise Failed(f"{command}: {error.get('message', error)}")
        return result

    def go(self, url: str) -> None:
        self.send("WebDriver:Navigate", url=url)

    def run(self, expression: str) -> Any:
        """The value of an expression, awaited."""
        script = (f"const done = arguments[arguments.length - 1]; (async () => ({expression}))()"
                  ".then((value) => done([value]), (error) => done([null, String(error)]));")
        value = self.send("WebDriver:ExecuteAsyncScript", script=script, args=[])["value"]
        if len(value) > 1:
            raise Failed(value[1])
        return value[0]

    def close(self) -> None:
        end(self._process, self._profile)
