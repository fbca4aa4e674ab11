#!/usr/bin/env python3
"""A till: holds one reader, says what is swiped on it, and claims it again after it was lost.

    python3 till.py READER [SOCKET]

While the till holds the reader, no other client sees its cards in full. It loses the reader when another program asks for
it (and the till does not say ``retain``, as it would in the middle of a sale), when the reader is unplugged, and when the
daemon ends. Each time it waits and claims the reader again. Needs a role above ``status``; see docs/protocol.md, Claims.
"""

from __future__ import annotations

import os
import sys
import time

from swiped import DEFAULT_PATH, Client, SwipedError

RETRY_SECONDS = 1.0


class Till:
    """What a till knows from one connection to the next."""

    EVENTS = ("swipe", "connect", "claim_released")

    def __init__(self, reader: str) -> None:
        self.reader = reader
        # Of the latest claim: where the daemon keeps readers for a while (swipe_hold), it gets our reader again.
        self.token: str | None = None

    def run(self, client: Client) -> None:
        self.client = client
        self.connection = client.hello["you"]["connection"]
        self.holds = False
        # First the events, then the claim: what happens in between is not missed.
        self.client.subscribe(*self.EVENTS, readers=[self.reader])
        self.claim()
        while True:
            event = self.client.next_event()
            if event.event == "swipe" and self.holds:
                self.take(event.data["card"])
            elif event.event == "claim_released":
                self.released(event.data["why"], event.data["holder"]["connection"])
            elif event.event == "connect" and not self.holds:
                self.claim()

    def claim(self) -> None:
        """Claims the reader where it is free. Where it is not, an event says later that it is."""
        try:
            self.token = self.client.claim(self.reader, mode="try", token=self.token)
        except SwipedError as error:
            if error.code not in ("claim.held", "reader.unknown", "reader.gone"):
                raise
            say(f"waiting for the reader: {error.code}")
        else:
            self.holds = True
            say("please swipe")

    def take(self, card: dict | None) -> None:
        if card is None:
            say("not readable: please swipe again")
        else:
            say("thank you: " + card.get("pan", {}).get("masked", card["kind"]))

    def released(self, why: str, holder: int) -> None:
        if holder == self.connection:
            self.holds = False
            say(f"lost the reader: {why}")
        if why != "taken":  # then no client holds it now
            self.claim()


def say(words: str) -> None:
    try:
        print(words, flush=True)
    except OSError as error:
        # A till that cannot say anything ends, and the reader goes back. What is left in the buffer is not tried again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(f"till: standard output: {error.strerror}")


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print("usage: till.py READER [SOCKET]", file=sys.stderr)
        return 2
    path = sys.argv[2] if len(sys.argv) == 3 else DEFAULT_PATH
    till = Till(sys.argv[1])
    while True:
        try:
            with Client(path) as client:
                till.run(client)
        except SwipedError as error:
            if error.code in ("denied", "access.denied"):
                print(f"till: {error}", file=sys.stderr)
                return 1
            say(f"waiting for the daemon: {error.code}")
        except OSError as error:
            say(f"waiting for the daemon: {error.strerror}")
        except KeyboardInterrupt:
            return 0
        time.sleep(RETRY_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
