"""What a page in any browser has in common."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from programs import PATIENCE, Failed


class DrivenPage:
    """A page whose expressions can be run: its class says how."""

    def run(self, expression: str) -> Any:
        """The value of an expression, awaited."""
        raise NotImplementedError

    def until(self, expression: str) -> Any:
        deadline = time.monotonic() + PATIENCE
        while True:
            value = self.run(expression)
            if value:
                return value
            if time.monotonic() > deadline:
                raise Failed(f"not so in time: {expression}; the page says: {self.text()[:600]}")
            time.sleep(0.05)

    def text(self) -> str:
        return self.run("document.body.innerText") or ""


def end(process: subprocess.Popen[bytes], profile: Path) -> None:
    """Ends a browser, and forgets its profile."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
    shutil.rmtree(profile, ignore_errors=True)
