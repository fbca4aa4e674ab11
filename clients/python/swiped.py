"""A client for swiped, the magnetic-stripe reader daemon. One file, standard library only, Python 3.9 or later.

    from swiped import Client

    with Client() as client:
        for event in client.events("swipe"):
            print(event.data["card"])

Run as a program it prints the daemon's events, one JSON object a line:  python3 swiped.py [SOCKET]
"""

from __future__ import annotations

import json
import socket
import sys
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Deque, Dict, Iterator, List, Optional

DEFAULT_PATH = "/run/swiped/swiped.sock"
PROTOCOL = "swipe/1"
MAXIMUM_LINE = 65_536  # bytes that the daemon sends in one line, at most


class SwipedError(Exception):
    """What the daemon refused, or why the connection ended. ``code`` is stable, the message is for people."""

    def __init__(self, code: str, message: str, retryable: bool = False) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.retryable = retryable


@dataclass(frozen=True)
class Event:
    """One thing that happened. ``seq`` is None for what concerns this connection only (gap, bye)."""

    event: str
    time: str
    mono_ns: int
    seq: Optional[int] = None
    reader: Optional[str] = None
    attachment: Optional[int] = None
    simulated: bool = False
    data: Dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(message: Dict[str, Any]) -> "Event":
        known = Event.__dataclass_fields__
        return Event(**{name: value for name, value in message.items() if name in known})


class Client:
    """A connection to the daemon. Use it from one thread."""

    def __init__(self, path: str = DEFAULT_PATH, timeout: Optional[float] = 30.0) -> None:
        self._timeout = timeout
        self._events: Deque[Event] = deque()
        self._last_id = 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(path)
            self._lines = self._socket.makefile("rb")
            first = self._message()
        except Exception:
            self._socket.close()
            raise
        if "hello" not in first:
            self.close()
            raise SwipedError(first.get("data", {}).get("code", "protocol"), "the daemon did not greet")
        self.hello: Dict[str, Any] = first["hello"]
        if self.hello["protocol"] != PROTOCOL:
            self.close()
            raise SwipedError("protocol", f"the daemon speaks {self.hello['protocol']}, this client {PROTOCOL}")

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection; claims are given back."""
        self._socket.close()

    def request(self, method: str, **params: Any) -> Any:
        """Asks, waits for the answer and returns its result. Events that come before it are kept for events()."""
        self._last_id += 1
        line = json.dumps({"id": self._last_id, "method": method, "params": params}, separators=(",", ":"))
        self._socket.settimeout(self._timeout)
        self._socket.sendall(line.encode() + b"\n")
        while True:
            message = self._message()
            if "event" in message:
                self._keep(Event.of(message))
            elif message.get("id") == self._last_id:
                return self._result(message)

    def readers(self) -> List[Dict[str, Any]]:
        """The readers that are there."""
        return list(self.request("readers")["readers"])

    def events(self, *kinds: str, readers: Optional[List[str]] = None) -> Iterator[Event]:
        """Subscribes, and gives events as they come, without a time limit. A ``gap`` says that some are missing."""
        self.subscribe(*kinds, readers=readers)
        while True:
            yield self.next_event()

    def subscribe(self, *kinds: str, readers: Optional[List[str]] = None) -> None:
        """Asks for events, all or these kinds, of all or these readers, in place of what was asked for before."""
        self.request("subscribe", events=list(kinds) or ["*"], readers=readers or ["*"])

    def next_event(self) -> Event:
        """Waits for the next event, without a time limit."""
        self._socket.settimeout(None)
        while not self._events:
            message = self._message()
            if "event" in message:
                self._keep(Event.of(message))
        return self._events.popleft()

    def claim(self, reader: str, mode: str = "ask") -> str:
        """Exclusive use of a reader. Returns the token that names the claim after an interruption."""
        return str(self.request("claim", reader=reader, mode=mode)["token"])

    def release(self, reader: str) -> None:
        """Gives a reader back."""
        self.request("release", reader=reader)

    def _keep(self, event: Event) -> None:
        if event.event == "bye":
            raise SwipedError(event.data["code"], "the daemon ended the connection")
        self._events.append(event)

    @staticmethod
    def _result(message: Dict[str, Any]) -> Any:
        error = message.get("error")
        if error is not None:
            raise SwipedError(error["code"], error["message"], error["retryable"])
        return message.get("result")

    def _message(self) -> Dict[str, Any]:
        line = self._lines.readline(MAXIMUM_LINE + 1)
        if not line.endswith(b"\n"):
            raise SwipedError("connection_lost", "the daemon closed the connection")
        return dict(json.loads(line))


def main() -> int:
    path = sys.argv[1] if len(sys.argv) > 1 else DEFAULT_PATH
    try:
        with Client(path) as client:
            for event in client.events():
                print(json.dumps(event.__dict__), flush=True)
    except (OSError, SwipedError) as error:
        print(f"swiped: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
