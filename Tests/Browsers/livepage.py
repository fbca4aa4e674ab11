"""The live page: what it shows, by keyboard and for screen readers; its pictures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from chromium import Chromium, Page
from programs import Bench, until
from tills import MASKED

if TYPE_CHECKING:
    from browsers import Run

ACCESSIBILITY = (Path(__file__).parent / "accessibility.js").read_text()
TRACK = ";4761730000000011=24122011303130600000?"
# Heads at sound inputs, a reader that asks before it is powered, a line that is not there.
DAEMON = """[virtual-audio counter]
source = {}/sound
rate = 48000
[virtual-audio worn-head]
source = {}/worn
rate = 48000
[virtual-audio jack]
type = unimag
source = {}/heard
sink = {}/played
jack = {}/jack
volume = {}/volume
prompt_timeout_s = 600
[serial-reader wedge]
device = /dev/serial/by-id/there-is-none
type = text-line
"""


def accessible(page: Page) -> None:
    complaints = page.run(ACCESSIBILITY)
    assert not complaints, complaints


class Spoken:
    """The page as Chromium tells it to a screen reader."""

    def __init__(self, page: Page) -> None:
        self._all = {node["nodeId"]: node for node in page.accessible()}
        self.nodes = [node for node in self._all.values() if not node.get("ignored")]

    @staticmethod
    def role(node: dict) -> str:
        return node.get("role", {}).get("value", "")

    @staticmethod
    def name(node: dict) -> str:
        return node.get("name", {}).get("value", "")

    @staticmethod
    def property(node: dict, name: str) -> object:
        return next((each["value"].get("value") for each in node.get("properties", []) if each["name"] == name), None)

    def named(self, role: str) -> list:
        return [self.name(node) for node in self.nodes if self.role(node) == role]

    def text(self, node: dict) -> str:
        """All that is said of it."""
        words = "" if self.role(node) != "StaticText" else self.name(node) + " "
        return words + "".join(self.text(self._all[child]) for child in node.get("childIds", []) if child in self._all)

    def live(self, how: str) -> str:
        """What is said as it changes, so urgently; nothing where no such region is there."""
        return " ".join(self.text(node) for node in self.nodes if self.property(node, "live") == how)

    def regions(self, role: str) -> int:
        return sum(1 for node in self.nodes if self.role(node) == role)


def spoken(page: Page, readers: list) -> Spoken:
    """Roles, names and levels of what there is, whatever it looks like."""
    told = Spoken(page)
    assert told.regions("main") == 1 and told.regions("banner") == 1, [told.role(node) for node in told.nodes]
    for region in ("Readers", "Last swipes", "Counters"):
        assert region in told.named("region"), told.named("region")
    levels = {told.name(node): told.property(node, "level") for node in told.nodes if told.role(node) == "heading"}
    assert levels["Card readers"] == 1 and levels["Readers"] == 2, levels
    for reader in readers:
        assert levels[reader] == 3 and reader in told.named("rowheader"), (levels, told.named("rowheader"))
    assert told.named("columnheader") == ["Reader", "Good", "Failed", "Unreadable", "Undelivered"], told.named("columnheader")
    assert told.regions("listitem") >= len(readers), told.regions("listitem")
    for node in told.nodes:
        if told.role(node) in ("button", "link", "img", "image"):
            assert told.name(node), node
        if told.property(node, "focusable") and told.role(node) != "RootWebArea":
            assert told.name(node), node
    # What is said as it changes is there before it does.
    assert told.regions("log") == 1 and told.regions("alert") == 1 and told.regions("status") >= 1
    return told


def operator(run: Run, browser: Chromium) -> None:
    page = browser.page(run.gateway + "/")
    page.until("!document.getElementById('pairing').hidden")
    accessible(page)
    assert "No reader" not in page.text(), page.text()
    # By keyboard alone: the button is first, as there is nothing to skip to yet.
    page.key("Tab")
    assert page.run("document.activeElement.id") == "pair", page.run("document.activeElement.outerHTML")
    page.key("Enter")
    run.pair(page, "--operator")
    page.until("document.getElementById('who').textContent.includes('operator')")
    assert page.run("document.activeElement.id") == "readers-heading", page.run("document.activeElement.outerHTML")
    for reader in ("virtual-till", "virtual-desk"):
        run.bench.simulate("connect", reader)
    page.until("document.querySelectorAll('#reader-list > li.ready').length === 2")
    for card in ("visa", "mastercard", "visa"):
        run.bench.simulate("swipe", card=card)
    page.until("document.querySelectorAll('#swipe-list > li').length === 3")
    assert MASKED in page.text()
    page.until("document.querySelectorAll('#counters tbody tr').length >= 2")
    # A page that asks is let in here as well.
    till = browser.page(f"{run.origin}/blank.html")
    till.run("localStorage.clear()")
    till.run(f"(async () => {{ const {{ Swiped }} = await import('./swiped.js'); window.client = new Swiped({{ url: '{run.gateway}' }});"
             " window.paired = client.pair({ show() {} }); })()")
    page.until("document.querySelector('#page-list button') !== null")
    accessible(page)
    page.run("document.querySelector('#page-list button').click()")
    assert till.run("paired.then(() => true)")
    till.close()
    page.until("document.querySelector('#page-list button') === null")
    told = spoken(page, ["virtual-till", "virtual-desk"])
    for sentence in ("virtual-till: ready for a swipe", "virtual-desk: ready for a swipe", "asks to be paired", MASKED):
        assert sentence in told.live("polite"), (sentence, told.live("polite"))
    assert told.live("assertive").strip() == "", told.live("assertive")
    loaded = page.run("performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert all(name.startswith(run.gateway) or name.startswith("data:") for name in loaded), loaded
    # Left and come back to, it has forgotten the swipes.
    page.go(f"{run.origin}/blank.html")
    page.back("location.pathname === '/' && document.getElementById('who')?.textContent.includes('operator')")
    assert page.run("document.querySelectorAll('#swipe-list > li').length") == 0
    # Without the daemon it says so.
    run.bench.stop("swiped")
    page.until("document.getElementById('problem-list').textContent.includes('The daemon does not answer')")
    run.bench.start_daemon()
    page.until("document.getElementById('problems').hidden")
    page.close()


def listener(run: Run, browser: Chromium) -> None:
    """Without an operator's session it shows the same, and says nothing to the daemon."""
    page = browser.page(f"http://127.0.0.1:{run.bench.port}/")
    page.until("!document.getElementById('pairing').hidden")
    page.run("document.getElementById('pair').click()")
    run.pair(page)
    page.until("document.getElementById('who').textContent.includes('only listens')")
    for reader in ("virtual-till", "virtual-desk"):
        run.bench.simulate("connect", reader)
    page.until("document.querySelectorAll('#reader-list > li').length === 2")
    run.bench.simulate("swipe")
    page.until("document.querySelectorAll('#swipe-list > li').length === 1")
    page.until("document.querySelectorAll('#counters tbody tr').length >= 2")
    accessible(page)
    # Out again, it shows nothing of a card.
    token = page.run("localStorage.getItem(`swiped.token ${location.origin}`)")
    run.bench.swipectl("revoke", token.split(".")[0])
    page.until("!document.getElementById('pairing').hidden")
    assert page.run("document.querySelectorAll('.number, #reader-list > li').length") == 0
    page.close()


SPEEDS_AND_LEVELS = (("18", "30"), ("32", "26"), ("55", "22"), ("40", "34"))


def swipes(bench: Bench, page: Page, times: int) -> None:
    """Of several speeds and levels, on a bare head. The level is known by the noise before and after, for a second or two."""
    begun = page.run("document.querySelectorAll('#swipe-list > li').length")
    for count, (speed, snr) in enumerate(SPEEDS_AND_LEVELS[:times], begun + 1):
        bench.play(TRACK, "--speed", speed, "--snr", snr, "--silence", "2", "--seed", str(count))
        page.until(f"document.querySelectorAll('#swipe-list > li').length === {min(count, 12)}")
    points = page.run("document.querySelectorAll('.level-dot').length")
    assert points >= 2 and "NaN" not in page.run("document.getElementById('drawing').innerHTML"), points


def everything(run: Run, browser: Chromium) -> None:
    """Questions, problems and curves, wide and narrow, light and dark: looked at by rules here, by people in docs/."""
    bench = Bench(run.bench.products, daemon=DAEMON)
    try:
        for name in ("heard", "played", "jack", "sound", "worn"):
            os.mkfifo(bench.folder / name)
        (bench.folder / "volume").write_text(" 40  40 1 1\n")
        bench.start_gateway()
        url = f"http://localhost:{bench.port}/"
        page = browser.page(url)
        page.until("!document.getElementById('pairing').hidden")
        page.run("document.getElementById('pair').click()")
        code = page.until("(document.body.innerText.match(/\\d{3}-\\d{3}/) || [])[0]")
        if run.pictures:
            page.picture(f"{run.pictures}/live-pairing.png")
        bench.swipectl("pair", "--operator", code)
        page.until("document.getElementById('who').textContent.includes('operator')")
        bench.simulate("connect")
        # A card that cannot be read, and so the doctor's words.
        until("the heads", lambda: sum(reader["state"] == "ready" for reader in bench.ask("readers")["readers"]) >= 3)
        for seed in range(3):
            bench.play(TRACK, "--lost", "20", "--snr", "4", "--seed", str(seed), pipe="worn")
            page.until(f"document.querySelectorAll('#swipe-list > li').length === {seed + 1}")
        swipes(bench, page, 4 if run.pictures else 2)
        with open(bench.folder / "jack", "w", encoding="utf-8") as jack:
            jack.write("1")
        page.until("document.querySelector('#prompt-list button') !== null")
        question = page.run("document.querySelector('#prompt-list p').textContent")
        assert question and question in Spoken(page).live("assertive"), Spoken(page).live("assertive")
        page.until("document.getElementById('problem-list').textContent.includes('The serial line is not there')")
        page.until("document.getElementById('problem-list').textContent.includes('No swipe could be read')")
        page.until("document.querySelectorAll('#counters tbody tr').length >= 3")
        accessible(page)
        if run.pictures:
            page.picture(f"{run.pictures}/live-light.png")
        for dark, width in ((True, 1100), (False, 320), (True, 320)):
            other = browser.page(url, width=width, height=900, dark=dark)
            other.until("document.querySelectorAll('#reader-list > li').length >= 4")
            other.until("document.querySelectorAll('#problem-list > li').length >= 2")
            other.until("document.querySelectorAll('#counters tbody tr').length >= 3")
            if run.pictures:
                swipes(bench, other, 4)
            else:
                bench.play(TRACK)
                other.until("document.querySelectorAll('#swipe-list > li').length === 1")
            accessible(other)
            if run.pictures:
                other.picture(f"{run.pictures}/live-{'dark' if dark else 'light'}{'-narrow' if width == 320 else ''}.png")
            other.close()
        answer_by_keyboard(page)
        page.close()
    finally:
        bench.close()


def answer_by_keyboard(page: Page) -> None:
    """From the top to the question's "No": no more keys than there are buttons before it."""
    page.run("document.activeElement.blur()")
    for _ in range(8):
        page.key("Tab")
        if page.run("document.activeElement.textContent") == "No":
            break
    assert page.run("document.activeElement.textContent") == "No", page.run("document.activeElement.outerHTML")
    assert page.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.key("Enter")
    page.until("document.getElementById('prompts').hidden")
    assert page.run("document.activeElement.id") == "readers-heading", page.run("document.activeElement.outerHTML")
