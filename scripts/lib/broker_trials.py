"""Trials of swiped-mqtt that take minutes: a network that is cut, and a broker whose disk is full.

Started by scripts/test-broker, as root: it makes a network namespace for the host, and a small file system for the broker.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAMS, CUTS = sys.argv[1], [int(word) for word in sys.argv[2].split(",") if word]
SPACE = f"swiped-trial-{os.getpid()}"
OUTSIDE, INSIDE, PORT = "10.213.7.1", "10.213.7.2", 18931
KEEP_ALIVE = 5
# After a cut, the next attempt may be a minute away, and the broker may have to notice that the old connection is gone.
PATIENCE = 120


def run(*words):
    subprocess.run(words, check=True)


class Scene:
    """A broker, an application, and a host with a daemon and a bridge in a network of its own."""

    def __init__(self, bridge, broker=""):
        self.folder = tempfile.mkdtemp(prefix="broker-trial-")
        self.processes = []
        self.link()
        self.write("swiped.conf", "[access]\nmasked = *\nadmin = *\n[hid]\nenabled = no\n"
                   f"[virtual-hid till]\nsource = {self.folder}/reports\n")
        self.write("mqtt.conf", f"[daemon]\nsocket = {self.folder}/s\n[broker]\nhost = {OUTSIDE}\nport = {PORT}\n"
                   f"name = till\nkeepalive = {KEEP_ALIVE}\n[metrics]\nfile =\n{bridge}")
        self.write("mosquitto.conf", f"listener {PORT} {OUTSIDE}\nallow_anonymous true\nuser root\n{broker}")
        self.start("mosquitto", "-c", f"{self.folder}/mosquitto.conf", log="broker.log")
        time.sleep(1)
        self.start("mosquitto_sub", "-h", OUTSIDE, "-p", str(PORT), "-V", "5", "-c", "-i", "application", "-q", "1",
                   "-t", "swiped/#", "-F", "%t %p", log="received")
        self.start("ip", "netns", "exec", SPACE, f"{PROGRAMS}/swiped", "--config", f"{self.folder}/swiped.conf",
                   "--socket", f"{self.folder}/s", "--foreground", "--allow-simulate", log="daemon.log")
        self.eventually("the daemon", lambda: os.path.exists(f"{self.folder}/s"), 20)
        self.simulate("connect")
        self.start("ip", "netns", "exec", SPACE, f"{PROGRAMS}/swiped-mqtt", "--config", f"{self.folder}/mqtt.conf",
                   "--foreground", log="bridge.log")
        self.eventually("online", lambda: self.availability() == "online", 20)
        self.made = 0

    def link(self):
        run("ip", "netns", "add", SPACE)
        run("ip", "link", "add", "trial-out", "type", "veth", "peer", "name", "trial-in")
        run("ip", "link", "set", "trial-in", "netns", SPACE)
        run("ip", "address", "add", f"{OUTSIDE}/30", "dev", "trial-out")
        run("ip", "link", "set", "trial-out", "up")
        for words in (["address", "add", f"{INSIDE}/30", "dev", "trial-in"], ["link", "set", "trial-in", "up"],
                      ["link", "set", "lo", "up"]):
            run("ip", "netns", "exec", SPACE, "ip", *words)

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w") as file:
            file.write(text)

    def start(self, *words, log):
        file = open(f"{self.folder}/{log}", "a")
        self.processes.append(subprocess.Popen(words, stdout=file, stderr=file, stdin=subprocess.DEVNULL))

    def simulate(self, action):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(f"{self.folder}/s")
            lines = connection.makefile()
            lines.readline()
            request = {"id": 1, "method": "simulate", "params": {"reader": "virtual-till", "action": action}}
            connection.sendall((json.dumps(request) + "\n").encode())
            assert "result" in json.loads(lines.readline())

    def swipe(self):
        self.simulate("swipe")
        self.made += 1

    def received(self, topic):
        with open(f"{self.folder}/received") as file:
            for line in file:
                name, _, text = line.partition(" ")
                if name.endswith("/" + topic):
                    yield text.strip()

    def availability(self):
        return ([None] + list(self.received("availability")))[-1]

    def counts(self):
        """Swipes that the application has, each once; copies; swipes that it was told are lost, each loss once."""
        names = [re.search(r'"event_id":"([^"]+)"', text)[1] for text in self.received("swipe")]
        losses = {json.loads(text)["loss_id"]: json.loads(text) for text in self.received("loss")}
        return len(set(names)), len(names) - len(set(names)), sum(loss.get("count", 0) for loss in losses.values())

    def all_told(self):
        seen, _, lost = self.counts()
        return seen + lost == self.made

    def eventually(self, what, condition, seconds):
        start = time.monotonic()
        while not condition():
            if time.monotonic() - start > seconds:
                raise SystemExit(f"{what} did not come; see {self.folder}")
            time.sleep(0.05)
        return time.monotonic() - start

    def end(self):
        for process in self.processes:
            process.send_signal(signal.SIGKILL)
        for process in self.processes:
            process.wait()
        subprocess.run(["ip", "link", "delete", "trial-out"], check=False)
        subprocess.run(["ip", "netns", "delete", SPACE], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def cut(seconds, expiry):
    scene = Scene(f"[swipes]\nqueue = 10000\nexpiry = {expiry}\n")
    try:
        for _ in range(5):
            scene.swipe()
        scene.eventually("the first swipes", scene.all_told, 20)
        run("ip", "link", "set", "trial-out", "down")
        start, will = time.monotonic(), None
        while time.monotonic() - start < seconds:
            scene.swipe()
            if will is None and scene.availability() == "offline":
                will = time.monotonic() - start
            time.sleep(min(1, seconds / 10))
        if will is None and scene.availability() == "offline":
            will = time.monotonic() - start
        run("ip", "link", "set", "trial-out", "up")
        for _ in range(5):
            scene.swipe()
        took = scene.eventually("every swipe or its loss", scene.all_told, PATIENCE)
        scene.eventually("online", lambda: scene.availability() == "online", PATIENCE)
        seen, copies, lost = scene.counts()
        told = f"{will:.1f} s" if will is not None else "no"
        print(f"| network cut for {seconds} s, expiry {expiry} s | {scene.made} | {seen} | {copies} | {lost} | {told} | {took:.1f} s |",
              flush=True)
    finally:
        scene.end()


def full_disk():
    disk = tempfile.mkdtemp(prefix="broker-disk-")
    run("mount", "-t", "tmpfs", "-o", "size=64k", "none", disk)
    try:
        with open(f"{disk}/filler", "wb") as file:
            try:
                file.write(b"x" * (1 << 20))
            except OSError:
                pass
        scene = Scene("", f"persistence true\npersistence_location {disk}/\nautosave_interval 1\nautosave_on_changes true\n")
        try:
            for _ in range(20):
                scene.swipe()
                time.sleep(0.2)
            took = scene.eventually("every swipe or its loss", scene.all_told, PATIENCE)
            seen, copies, lost = scene.counts()
            print(f"| the broker's disk full | {scene.made} | {seen} | {copies} | {lost} | no | {took:.1f} s |", flush=True)
        finally:
            scene.end()
    finally:
        run("umount", disk)
        os.rmdir(disk)


print("| what | swipes | arrived, each once | copies | told to be lost | the will after | all told after |")
print("|---|---|---|---|---|---|---|", flush=True)
for seconds in CUTS:
    cut(seconds, 3_600)
cut(10, 3)
full_disk()
