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
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Deque, Dict, Iterator, List, Optional

DEFAULT_PATH = "/run/swiped/swiped.sock"
PROTOCOL = "swipe/1"
MAXIMUM_LINE = 65_536  # bytes that the daemon sends in one line, at most
RETRY_SECONDS = (0.05, 5.0)  # the first and the longest wait before connecting again
INTERRUPTIONS = ("connection_lost", "shutdown", "slow_client")  # after these it is worth connecting again


class SwipedError(Exception):
    """What the daemon refused, or why there is no answer. ``code`` is stable, the message is for people.

    Besides the codes of docs/protocol.md there are ``connection_lost``, and ``timed_out``: the daemon did not answer
    in time, and the connection is still of use.
    """

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
    """A connection to the daemon. Use it from one thread.

    ``position`` is the last event that was received, for ``since`` of a later connection.
    """

    def __init__(self, path: str = DEFAULT_PATH, timeout: Optional[float] = 30.0) -> None:
        self._path = path
        self._timeout = timeout
        self._events: Deque[Event] = deque()
        self._last_id = 0
        self._connect()
        self.position: Dict[str, Any] = self._here(self.hello["seq"])

    def _connect(self) -> None:
        self._lines: Deque[bytes] = deque()
        self._unfinished = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(self._timeout)
        try:
            self._socket.connect(self._path)
            self.hello: Dict[str, Any] = self._greeting(self._message())
        except Exception:
            self.close()
            raise

    @staticmethod
    def _greeting(first: Dict[str, Any]) -> Dict[str, Any]:
        if "hello" not in first:
            raise SwipedError(first.get("data", {}).get("code", "protocol"), "the daemon did not greet")
        hello = dict(first["hello"])
        if hello["protocol"] != PROTOCOL:
            raise SwipedError("protocol", f"the daemon speaks {hello['protocol']}, this client {PROTOCOL}")
        return hello

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection; claims are given back."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has ended already
        self._socket.close()

    def request(self, method: str, **params: Any) -> Any:
        """Asks, waits for the answer and returns its result. Events that come before it are kept for events()."""
        self._last_id += 1
        line = json.dumps({"id": self._last_id, "method": method, "params": params}, separators=(",", ":"))
        self._socket.settimeout(self._timeout)
        self._send(line.encode() + b"\n")
        while True:
            message = self._message()  # an answer that is late has the id of its own request, and is passed over
            if "event" in message:
                self._keep(Event.of(message))
            elif message.get("id") == self._last_id:
                return self._result(message)

    def readers(self) -> List[Dict[str, Any]]:
        """The readers that are there."""
        return list(self.request("readers")["readers"])

    def events(
        self, *kinds: str, readers: Optional[List[str]] = None, reconnect: bool = False
    ) -> Iterator[Event]:
        """Subscribes, and gives events as they come, without a time limit. A ``gap`` says that some are missing.

        With ``reconnect`` it connects again when the connection breaks, and goes on with what the daemon has kept.
        Claims end with their connection and are not made again.
        """
        self.subscribe(*kinds, readers=readers)
        while True:
            try:
                event = self.next_event()
            except SwipedError as error:
                if not reconnect or error.code not in INTERRUPTIONS:
                    raise
                self._return(*kinds, readers=readers)
            else:
                yield event

    def _return(self, *kinds: str, readers: Optional[List[str]]) -> None:
        """Connects and subscribes again, as often as it takes."""
        wait, longest = RETRY_SECONDS
        while True:
            self.close()
            try:
                self._connect()
                return self.subscribe(*kinds, readers=readers, since=self.position)
            except (OSError, SwipedError) as error:
                if isinstance(error, SwipedError) and error.code not in INTERRUPTIONS + ("timed_out",):
                    raise
            time.sleep(wait)
            wait = min(wait * 2, longest)

    def subscribe(
        self, *kinds: str, readers: Optional[List[str]] = None, since: Optional[Dict[str, Any]] = None
    ) -> None:
        """Asks for events, all or these kinds, of all or these readers, in place of what was asked for before.

        With ``since``, a ``position``, what the daemon has kept of the events after it comes first.
        """
        params: Dict[str, Any] = {"events": list(kinds) or ["*"], "readers": ["*"] if readers is None else readers}
        if since is not None:
            params["since"] = since
        self._note(self.request("subscribe", **params)["seq"])

    def next_event(self) -> Event:
        """Waits for the next event, without a time limit."""
        self._socket.settimeout(None)
        while not self._events:
            message = self._message()
            if "event" in message:
                self._keep(Event.of(message))
        return self._events.popleft()

    def claim(self, reader: str, mode: str = "ask", token: Optional[str] = None) -> str:
        """Exclusive use of a reader; returns a token.

        Where the daemon keeps readers for a while (``swipe_hold``) and the connection broke, a claim with the token takes
        the reader back, and a swipe that was made meanwhile comes as an event.
        """
        params: Dict[str, Any] = {"reader": reader, "mode": mode}
        if token is not None:
            params["token"] = token
        return str(self.request("claim", **params)["token"])

    def release(self, reader: str) -> None:
        """Gives a reader back."""
        self.request("release", reader=reader)

    def _keep(self, event: Event) -> None:
        if event.event == "bye":
            raise SwipedError(event.data["code"], "the daemon ended the connection")
        if event.seq is not None:
            self._note(event.seq)
        self._events.append(event)

    def _here(self, seq: int) -> Dict[str, Any]:
        return {"instance": self.hello["instance"], "seq": seq}

    def _note(self, seq: int) -> None:
        # A swipe that was held for us has an old number; another run of the daemon counts from 1 again.
        is_same_run = self.position["instance"] == self.hello["instance"]
        self.position = self._here(max(seq, self.position["seq"]) if is_same_run else seq)

    @staticmethod
    def _result(message: Dict[str, Any]) -> Any:
        error = message.get("error")
        if error is not None:
            raise SwipedError(error["code"], error["message"], error["retryable"])
        return message.get("result")

    def _send(self, line: bytes) -> None:
        try:
            self._socket.sendall(line)
        except OSError as error:
            # Perhaps a part of the line is sent: nothing can follow it.
            self.close()
            raise SwipedError("connection_lost", f"the daemon takes nothing: {error}") from error

    def _message(self) -> Dict[str, Any]:
        while not self._lines:
            self._receive()
        return dict(json.loads(self._lines.popleft()))

    def _receive(self) -> None:
        try:
            chunk = self._socket.recv(MAXIMUM_LINE)
        except socket.timeout as error:
            raise SwipedError("timed_out", "no answer in time", retryable=True) from error
        except OSError as error:
            raise SwipedError("connection_lost", f"the connection broke: {error}") from error
        if not chunk:
            raise SwipedError("connection_lost", "the daemon closed the connection")
        *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
        self._lines.extend(lines)
        if len(self._unfinished) > MAXIMUM_LINE:
            raise SwipedError("protocol", "a line is longer than the protocol allows")


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
