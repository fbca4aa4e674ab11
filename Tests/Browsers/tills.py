"""Pages that may: tills that pay, two tabs and one claim, restarts, a page that was written for readers that type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chromium import Chromium
from driven import DrivenPage
from firefox import Firefox
from programs import CLIENTS, until

if TYPE_CHECKING:
    from browsers import Run

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


def pays(run: Run, page: DrivenPage, receipts: int = 1) -> str:
    """One sale; the text of its receipt."""
    page.until("document.getElementById('pay').disabled === false")
    page.run("document.getElementById('pay').click()")
    page.until("document.getElementById('state').textContent.startsWith('Swipe the card')")
    run.bench.simulate("swipe")
    page.until(f"document.getElementById('receipts').children.length === {receipts}")
    return page.run("document.getElementById('receipts').lastChild.textContent")


def pays_masked(run: Run, page: DrivenPage) -> None:
    receipt = pays(run, page)
    assert f"12.50 approved: {MASKED}" in receipt, receipt
    payment = run.till.payments[-1]
    assert payment["amount"] == "12.50" and payment["card"]["pan"]["masked"] == MASKED, payment
    assert "number" not in payment["card"]["pan"] and "undefined" not in payment["id"], payment


def first_visit(run: Run, browser: Chromium) -> None:
    run.plug_in()
    page = browser.page(run.till_url())
    # A gateway that is started anew while the code is shown does not know it: the page shows another one.
    code = page.until("(document.body.innerText.match(/\\d{3}-\\d{3}/) || [])[0]")
    run.bench.stop("swiped-web")
    run.bench.start_gateway(run.bench.port)
    page.until(f"/\\d{{3}}-\\d{{3}}/.test(document.body.innerText) && !document.body.innerText.includes('{code}')")
    run.pair(page)
    pays_masked(run, page)
    # What it said before an interruption it says again after it.
    run.bench.stop("swiped-web")
    page.until("document.getElementById('state').textContent.startsWith('The readers do not answer')")
    run.bench.start_gateway(run.bench.port)
    page.until("document.getElementById('state').textContent === 'Done.'")
    page.close()
    again = browser.page(run.till_url())  # it is known now
    again.until("document.getElementById('state').textContent === 'Ready.'")
    again.close()


def sandbox_payment(run: Run, browser: Chromium) -> None:
    """Checkout's sandbox charges what was swiped: a card that it takes, and one that it does not know."""
    assert run.sandbox
    run.plug_in()
    page = browser.page(run.till_url(run.payer))
    run.pair(page)
    receipt = pays(run, page)
    assert f"12.50 approved: {MASKED}" in receipt, receipt
    page.run("document.getElementById('amount').value = '3.05'; true")
    assert "3.05 approved" in pays(run, page, receipts=2)
    charges = run.sandbox.charges()
    assert [(charge["amount"], charge["first6"], charge["last4"]) for charge in charges] == [
        (1250, "476173", "0011"), (305, "476173", "0011")], charges
    page.run("document.getElementById('pay').click()")
    page.until("document.getElementById('state').textContent.startsWith('Swipe the card')")
    run.bench.simulate("swipe", card="mastercard")
    page.until("document.getElementById('receipts').children.length === 3")
    assert "refused" in page.run("document.getElementById('receipts').lastChild.textContent")
    # The same sale once more, as after an answer that was lost: it is not charged again.
    run.sandbox.pay(run.payer.payments[0])
    assert len(run.sandbox.charges()) == 2, run.sandbox.charges()
    page.close()


def two_tabs(run: Run, browser: Chromium) -> None:
    tabs = [browser.page(f"{run.origin}/blank.html") for _ in range(2)]
    for tab in tabs:
        tab.run(COLLECT % run.gateway)
    claim = "client.withClaim('virtual-till', async (claim) => { window.held = claim; await window.done; }, { mode: 'try' })"
    tabs[0].run("window.done = new Promise((resolve) => { window.finish = resolve; }); window.first = " + claim + "; true")
    tabs[0].until("window.held !== undefined")
    refused = tabs[1].run(f"{claim}.then(() => 'claimed', (error) => error.code)")
    assert refused == "claim.held", refused
    tabs[0].run("window.finish(); window.first.then(() => true)")
    again = tabs[1].run(f"window.done = Promise.resolve(); {claim}.then(() => 'claimed', (error) => error.code)")
    assert again == "claimed", again
    # A tab that goes without a word releases what it held.
    tabs[0].run("window.done = new Promise(() => {}); window.held = undefined; " + claim + "; true")
    tabs[0].until("window.held !== undefined")
    tabs[0].close()
    until("the claim's end", lambda: not any("claimed_by" in reader for reader in run.bench.ask("readers")["readers"]))
    tabs[1].close()


def goes_on(run: Run, page: DrivenPage) -> None:
    """The gateway is restarted, and the page has every number once."""
    page.run(COLLECT % run.gateway)
    page.until("window.seen.some((event) => event.event === 'snapshot')")
    run.plug_in()
    page.until("window.seen.some((event) => event.event === 'ready')")
    run.bench.stop("swiped-web")
    page.until("window.states.includes('waiting')")
    run.plug_in()  # while it is away
    run.bench.start_gateway(run.bench.port)
    last = run.bench.ask("stats")["server"]["events_published"]
    page.until(f"window.seen.some((event) => event.seq >= {last})")
    numbers = page.run("window.seen.filter((event) => event.seq).map((event) => event.seq)")
    assert numbers == list(range(numbers[0], numbers[-1] + 1)), numbers
    assert page.run("window.seen.filter((event) => event.event === 'gap').length") == 0


def comes_back(run: Run, browser: Chromium) -> None:
    page = browser.page(f"{run.origin}/blank.html")
    goes_on(run, page)
    # The daemon too: what is missing is named, and the readers come as they are.
    before = page.run("seen.length")
    run.bench.stop("swiped")
    run.bench.start_daemon()
    page.until(f"seen.slice({before}).some((event) => event.event === 'gap' && event.data.reason === 'restart')")
    page.until(f"seen.slice({before}).some((event) => event.event === 'snapshot')")
    run.plug_in()
    page.until(f"seen.slice({before}).some((event) => event.event === 'ready')")
    page.close()


# Loops and requests of a page whose gateway is away; `given up` and `slow` need none.
AWAY = """(async () => {
  const { Swiped } = await import('./swiped.js');
  window.client = new Swiped({ url: '%s' });
  window.seen = []; window.states = [];
  client.onstate = (state) => states.push(state);
  (async () => { for await (const event of client.events({ events: ['swipe'] })) seen.push(event); })();
  await client.request('ping'); // the loop has begun when this is answered
  return true;
})()"""
GIVEN_UP = """(async () => {
  const signal = AbortSignal.abort();
  for await (const event of client.events({ signal })) return `event ${event.event}`;
  return Promise.all([client.request('ping', undefined, { signal }), client.pair({ show() {}, signal })]
    .map((asked) => asked.then(() => 'answered', (error) => error.code)));
})()"""
SLOW = """(async () => {
  const [loops, slow] = [client._queues.size, client.events()];
  for (let count = 0; count <= 1024; count += 1) client._deliver({ event: 'ready' });
  let got = 0;
  try { for (; ; got += 1) if ((await slow.next()).done) return 'no failure'; } catch (error) {
    return [error.code, got, client._queues.size - loops].join();
  }
})()"""


def gateway_away(run: Run, browser: Chromium) -> None:
    """What comes while the gateway is away is named to a loop that had seen nothing yet; what is asked then is answered later."""
    run.plug_in()
    page = browser.page(f"{run.origin}/blank.html")
    page.run(AWAY % run.gateway)
    run.bench.stop("swiped-web")
    page.until("states.includes('waiting')")
    page.run("window.asked = client.readers().then((readers) => readers.map(({ id }) => id).join(), (error) => `${error}`); true")
    run.bench.simulate("swipe")
    run.bench.start_gateway(run.bench.port)
    asked = page.run("asked")
    assert "virtual-till" in asked.split(","), asked
    page.until("seen.some((event) => event.event === 'gap' && event.data.reason === 'not_kept')")
    run.bench.simulate("swipe")
    page.until("seen.some((event) => event.event === 'swipe')")
    given_up = page.run(f"Promise.race([{GIVEN_UP}, new Promise((resolve) => setTimeout(resolve, 3000, 'waits'))])")
    assert given_up == ["aborted", "aborted"], given_up
    # One page claims a reader once, and an event that there is not ends its own loop alone.
    twice = page.run("client.withClaim('virtual-till', () => client.withClaim('virtual-till', () => 'twice').catch((error) => error.code))")
    assert twice == "claim.held", twice
    misspelt = page.run("(async () => { for await (const event of client.events({ events: ['swpie'] })) return event.event; })()"
                        ".catch((error) => error.code)")
    assert misspelt == "params.invalid", misspelt
    seen = page.run("seen.length")
    run.bench.simulate("swipe")
    page.until(f"seen.length > {seen}")
    slow = page.run(SLOW)
    assert slow == "too_slow,1024,0", slow
    # The readers come once to a loop that asks for them, also where another one begins.
    shown = page.run("""(async () => {
      let [shown, began] = [0, null];
      const first = new Promise((resolve) => { began = resolve; });
      (async () => { for await (const event of client.events({ snapshot: true })) if (event.event === 'snapshot') { shown += 1; began(); } })();
      await first;
      client.events({ events: ['swipe'] });
      await client.request('ping');
      return shown;
    })()""")
    assert shown == 1, shown
    page.close()


# A page that knows nothing of swiped: what is typed into its field, and Enter, is a sale.
KEYBOARD_PAGE = """<!DOCTYPE html><title>Old</title><form onsubmit="sold.push(card.value); card.value = ''; return false">
<input id="card" autofocus><input id="other"></form><script>window.sold = []; window.noticed = 0;
card.addEventListener('input', () => { noticed += 1; });
</script>"""


def keyboard_page(run: Run, browser: Chromium) -> None:
    """The user script, injected as an extension does it, with the client's text in place of its import."""
    (run.files / "old.html").write_text(KEYBOARD_PAGE)
    script = (CLIENTS / "keyboard.user.js").read_text()
    line = "const swiped = new Swiped();"
    assert line in script
    script = script.replace(line, f"const swiped = window.swiped = new Swiped({{ url: '{run.gateway}' }});")
    run.plug_in()
    page = browser.page("about:blank#")
    page.before("addEventListener('DOMContentLoaded', () => {" + script + "});")
    page.go(f"{run.origin}/old.html")
    page.run("document.getElementById('card').focus()")
    until("the page's connection", lambda: run.bench.ask("stats")["server"]["connections_open"] >= 2)
    page.run("new Promise((resolve) => setTimeout(resolve, 300))")
    run.bench.simulate("swipe")
    page.until("window.sold.length === 1")
    sold = page.run("window.sold[0]")
    assert MASKED in sold and sold.startswith("%B"), sold
    assert page.run("window.noticed") >= 1
    page.run("swiped._deliver({ event: 'swipe', data: { tracks: [{ track: 1, status: 'no_start_sentinel' }] } })")  # not readable: no Enter
    page.run("document.activeElement.blur()")
    run.bench.simulate("swipe")  # nowhere to type: nothing happens
    page.run("new Promise((resolve) => setTimeout(resolve, 300))")
    assert page.run("[window.sold.length, card.value, other.value].join()") == "1,,"
    page.close()


def basic_run(run: Run) -> None:
    """Firefox: pairing, a payment, a restart of the gateway."""
    browser = Firefox()
    try:
        run.bench.simulate("disconnect", "virtual-desk")
        run.plug_in()
        browser.go(run.till_url())
        run.pair(browser)
        pays_masked(run, browser)
        browser.go(f"{run.origin}/blank.html")
        goes_on(run, browser)
    finally:
        browser.close()
