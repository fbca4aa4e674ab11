"""The client, the example till and the live page in real browsers: scripts/test-browsers runs it.

Each check prints a line; the last line counts them. With --pictures FOLDER it writes the screenshots of docs/web.md.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import livepage
import strangers
import tills
import trust
from chromium import Chromium
from driven import DrivenPage
from programs import CLIENTS, Bench, Failed, FileServer, stub
from sandbox import Sandbox


class Run:
    """What the checks share: a till's origin, another's, a foreign one, the programs."""

    def __init__(self, products: Path, pictures: str, sandbox: Optional[Path], only: str) -> None:
        self.only = only
        self.pictures = pictures
        self.passed = self.skipped = 0
        self.failures: List[str] = []
        self.files = Path(tempfile.mkdtemp(prefix="till-", dir="/tmp"))
        for name in ("till.html", "till.js", "swiped.js"):
            shutil.copy(CLIENTS / name, self.files)
        (self.files / "blank.html").write_text("<!DOCTYPE html><title>blank</title>")
        self.sandbox = Sandbox(sandbox) if sandbox else None
        self.till = self.serve()
        self.payer = self.serve(pay=self.sandbox.pay if self.sandbox else stub)
        self.foreign = self.serve()
        self.origin = f"http://localhost:{self.till.port}"
        self.bench = Bench(products)
        # The second till charges by number, since the virtual reader does not encrypt: so it sees cards in full.
        self.bench.set_gateway(
            f"[origin {self.origin}]\nrole = masked\n[origin http://localhost:{self.payer.port}]\nrole = full\n")
        self.bench.start_gateway()
        self.gateway = f"http://localhost:{self.bench.port}"

    def serve(self, **options: Any) -> FileServer:
        return FileServer(self.files, **options)

    def till_url(self, till: Optional[FileServer] = None) -> str:
        origin = f"http://localhost:{(till or self.till).port}"
        return f"{origin}/till.html?gateway={self.gateway}&pay={origin}/pay"

    def check(self, name: str, body: Callable[[], None]) -> None:
        if self.only not in name and FIRST not in name:
            return
        began = time.monotonic()
        try:
            body()
        except Exception as error:  # pylint: disable=broad-except
            self.failures.append(name)
            words = error if isinstance(error, (Failed, AssertionError)) else repr(error)
            print(f"  FAILED  {name}: {words}", flush=True)
        else:
            self.passed += 1
            print(f"  ok      {name} ({time.monotonic() - began:.1f} s)", flush=True)

    def skip(self, name: str, why: str) -> None:
        if self.only not in name:
            return
        self.skipped += 1
        print(f"  skip    {name}: {why}", flush=True)

    def pair(self, page: DrivenPage, *more: str) -> None:
        """Lets a page in that shows its code."""
        code = page.until("(document.body.innerText.match(/\\d{3}-\\d{3}/) || [])[0]")
        self.bench.swipectl("pair", code, *more)

    def plug_in(self) -> None:
        for action in ("disconnect", "connect"):
            self.bench.simulate(action)

    def close(self) -> None:
        self.bench.close()
        for server in (self.till, self.payer, self.foreign):
            server.close()
        if self.sandbox:
            self.sandbox.close()
        shutil.rmtree(self.files, ignore_errors=True)


# What comes later finds a page that is paired.
FIRST = "a first visit, and a payment"
CHROMIUM: Dict[str, Callable[[Run, Chromium], None]] = {
    FIRST: tills.first_visit,
    "a payment in Checkout's sandbox": tills.sandbox_payment,
    "two tabs, one claim": tills.two_tabs,
    "restarts of gateway and daemon": tills.comes_back,
    "a gateway that is away": tills.gateway_away,
    "a page for keyboard readers": tills.keyboard_page,
    "foreign pages": strangers.foreign_pages,
    "a rebound name": strangers.rebound_name,
    "another till's token": strangers.another_till,
    "the live page of an operator": livepage.operator,
    "the live page that listens": livepage.listener,
    "the live page with everything": livepage.everything,
}


def in_chromium(run: Run) -> None:
    browser = Chromium("--host-resolver-rules=MAP *.example 127.0.0.1")
    try:
        for name, body in CHROMIUM.items():
            if body is tills.sandbox_payment and not run.sandbox:
                run.skip(f"chromium: {name}", "it is not built: swift build --package-path Checkout --product checkout-sandbox")
            else:
                run.check(f"chromium: {name}", lambda body=body: body(run, browser))
    finally:
        browser.close()
    if shutil.which("certutil"):
        run.check("chromium: an authority of one's own", lambda: trust.chromium_trusts(run))
    else:
        run.skip("chromium: an authority of one's own", "certutil (libnss3-tools) is not installed")
    run.check("chromium: a page with https from elsewhere", lambda: trust.from_elsewhere(run))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("products", type=Path)
    parser.add_argument("--pictures", default="")
    parser.add_argument("--sandbox", type=Path)
    parser.add_argument("--only", default="", help="a part of the name of what is to be checked")
    options = parser.parse_args()
    run = Run(options.products, options.pictures, options.sandbox, options.only)
    try:
        run.check("the authority's certificate", lambda: trust.certificate(run))
        if shutil.which("chromium"):
            in_chromium(run)
        else:
            run.skip("chromium", "not installed")
        if shutil.which("firefox-esr"):
            run.check("firefox: the client's basic run", lambda: tills.basic_run(run))
        else:
            run.skip("firefox", "firefox-esr is not installed")
    finally:
        if run.failures:
            print(run.bench.log("swiped-web")[-4000:])
        run.close()
    skipped = f", {run.skipped} skipped" if run.skipped else ""
    print(f"{run.passed} passed, {len(run.failures)} failed{skipped}")
    return 1 if run.failures or not run.passed else 0


if __name__ == "__main__":
    sys.exit(main())
