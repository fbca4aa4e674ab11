"""The client, the example till and the live page in real browsers: scripts/test-browsers runs it.

Each check prints a line; the last line counts them. With --pictures FOLDER it writes the screenshots of docs/web.md.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, List

from chromium import Chromium, Page
from firefox import Firefox
from programs import CLIENTS, ROOT, Bench, Failed, FileServer, until

MASKED = "476173******0011"
# A page of this reads everything it gets, and remembers it.
COLLECT = """(async () => {
  const { Swiped } = await import('./swiped.js');
  window.client = new Swiped({ url: '%s' });
  window.seen = []; window.states = [];
  client.onstate = (state) => states.push(state);
  (async () => { for await (const event of client.events({ snapshot: true })) seen.push(event); })();
  return true;
})()"""


class Run:
    def __init__(self, products: Path, pictures: str) -> None:
        self.pictures = pictures
        self.count = 0
        self.failures: List[str] = []
        files = Path(tempfile.mkdtemp(prefix="till-", dir="/tmp"))
        self.files = files
        for name in ("till.html", "till.js", "swiped.js"):
            shutil.copy(CLIENTS / name, files)
        (files / "blank.html").write_text("<!DOCTYPE html><title>blank</title>")
        self.till = FileServer(files)
        self.foreign = FileServer(files)
        self.origin = f"http://localhost:{self.till.port}"
        self.bench = Bench(products)
        self.bench.set_gateway(f"[origin {self.origin}]\nrole = masked\n")
        self.bench.start_gateway()
        self.gateway = f"http://localhost:{self.bench.port}"

    def check(self, name: str, body: Callable[[], None]) -> None:
        began = time.monotonic()
        try:
            body()
        except (Failed, AssertionError, KeyError, IndexError) as error:
            self.failures.append(name)
            print(f"  FAILED  {name}: {error!r}", flush=True)
        else:
            print(f"  ok      {name} ({time.monotonic() - began:.1f} s)", flush=True)
        self.count += 1

    def pair(self, page: Any, *more: str) -> None:
        """Lets a page in that shows its code."""
        code = page.until("(document.body.innerText.match(/\\d{3}-\\d{3}/) || [])[0]")
        self.bench.swipectl("pair", code, *more)

    def plug_in(self) -> None:
        for action in ("disconnect", "connect"):
            self.bench.simulate(action)

    # The till

    def till_pays(self, page: Any) -> None:
        page.until("document.getElementById('state').textContent === 'Ready.'")
        page.run("document.getElementById('pay').click()")
        page.until("document.getElementById('state').textContent.startsWith('Swipe the card')")
        self.bench.simulate("swipe")
        page.until("document.getElementById('receipts').children.length === 1")
        receipt = page.run("document.getElementById('receipts').textContent")
        assert f"12.50 approved: {MASKED}" in receipt, receipt
        payment = self.till.payments[-1]
        assert payment["amount"] == "12.50" and payment["card"]["pan"]["masked"] == MASKED, payment
        assert "number" not in payment["card"]["pan"], payment

    def till_url(self) -> str:
        return f"{self.origin}/till.html?gateway={self.gateway}&pay={self.origin}/pay"

    def first_visit(self, browser: Chromium) -> None:
        self.plug_in()
        page = browser.page(self.till_url())
        self.pair(page)
        self.till_pays(page)
        page.close()
        again = browser.page(self.till_url())  # it is known now
        again.until("document.getElementById('state').textContent === 'Ready.'")
        again.close()

    def two_tabs(self, browser: Chromium) -> None:
        tabs = [browser.page(f"{self.origin}/blank.html") for _ in range(2)]
        for tab in tabs:
            tab.run(COLLECT % self.gateway)
        claim = "client.withClaim('virtual-till', async (claim) => { window.held = claim; await window.done; }, { mode: 'try' })"
        tabs[0].run("window.done = new Promise((resolve) => { window.finish = resolve; }); window.first = "
                    + claim + "; true")
        tabs[0].until("window.held !== undefined")
        refused = tabs[1].run(f"{claim}.then(() => 'claimed', (error) => error.code)")
        assert refused == "claim.held", refused
        tabs[0].run("window.finish(); window.first.then(() => true)")
        assert tabs[1].run(f"window.done = Promise.resolve(); {claim}.then(() => 'claimed', (error) => error.code)") == "claimed"
        # A tab that goes without a word releases what it held.
        tabs[0].run("window.done = new Promise(() => {}); window.held = undefined; " + claim + "; true")
        tabs[0].until("window.held !== undefined")
        tabs[0].close()
        until("the claim's end", lambda: not any("claimed_by" in reader for reader in self.bench.ask("readers")["readers"]))
        tabs[1].close()

    def comes_back(self, browser: Chromium) -> None:
        page = browser.page(f"{self.origin}/blank.html")
        page.run(COLLECT % self.gateway)
        page.until("seen.some((event) => event.event === 'snapshot')")
        self.plug_in()
        page.until("seen.some((event) => event.event === 'ready')")
        self.bench.stop("swiped-web")
        page.until("states.includes('waiting')")
        self.plug_in()  # while it is away
        self.bench.start_gateway(self.bench.port)
        last = self.bench.ask("stats")["server"]["events_published"]
        page.until(f"seen.some((event) => event.seq >= {last})")
        numbers = page.run("seen.filter((event) => event.seq).map((event) => event.seq)")
        assert numbers == list(range(numbers[0], numbers[-1] + 1)), numbers
        assert page.run("seen.filter((event) => event.event === 'gap').length") == 0
        # The daemon too: what is missing is named, and the readers come as they are.
        before = page.run("seen.length")
        self.bench.stop("swiped")
        self.bench.start_daemon()
        page.until(f"seen.slice({before}).some((event) => event.event === 'gap' && event.data.reason === 'restart')")
        page.until(f"seen.slice({before}).some((event) => event.event === 'snapshot')")
        self.plug_in()
        page.until(f"seen.slice({before}).some((event) => event.event === 'ready')")
        page.close()

    # Pages that may not

    OPEN = """new Promise((resolve) => {
      const socket = new WebSocket('%s', ['swipe.1']);
      socket.onmessage = () => resolve('a line'); socket.onclose = (event) => resolve(`closed ${event.code}`);
    })"""

    def foreign_pages(self, browser: Chromium) -> None:
        port = self.bench.port
        page = browser.page(f"http://attacker.example:{self.foreign.port}/blank.html")
        for host in ("localhost", "127.0.0.1", "rebind.example", "127.0.0.1.attacker.example", "localhost."):
            assert page.run(self.OPEN % f"ws://{host}:{port}/v1/socket") == "closed 1006", host
            for path in ("/", "/v1/session", "/v1/events"):
                got = page.run(f"fetch('http://{host}:{port}{path}').then((answer) => answer.status, () => 'nothing')")
                assert got == "nothing", (host, path, got)
        # What needs no preflight is sent, and refused.
        page.run(f"fetch('{self.gateway}/v1/pairings', {{ method: 'POST', mode: 'no-cors', body: '{{}}' }}).catch(() => 0).then(() => 1)")
        assert "No page waits" in self.bench.swipectl("pairings")
        frame = ("new Promise((resolve) => { const frame = document.createElement('iframe'); %s onmessage = (event) => resolve(event.data);"
                 " frame.srcdoc = `<script>const s = new WebSocket('%s', ['swipe.1']); s.onmessage = () => parent.postMessage('a line', '*');"
                 " s.onclose = () => parent.postMessage('closed', '*')</` + 'script>'; document.body.append(frame); })")
        for sandbox in ("", "frame.sandbox = 'allow-scripts';"):
            assert page.run(frame % (sandbox, f"ws://localhost:{port}/v1/socket")) == "closed", sandbox
        # The live page in a frame of another page: not shown.
        page.run("new Promise((resolve) => { const frame = document.createElement('iframe');"
                 f" frame.src = '{self.gateway}/'; frame.onload = resolve; document.body.append(frame); setTimeout(resolve, 2000); }})"
                 ".then(() => true)")
        page.close()
        for reason in ("origin.foreign", "origin.null", "host.foreign"):
            assert f"reason={reason}" in self.bench.log("swiped-web"), reason

    def rebound_name(self, browser: Chromium) -> None:
        """A name that leads to the gateway itself: what comes is a refusal, and nothing that a page of that name could use."""
        page = browser.page(f"http://rebind.example:{self.bench.port}/")
        text = page.text()
        assert "host.foreign" in text, text
        assert page.run(self.OPEN % f"ws://rebind.example:{self.bench.port}/v1/socket") == "closed 1006"
        assert page.run("localStorage.length") == 0
        page.close()

    # The live page

    def live_page(self, browser: Chromium) -> None:
        page = browser.page(self.gateway + "/")
        page.until("!document.getElementById('pairing').hidden")
        # By keyboard alone: the link over the head, then the button.
        page.key("Tab")
        page.key("Tab")
        assert page.run("document.activeElement.id") == "pair", page.run("document.activeElement.outerHTML")
        page.key("Enter")
        self.pair(page, "--operator")
        page.until("document.getElementById('who').textContent.includes('operator')")
        for reader in ("virtual-till", "virtual-desk"):
            self.bench.simulate("connect", reader)
        page.until("document.querySelectorAll('#reader-list > li.ready').length === 2")
        for card in ("visa", "mastercard", "visa"):
            self.bench.simulate("swipe", card=card)
        page.until("document.querySelectorAll('#swipe-list > li').length === 3")
        assert MASKED in page.text()
        page.until("document.querySelectorAll('#counters tbody tr').length >= 2")
        # A page that asks is let in here as well.
        till = browser.page(f"{self.origin}/blank.html")
        till.run("localStorage.clear()")
        till.run(f"(async () => {{ const {{ Swiped }} = await import('./swiped.js'); window.client = new Swiped({{ url: '{self.gateway}' }});"
                 " window.paired = client.pair({ show() {} }); })()")
        page.until("document.querySelector('#page-list button') !== null")
        page.run("document.querySelector('#page-list button').click()")
        assert till.run("paired.then(() => true)")
        till.close()
        page.until("document.querySelector('#page-list button') === null")
        names = [node.get("name", {}).get("value") for node in page.accessible() if not node.get("ignored")]
        for name in ("Card readers", "Readers", "Last swipes", "Counters"):
            assert name in names, name
        assert page.run("performance.getEntriesByType('resource').every((entry) => entry.name.startsWith(location.origin) || entry.name.startsWith('data:'))")
        if self.pictures:
            page.picture(f"{self.pictures}/live-light.png")
        page.close()
        for dark in (False, True):
            narrow = browser.page(self.gateway + "/", width=320, height=900, dark=dark)
            narrow.until("document.querySelectorAll('#reader-list > li').length === 2")
            self.bench.simulate("swipe")
            narrow.until("document.querySelectorAll('#swipe-list > li').length === 1")
            wide = narrow.run("document.documentElement.scrollWidth")
            assert wide <= 320, wide
            if self.pictures and dark:
                for _ in range(2):
                    self.bench.simulate("swipe")
                narrow.until("document.querySelectorAll('#swipe-list > li').length === 3")
                narrow.picture(f"{self.pictures}/live-narrow-dark.png")
            narrow.close()

    def live_page_that_listens(self, browser: Chromium) -> None:
        """Without an operator's session it shows the same, and says nothing to the daemon."""
        page = browser.page(f"http://127.0.0.1:{self.bench.port}/")
        page.until("!document.getElementById('pairing').hidden")
        page.run("document.getElementById('pair').click()")
        self.pair(page)
        page.until("document.getElementById('who').textContent.includes('only listens')")
        page.until("document.querySelectorAll('#reader-list > li').length === 2")
        self.bench.simulate("swipe")
        page.until("document.querySelectorAll('#swipe-list > li').length === 1")
        page.until("document.querySelectorAll('#counters tbody tr').length >= 2")
        page.close()

    def tls(self) -> None:
        """What swiped-web-authority makes is good for the loopback, and for nothing else."""
        folder = self.files / "tls"
        subprocess.run([str(ROOT / "scripts" / "swiped-web-authority"), str(folder)], check=True, capture_output=True)
        bench = Bench(self.bench.products)
        bench.set_gateway(f"[tls]\ncertificate = {folder}/certificate.pem\nkey = {folder}/key.pem\n")
        try:
            port = bench.start_gateway(0, "--listen-tls", "127.0.0.1:0")
            said = bench.log("swiped-web")
            port = int(said.split("ports=")[-1].split()[0].strip('"').split(",")[1])
            context = ssl.create_default_context(cafile=str(folder / "authority.pem"))
            for name in ("localhost", "127.0.0.1"):
                with socket.create_connection(("127.0.0.1", port)) as plain, context.wrap_socket(plain, server_hostname=name) as page:
                    page.sendall(f"GET / HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n".encode())
                    assert page.recv(4096).startswith(b"HTTP/1.1 200"), name
            for name in ("attacker.example", "localhost.attacker.example"):
                try:
                    with socket.create_connection(("127.0.0.1", port)) as plain, context.wrap_socket(plain, server_hostname=name):
                        raise Failed(f"the certificate is good for {name}")
                except ssl.SSLCertVerificationError:
                    pass
        finally:
            bench.close()

    def firefox(self) -> None:
        browser = Firefox()
        try:
            self.bench.simulate("disconnect", "virtual-desk")
            self.plug_in()
            browser.go(self.till_url())
            self.pair(browser)
            self.till_pays(browser)
            browser.go(f"{self.origin}/blank.html")
            browser.run(COLLECT % self.gateway)
            browser.until("window.seen.some((event) => event.event === 'snapshot')")
            self.bench.stop("swiped-web")
            browser.until("window.states.includes('waiting')")
            self.plug_in()
            self.bench.start_gateway(self.bench.port)
            browser.until("window.seen.some((event) => event.event === 'ready')")
            numbers = browser.run("window.seen.filter((event) => event.seq).map((event) => event.seq)")
            assert numbers == list(range(numbers[0], numbers[-1] + 1)), numbers
        finally:
            browser.close()

    def close(self) -> None:
        self.bench.close()
        self.till.close()
        self.foreign.close()
        shutil.rmtree(self.files, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("products", type=Path)
    parser.add_argument("--pictures", default="")
    options = parser.parse_args()
    run = Run(options.products, options.pictures)
    try:
        run.check("tls: the authority's certificate", run.tls)
        if shutil.which("chromium"):
            browser = Chromium("--host-resolver-rules=MAP *.example 127.0.0.1")
            try:
                for name in ("first_visit", "two_tabs", "comes_back", "foreign_pages", "rebound_name", "live_page",
                             "live_page_that_listens"):
                    run.check(f"chromium: {name.replace('_', ' ')}", lambda name=name: getattr(run, name)(browser))
            finally:
                browser.close()
        else:
            print("  skip    chromium is not installed")
        if shutil.which("firefox-esr"):
            run.check("firefox: the client's basic run", run.firefox)
        else:
            print("  skip    firefox-esr is not installed")
    finally:
        if run.failures:
            print(run.bench.log("swiped-web")[-4000:])
        run.close()
    print(f"{run.count - len(run.failures)} passed, {len(run.failures)} failed")
    return 1 if run.failures or not run.count else 0


if __name__ == "__main__":
    sys.exit(main())
