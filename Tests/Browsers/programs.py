"""swiped, swiped-web and files for a browser, in a folder of their own. Standard library only."""

from __future__ import annotations

import functools
import http.server
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "clients" / "javascript"
PATIENCE = 60.0  # seconds that something may take


class Failed(Exception):
    """What was expected did not come."""


def until(what: str, condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failed(f"{what} did not come")
        time.sleep(0.02)


def stub(sale: Dict[str, Any]) -> Dict[str, str]:
    """A payment service that approves everything."""
    return {"status": "approved", "text": sale["card"]["pan"]["masked"]}


class FileServer:
    """A folder at an origin of its own."""

    def __init__(self, folder: Path, pay: Callable[[Dict[str, Any]], Dict[str, str]] = stub,
                 certificate: Optional[Path] = None) -> None:
        """certificate: of a folder that swiped-web-authority made, for https."""
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:  # where the example till sends its payments
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.payments.append(body)
                answer = json.dumps(pay(body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        server = self
        self.payments: List[Dict[str, Any]] = []
        self._server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        if certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate / "certificate.pem", certificate / "key.pem")
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()


class Bench:
    """A daemon with virtual readers, and a gateway before it."""

    def __init__(self, products: Path, daemon: str = "", gateway: str = "") -> None:
        """daemon, gateway: more of their configurations; {} stands for the folder."""
        self.folder = Path(tempfile.mkdtemp(prefix="web-", dir="/tmp"))
        self.products = products
        self.socket = str(self.folder / "s")
        self.control = str(self.folder / "c")
        self._processes: Dict[str, subprocess.Popen[bytes]] = {}
        files = self.folder / "files"
        files.mkdir()
        for source in [*CLIENTS.glob("live/*"), CLIENTS / "swiped.js"]:
            shutil.copy(source, files)
        (self.folder / "swiped.conf").write_text(
            ("[access]\nmasked = *\nfull = *\nadmin = *\n[hid]\nenabled = no\n[virtual-hid till]\nsource = {}/reports\n"
             "[virtual-hid desk]\nsource = {}/desk\n" + daemon).replace("{}", str(self.folder)))
        self.set_gateway(gateway)
        self.port = 0
        self.start_daemon()

    def set_gateway(self, text: str) -> None:
        (self.folder / "web.conf").write_text(
            f"{text.replace('{}', str(self.folder))}\n[server]\ndaemon = {self.socket}\nstate = {self.folder}\nfiles = {self.folder}/files\n"
            f"[metrics]\nfile = {self.folder}/metrics.prom\ninterval = 1\n")

    def log(self, name: str) -> str:
        path = self.folder / f"{name}.log"
        return path.read_text() if path.exists() else ""

    def _start(self, name: str, *arguments: str) -> None:
        with open(self.folder / f"{name}.log", "ab") as log:
            self._processes[name] = subprocess.Popen(
                [str(self.products / name), *arguments, "--foreground"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def start_daemon(self) -> None:
        self._start("swiped", "--config", str(self.folder / "swiped.conf"), "--socket", self.socket, "--allow-simulate")
        until("the daemon's socket", lambda: self._runs("swiped") and os.path.exists(self.socket))

    def _runs(self, name: str) -> bool:
        if self._processes[name].poll() is not None:
            raise Failed(f"{name} ended: {self.log(name)[-1000:]}")
        return True

    def start_gateway(self, port: int = 0, *arguments: str) -> int:
        before = len(self.log("swiped-web"))
        self._start(
            "swiped-web", "--config", str(self.folder / "web.conf"), "--listen", f"127.0.0.1:{port}",
            "--control", self.control, *arguments)
        said = until("the gateway", lambda: self._runs("swiped-web") and [
            word for word in self.log("swiped-web")[before:].split() if word.startswith("ports=")])
        self.port = int(said[0][6:].strip('"').split(",")[0])
        return self.port

    def pid(self, name: str) -> int:
        return self._processes[name].pid

    def stop(self, name: str) -> None:
        process = self._processes.pop(name, None)
        if process:
            process.terminate()
            process.wait(PATIENCE)

    def close(self) -> None:
        for name in list(self._processes):
            self.stop(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method: str, **params: Any) -> Any:
        """Asks the daemon, as its administrator."""
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.socket)
            lines = client.makefile("rw")
            lines.readline()
            lines.write(json.dumps({"id": 1, "method": method, "params": params}) + "\n")
            lines.flush()
            answer = json.loads(lines.readline())
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def simulate(self, action: str, reader: str = "virtual-till", card: Optional[str] = None) -> None:
        self.ask("simulate", reader=reader, action=action, **({"card": card} if card else {}))

    def play(self, track: str, *options: str, pipe: str = "sound") -> None:
        """Swipes a card on a bare head at a sound input, as sound."""
        file = self.folder / "swipe.raw"
        subprocess.run([str(self.products / "swipectl"), "synth", "--rate", "48000", "--raw", "--output", str(file), *options, track],
                       check=True)
        with open(self.folder / pipe, "wb") as out:
            out.write(file.read_bytes())

    def swipectl(self, *arguments: str) -> str:
        done = subprocess.run(
            [str(self.products / "swipectl"), "web", *arguments, "--control", self.control],
            capture_output=True, text=True, timeout=PATIENCE, check=False)
        if done.returncode != 0:
            raise Failed(f"swipectl web {' '.join(arguments)}: {done.stderr}")
        return done.stdout
