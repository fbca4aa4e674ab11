"""Pages that may not, in a real browser. What a program may not that says it is a page: Tests/SwipedWebTests/AttackTests.swift."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from chromium import Chromium
from programs import until

if TYPE_CHECKING:
    from browsers import Run

OPEN = """new Promise((resolve) => {
  const socket = new WebSocket('%s', ['swipe.1']);
  socket.onmessage = () => resolve('a line'); socket.onclose = (event) => resolve(`closed ${event.code}`);
  socket.onerror = () => setTimeout(resolve, 1000, 'not opened'); // a policy (CSP) says no more than that
})"""


def requests(run: Run) -> int:
    """How many the gateway has read until now."""
    now, path = time.time(), run.bench.folder / "metrics.prom"
    until("the metrics", lambda: path.stat().st_mtime > now)
    return next(int(line.split()[1]) for line in path.read_text().splitlines() if line.startswith("swiped_web_requests_total"))


def foreign_pages(run: Run, browser: Chromium) -> None:
    port = run.bench.port
    page = browser.page(f"http://attacker.example:{run.foreign.port}/blank.html")
    for host in ("localhost", "127.0.0.1", "rebind.example", "127.0.0.1.attacker.example", "localhost."):
        assert page.run(OPEN % f"ws://{host}:{port}/v1/socket") == "closed 1006", host
        for path in ("/", "/v1/session", "/v1/events", "/v1/problems"):
            got = page.run(f"fetch('http://{host}:{port}{path}').then((answer) => answer.status, () => 'nothing')")
            assert got == "nothing", (host, path, got)
    # What needs no preflight is sent, and refused.
    page.run(f"fetch('{run.gateway}/v1/pairings', {{ method: 'POST', mode: 'no-cors', body: '{{}}' }}).catch(() => 0).then(() => 1)")
    assert "No page waits" in run.bench.swipectl("pairings")
    # The live page's files as a script, a style, a picture of this page: not run, not seen.
    for kind, path in (("script", "live.js"), ("link", "live.css"), ("img", "")):
        loaded = page.run(
            f"new Promise((resolve) => {{ const it = document.createElement('{kind}'); it.rel = 'stylesheet'; it.onload = () => resolve('loaded');"
            f" it.onerror = () => resolve('nothing'); it.src = it.href = '{run.gateway}/{path}'; document.head.append(it); }})")
        assert loaded == "nothing", (kind, loaded)
    frame = ("new Promise((resolve) => { const frame = document.createElement('iframe'); %s onmessage = (event) => resolve(event.data);"
             " frame.srcdoc = `<script>const s = new WebSocket('%s', ['swipe.1']); s.onmessage = () => parent.postMessage('a line', '*');"
             " s.onclose = () => parent.postMessage('closed', '*')</` + 'script>'; document.body.append(frame); })")
    for sandbox in ("", "frame.sandbox = 'allow-scripts';"):
        assert page.run(frame % (sandbox, f"ws://localhost:{port}/v1/socket")) == "closed", sandbox
    # The live page in a frame of another page: it is asked for, and not shown, so nothing that belongs to it is asked for.
    before = requests(run)
    page.run("new Promise((resolve) => { const frame = document.createElement('iframe');"
             f" frame.src = '{run.gateway}/'; frame.onload = () => resolve(true); document.body.append(frame); setTimeout(resolve, 2000, true); }})")
    assert requests(run) == before + 1
    # In a window of its own it is shown, and another page cannot hold on to it.
    page.run(f"window.other = open('{run.gateway}/'); true")
    assert page.run("window.other !== null")
    page.until("window.other.closed")
    assert requests(run) >= before + 4
    page.close()
    for reason in ("origin.foreign", "origin.null", "host.foreign", "fetch.cross_site"):
        assert f"reason={reason}" in run.bench.log("swiped-web"), reason


def rebound_name(run: Run, browser: Chromium) -> None:
    """A name that leads to the gateway itself: what comes is a refusal, and nothing that a page of that name could use."""
    page = browser.page(f"http://rebind.example:{run.bench.port}/")
    text = page.text()
    assert "host.foreign" in text, text
    assert page.run(OPEN % f"ws://rebind.example:{run.bench.port}/v1/socket") == "not opened"  # by the policy of what was answered
    assert page.run("localStorage.length") == 0
    page.close()


def another_till(run: Run, browser: Chromium) -> None:
    """A page of an origin that may, with the token of another one that may."""
    page = browser.page(f"{run.origin}/blank.html")
    token = page.run(f"localStorage.getItem('swiped.token {run.gateway}')")
    assert token
    page.close()
    thief = browser.page(f"http://localhost:{run.payer.port}/blank.html")
    code = thief.run(
        f"import('./swiped.js').then(({{ Swiped }}) => new Swiped({{ url: '{run.gateway}', token: '{token}', storage: null }}).session())"
        ".then(() => 'in', (error) => error.code)")
    assert code == "token.other_origin", code
    thief.close()
    assert "reason=token.other_origin" in run.bench.log("swiped-web")
