"""A client for swiped, the magnetic-stripe reader daemon. One file, standard library only, Python 3.9 or later.

    from swiped import Client

    with Client() as client:
        for event in client.events("swipe"):
            print(event.data["card"])

Run as a program it prints the daemon's events, one JSON object a line:  python3 swiped.py [SOCKET]

Where no socket is named, that of the environment variable SWIPED_SOCKET is used, else /run/swiped/swiped.sock.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Deque, Dict, Iterator, List, Optional, Set, Type, TypeVar

PATH_VARIABLE = "SWIPED_SOCKET"  # names another socket, for every client
DEFAULT_PATH = os.environ.get(PATH_VARIABLE) or "/run/swiped/swiped.sock"
PROTOCOL = "swipe/1"
MAXIMUM_LINE = 65_536  # bytes that the daemon sends in one line, at most
GIVE_BACK_SECONDS = 2.0  # what the daemon has for taking claims back from a client that closes
RETRY_SECONDS = (0.05, 5.0)  # the first and the longest wait before connecting again
FINAL_BYES = ("denied", "too_long")  # after any other it is worth connecting again
T = TypeVar("T")


class SwipedError(Exception):
    """What the daemon refused, or why there is no answer. ``code`` is stable, the message is for people.

    In addition to the codes of docs/protocol.md (errors, and those of ``bye``) there are ``connection_lost``, ``timed_out``
    (the daemon did not answer in time, and the connection can still be used) and ``protocol`` (it speaks something else).
    ``retryable``: the same may work later without any change, on a new connection where this one ended.
    """

    def __init__(self, code: str, message: str, retryable: bool = False) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.retryable = retryable


def _member(message: Any, name: str, kind: Type[T]) -> T:
    """A member that the protocol promises. What is there instead is not repeated: it may be a card."""
    value = message.get(name) if isinstance(message, dict) else None
    # For Python, True is an int.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise SwipedError("protocol", f"the daemon sent a line without the {kind.__name__} {name!r}")
    return value


@dataclass(frozen=True)
class Event:
    """One thing that happened. ``seq`` is None for what concerns this connection only (gap, bye).

    In a ``swipe_untaken``, ``data["swipe_seq"]`` is the ``seq`` of the swipe that is undelivered.
    """

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
        for name, kind in (("event", str), ("time", str), ("mono_ns", int), ("data", dict)):
            _member(message, name, kind)
        if message.get("seq") is not None:
            _member(message, "seq", int)
        known = Event.__dataclass_fields__
        return Event(**{name: value for name, value in message.items() if name in known})


class Client:
    """A connection to the daemon. Use it from one thread.

    ``timeout`` is in seconds and holds for connecting and for each request; None waits without an end. ``position`` is the
    last event that was received, for ``since`` of a later connection.

    Raises OSError where there is no daemon, or its socket is not for this user; SwipedError where the daemon refuses the
    program (``denied``, ``too_many``), does not let it in or greet it in time (``timed_out``), or speaks something else.
    """

    def __init__(self, path: str = DEFAULT_PATH, timeout: Optional[float] = 30.0) -> None:
        self._path = path
        self._timeout = timeout
        self._events: Deque[Event] = deque()
        self._last_id = 0
        self._has_served = False
        self._claims: Set[str] = set()
        self._connect()
        self.position: Dict[str, Any] = self._here(self.hello["seq"])

    def _connect(self) -> None:
        self._lines: Deque[bytes] = deque()
        self._unfinished = b""
        self._has_served = False
        self._greeted = float("inf")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        deadline = self._deadline()
        self._socket.settimeout(self._timeout)
        try:
            self._enter(deadline)
            self.hello: Dict[str, Any] = self._greeting(self._message(deadline))
            self._greeted = time.monotonic()
        except Exception:
            self.close()
            raise

    def _enter(self, deadline: Optional[float]) -> None:
        """Connects. Where the queue of those who wait to be let in is full, a socket with a time limit fails with EAGAIN."""
        while True:
            try:
                self._socket.connect(self._path)
                return
            except BlockingIOError as error:
                left = RETRY_SECONDS[0] if deadline is None else deadline - time.monotonic()
                if left <= 0:
                    raise SwipedError("timed_out", "the daemon lets no client in", retryable=True) from error
                time.sleep(min(RETRY_SECONDS[0], left))

    @staticmethod
    def _greeting(first: Dict[str, Any]) -> Dict[str, Any]:
        if first.get("event") == "bye":
            raise Client._parting(Event.of(first))
        if "hello" not in first:
            raise SwipedError("protocol", "the daemon did not greet")
        hello: Dict[str, Any] = _member(first, "hello", dict)
        version = _member(hello, "protocol", str)
        if version != PROTOCOL:
            raise SwipedError("protocol", f"the daemon speaks {version}, this client {PROTOCOL}")
        _member(hello, "instance", str)
        _member(hello, "seq", int)
        return hello

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. Claims are released first, also where the daemon would keep the reader (``swipe_hold``)."""
        self._give_back()
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has ended already
        self._socket.close()

    def _give_back(self) -> None:
        claims, self._claims = self._claims, set()
        timeout, self._timeout = self._timeout, GIVE_BACK_SECONDS
        for reader in claims:
            try:
                self.release(reader)
            except (OSError, SwipedError):
                pass  # it was lost already, or the connection was
        self._timeout = timeout

    def request(self, method: str, **params: Any) -> Any:
        """Asks, waits for the answer and returns its result. Events that come before it are kept for events().

        All of this happens within the client's time limit, however many other lines the daemon sends meanwhile.
        """
        self._last_id += 1
        deadline = self._deadline()
        line = json.dumps({"id": self._last_id, "method": method, "params": params}, separators=(",", ":"))
        self._send(line.encode() + b"\n")
        while True:
            message = self._message(deadline)  # a late answer has the id of its own request, and is ignored
            if not self._is_kept(message) and message["id"] == self._last_id:
                return self._result(message)

    def readers(self) -> List[Dict[str, Any]]:
        """The readers that are there."""
        return _member(self.request("readers"), "readers", list)

    def settings(self, reader: str) -> Dict[str, Any]:
        """What is in force at a sound input: each setting by its name, with its ``value`` and where it is from (``source``)."""
        return _member(self.request("get", reader=reader), "settings", dict)

    def levels(self, reader: str, after: Optional[int] = None) -> List[Dict[str, Any]]:
        """The levels of the sound input that a reader is at, a tenth of a second each: those after a number, at most two seconds.

        The first answer is empty: the daemon measures only while somebody asks, and goes on for five seconds.
        """
        params = {"reader": reader} if after is None else {"reader": reader, "after": after}
        return _member(self.request("levels", **params), "levels", list)

    def events(
        self, *kinds: str, readers: Optional[List[str]] = None, reconnect: bool = False, snapshot: bool = False
    ) -> Iterator[Event]:
        """Subscribes, and gives events as they come, without a time limit. A ``gap`` says that some are missing.

        With ``snapshot`` the readers that are there come first, as ``connect`` events without a ``seq``.

        With ``reconnect`` it connects again when the connection breaks, and goes on with what the daemon has kept. Where
        that does not reach back (a ``gap`` with ``restart`` or ``ring``), the readers follow as they are then, in the
        same way. From one attempt to the next it waits longer, up to 5 s, until a connection worked. Claims end with
        their connection and are not made again.
        """
        self._begin(*kinds, readers=readers, snapshot=snapshot)
        pause = RETRY_SECONDS[0]
        while True:
            try:
                event = self.next_event()
            except SwipedError as error:
                if not reconnect or not error.retryable:
                    raise
                pause = self._return(*kinds, readers=readers, pause=pause)
            else:
                yield event

    def _return(self, *kinds: str, readers: Optional[List[str]], pause: float) -> float:
        """Connects and subscribes again, as often as needed; returns how long to wait where that connection breaks too."""
        first, longest = RETRY_SECONDS
        while True:
            if self._was_of_use():
                pause = first
            self.close()
            time.sleep(pause)
            pause = min(pause * 2, longest)
            try:
                self._connect()
                self._begin(*kinds, readers=readers, since=self.position)
                return pause
            except OSError:
                pass
            except SwipedError as error:
                if not error.retryable:
                    raise

    def _was_of_use(self) -> bool:
        """Whether the connection brought something new, or held for a while.

        A daemon that greets and then ends each connection must not be asked as fast as it answers.
        """
        return self._has_served or time.monotonic() - self._greeted > RETRY_SECONDS[1]

    def _begin(self, *kinds: str, **params: Any) -> None:
        """Subscribes; the readers that the answer lists become events."""
        for reader in self.subscribe(*kinds, **params) or []:
            if not kinds or "connect" in kinds or "*" in kinds:
                self._events.append(self._present(reader))

    @staticmethod
    def _present(reader: Dict[str, Any]) -> Event:
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return Event(
            "connect", now, time.monotonic_ns(), reader=_member(reader, "id", str), attachment=reader.get("attachment"),
            simulated=reader.get("simulated", False), data=reader)

    def subscribe(
        self,
        *kinds: str,
        readers: Optional[List[str]] = None,
        since: Optional[Dict[str, Any]] = None,
        snapshot: bool = False,
    ) -> Optional[List[Dict[str, Any]]]:
        """Asks for events, all or these kinds, of all or these readers, in place of what was asked for before.

        With ``since``, a ``position``, what the daemon has kept of the events after it comes first.

        Returns the readers as they are, where ``snapshot`` asks for them and where ``since`` could not be followed (a
        ``gap`` with ``restart`` or ``ring`` says so); else None.
        """
        params: Dict[str, Any] = {"events": list(kinds) or ["*"], "readers": ["*"] if readers is None else readers}
        if since is not None:
            params["since"] = since
        if snapshot:
            params["snapshot"] = True
        result = self.request("subscribe", **params)
        self._note(_member(result, "seq", int))
        return _member(result, "readers", list) if "readers" in result else None

    def next_event(self) -> Event:
        """Waits for the next event, without a time limit."""
        while not self._events:
            self._is_kept(self._message(None))
        return self._events.popleft()

    def barrier(self) -> None:
        """Returns once all events that were published before are received: next_event() and events() give them at once."""
        self.request("barrier")

    def claim(self, reader: str, mode: str = "ask", token: Optional[str] = None) -> str:
        """Exclusive use of a reader; returns a token.

        Where the daemon keeps readers for a while (``swipe_hold``) and the connection broke, a claim with the token gets
        the reader again, and a swipe that was made meanwhile comes as an event.
        """
        params: Dict[str, Any] = {"reader": reader, "mode": mode}
        if token is not None:
            params["token"] = token
        token = _member(self.request("claim", **params), "token", str)
        self._claims.add(reader)
        return token

    def retain(self, reader: str) -> None:
        """Keeps a reader that another client asked for: an event ``claim_requested``, with a ``deadline`` to answer by."""
        self.request("retain", reader=reader)

    def release(self, reader: str) -> None:
        """Ends the claim of a reader."""
        self._claims.discard(reader)
        self.request("release", reader=reader)

    def _is_kept(self, message: Dict[str, Any]) -> bool:
        """Whether the message is an event, which is kept; else it is an answer."""
        if "event" in message:
            self._keep(Event.of(message))
            return True
        if "id" not in message:
            raise SwipedError("protocol", "the daemon sent a line that is neither an event nor an answer")
        return False

    def _keep(self, event: Event) -> None:
        if event.event == "bye":
            raise self._parting(event)
        if event.seq is not None:
            self._has_served = self._has_served or self._is_news(event.seq)
            self._note(event.seq)
        self._events.append(event)

    @staticmethod
    def _parting(bye: Event) -> SwipedError:
        code = _member(bye.data, "code", str)
        return SwipedError(code, "the daemon ended the connection", retryable=code not in FINAL_BYES)

    def _is_news(self, seq: int) -> bool:
        return self.position["instance"] != self.hello["instance"] or seq > self.position["seq"]

    def _here(self, seq: int) -> Dict[str, Any]:
        return {"instance": self.hello["instance"], "seq": seq}

    def _note(self, seq: int) -> None:
        # A swipe that was held for us has an old number; another run of the daemon counts from 1 again.
        if self._is_news(seq):
            self.position = self._here(seq)

    @staticmethod
    def _result(message: Dict[str, Any]) -> Any:
        if "error" in message:
            error: Dict[str, Any] = _member(message, "error", dict)
            raise SwipedError(
                _member(error, "code", str), _member(error, "message", str), _member(error, "retryable", bool))
        if "result" not in message:
            raise SwipedError("protocol", "the daemon sent an answer with neither a result nor an error")
        return message["result"]

    def _deadline(self) -> Optional[float]:
        return None if self._timeout is None else time.monotonic() + self._timeout

    def _send(self, line: bytes) -> None:
        self._socket.settimeout(self._timeout)
        try:
            self._socket.sendall(line)
        except OSError as error:
            # Perhaps a part of the line is sent: nothing can follow it.
            self.close()
            raise SwipedError("connection_lost", f"nothing can be sent to the daemon: {error}", retryable=True) from error

    def _message(self, deadline: Optional[float]) -> Dict[str, Any]:
        """The next message that comes before that time (of the monotonic clock); None waits without an end."""
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise SwipedError("timed_out", "no answer in time", retryable=True)
            if self._lines:
                return self._parsed(self._lines.popleft())
            self._receive(left)

    @staticmethod
    def _parsed(line: bytes) -> Dict[str, Any]:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            # Outside of the handler: what it caught holds the line, and that may hold a card.
            raise SwipedError("protocol", "the daemon sent a line that is not a JSON object")
        return message

    def _receive(self, seconds: Optional[float]) -> None:
        try:
            self._socket.settimeout(seconds)
            chunk = self._socket.recv(MAXIMUM_LINE)
        except socket.timeout as error:
            raise SwipedError("timed_out", "no answer in time", retryable=True) from error
        except OSError as error:
            raise SwipedError("connection_lost", f"the connection broke: {error}", retryable=True) from error
        if not chunk:
            raise SwipedError("connection_lost", "the daemon closed the connection", retryable=True)
        *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
        self._lines.extend(lines)
        if len(self._unfinished) > MAXIMUM_LINE:
            raise SwipedError("protocol", "a line is longer than the protocol allows")


def _show(line: str) -> None:
    """Prints a line. Where it cannot be written, the program ends: in silence where whoever read it has gone."""
    try:
        print(line, flush=True)
    except OSError as error:
        # What is left in the buffer is not tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            sys.exit(128 + signal.SIGPIPE)
        sys.exit(f"swiped: standard output: {error.strerror}")


def main() -> int:
    path = sys.argv[1] if len(sys.argv) > 1 else DEFAULT_PATH
    try:
        with Client(path) as client:
            for event in client.events():
                _show(json.dumps(event.__dict__))
    except (OSError, SwipedError) as error:
        print(f"swiped: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
