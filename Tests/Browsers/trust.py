"""TLS on the loopback, and a page with https that comes from elsewhere: before and after somebody trusts it, or allows it."""

from __future__ import annotations

import socket
import ssl
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Tuple

from chromium import Chromium
from programs import ROOT, Bench, Failed
from strangers import OPEN

if TYPE_CHECKING:
    from browsers import Run


def authority(folder: Path) -> str:
    """Runs swiped-web-authority; what it says."""
    return subprocess.run([str(ROOT / "scripts" / "swiped-web-authority"), str(folder)], check=True, capture_output=True,
                          text=True).stdout


def bench_with_tls(run: Run, folder: Path, more: str = "") -> Tuple[Bench, int]:
    bench = Bench(run.bench.products)
    bench.set_gateway(f"{more}[tls]\ncertificate = {folder}/certificate.pem\nkey = {folder}/key.pem\n")
    bench.start_gateway(0, "--listen-tls", "127.0.0.1:0")
    said = bench.log("swiped-web")
    return bench, int(said.split("ports=")[-1].split()[0].strip('"').split(",")[1])


def certificate(run: Run) -> None:
    """What swiped-web-authority makes is good for the loopback, and for nothing else; curl takes it once it is told to."""
    folder = run.files / "tls"
    authority(folder)
    bench, port = bench_with_tls(run, folder)
    try:
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
        curl = ["curl", "--silent", "--show-error", "--output", "/dev/null", "--write-out", "%{http_code}"]
        refused = subprocess.run([*curl, f"https://localhost:{port}/"], capture_output=True, text=True, check=False)
        assert refused.returncode == 60, refused
        trusted = subprocess.run([*curl, "--cacert", str(folder / "authority.pem"), f"https://localhost:{port}/"],
                                 capture_output=True, text=True, check=False)
        assert trusted.stdout == "200", trusted
    finally:
        bench.close()


def chromium_trusts(run: Run) -> None:
    """In a database of its own: refused, then the command that swiped-web-authority prints, then wss and the live page."""
    home, folder = run.files / "home", run.files / "tls-chromium"
    (home / ".pki" / "nssdb").mkdir(parents=True)
    database = f"sql:{home}/.pki/nssdb"
    subprocess.run(["certutil", "-d", database, "-N", "--empty-password"], check=True)
    said = authority(folder)
    command = next(line for line in said.splitlines() if "certutil" in line and " -A " in line)
    bench, port = bench_with_tls(run, folder, f"[origin {run.origin}]\npairing = no\n")
    try:
        for is_trusted in (False, True):
            if is_trusted:
                subprocess.run(["bash", "-c", command], env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, check=True)
            browser = Chromium(home=home)
            try:
                page = browser.page(f"{run.origin}/blank.html")
                got = page.run(OPEN % f"wss://localhost:{port}/v1/socket")
                assert got == ("a line" if is_trusted else "closed 1006"), (is_trusted, got)
                page.go(f"https://localhost:{port}/")
                title = page.run("document.title")
                assert (title == "Card readers") == is_trusted, title
                if is_trusted:
                    page.until("!document.getElementById('pairing').hidden")
                page.close()
            finally:
                browser.close()
    finally:
        bench.close()


def from_elsewhere(run: Run) -> None:
    """Local Network Access: a page with https that is not of this machine opens ws://localhost where it is allowed to, and only there."""
    folder = run.files / "tls-elsewhere"
    authority(folder)
    site = run.serve(certificate=folder)
    origin = f"https://localhost:{site.port}"
    bench = Bench(run.bench.products)
    bench.set_gateway(f"[origin {origin}]\npairing = no\n")
    bench.start_gateway()
    try:
        for is_allowed in (False, True):
            browser = Chromium(f"--ip-address-space-overrides=127.0.0.1:{site.port}=public", "--ignore-certificate-errors")
            try:
                if is_allowed:
                    browser.allow_local(origin)
                page = browser.page(f"{origin}/blank.html")
                got = page.run("Promise.race([" + OPEN % f"ws://localhost:{bench.port}/v1/socket"
                               + ", new Promise((resolve) => setTimeout(resolve, 3000, 'asks'))])")
                assert (got == "a line") == is_allowed, (is_allowed, got)
                fetched = page.run(f"Promise.race([fetch('http://localhost:{bench.port}/v1/session').then((answer) => answer.status, () => 0),"
                                   " new Promise((resolve) => setTimeout(resolve, 3000, 0))])")
                assert (fetched == 200) == is_allowed, (is_allowed, fetched)
                page.close()
            finally:
                browser.close()
    finally:
        bench.close()
        site.close()
