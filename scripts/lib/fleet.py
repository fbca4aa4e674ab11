"""A fleet on one machine: stub daemons, one bridge for each, one broker, one application that counts.

Started by scripts/measure-fleet. The stubs are one program that speaks as much of swipe/1 as a bridge asks for; bridges, broker and
mosquitto_sub are the real ones.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone

HOSTS, READERS, SECONDS, FIRST_RATE, LAST_RATE = (int(word) for word in sys.argv[1:6])
BRIDGE = sys.argv[6]
PORT = 18930
# A rate that is held: everything arrives, and no message takes longer on average.
LONGEST_MEAN_SECONDS = 1.0

SWIPE = (
    '{"event":"swipe","seq":%d,"time":"%s","mono_ns":%d,"reader":"reader-%d","attachment":1,"data":{"card":{"kind":"payment",'
    '"format":"iso7813","pan":{"masked":"476173******0011","length":16,"luhn":true,"brand":"visa"},"expiry":"2412",'
    '"service_code":"201"},"tracks":[{"track":1,"status":"ok","format":"iso1"},{"track":2,"status":"ok","format":"iso2",'
    '"masked":";476173******0011=2412201***************?"},{"track":3,"status":"empty"}],"encryption":null,'
    '"quality":{"direction":"forward","speed_cm_s":38.2,"snr_db":31,"jitter_percent":2.1,"clipped_percent":0,'
    '"repaired_bits":0,"hint":null}}}\n'
)


class Stub:
    """One host's daemon."""

    def __init__(self, number, folder):
        self.number = number
        self.path = f"{folder}/{number}.sock"
        self.sequence = 0
        self.writer = None
        self.hello = {
            "protocol": "swipe/1", "daemon": "swiped 0.1.0", "instance": f"{number:016x}", "seq": 0,
            "you": {"uid": 0, "roles": ["status", "masked"], "connection": 1},
            "limits": {"line_in": 16384, "line_out": 65536},
        }
        self.readers = [
            {
                "id": f"reader-{index}", "kind": "magtek", "model": "Dynamag", "serial": f"S{number}{index}", "bus": "usb",
                "encryption": "clear", "state": "ready", "is_connected": True, "is_activated": True,
                "is_ready_for_swipe": True, "attachment": 1,
            }
            for index in range(READERS)
        ]

    async def start(self):
        await asyncio.start_unix_server(self.serve, self.path)

    async def serve(self, reader, writer):
        try:
            await self.converse(reader, writer)
        except ConnectionError:
            pass  # A bridge for which a busy machine was too slow comes again.
        if self.writer is writer:
            self.writer = None

    async def converse(self, reader, writer):
        writer.write((json.dumps({"hello": self.hello}) + "\n").encode())
        while line := await reader.readline():
            request = json.loads(line)
            method = request["method"]
            if method == "subscribe":
                self.writer = writer
                result = {"seq": self.sequence, "readers": self.readers}
            elif method == "readers":
                result = {"readers": self.readers}
            elif method == "narrow":
                result = self.hello["you"]
            elif method == "stats":
                result = {"server": {}, "readers": {}}
            else:
                result = {}
            writer.write((json.dumps({"id": request["id"], "result": result}) + "\n").encode())

    def swipe(self):
        self.sequence += 1
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        self.writer.write((SWIPE % (self.sequence, now, time.monotonic_ns(), self.sequence % READERS)).encode())


class Application:
    """Counts what mosquitto_sub prints."""

    IDENTIFIER = re.compile(rb'"event_id":"([^"]+)"')
    TIME = re.compile(rb'"time":"([^"]+)"')

    def __init__(self):
        self.online, self.seen, self.copies, self.losses, self.delays = set(), set(), 0, [], []
        self.process = None

    async def run(self):
        process = await asyncio.create_subprocess_exec(
            "mosquitto_sub", "-p", str(PORT), "-V", "5", "-q", "1", "-t", "fleet/#", "-F", "%t %p",
            stdout=asyncio.subprocess.PIPE, limit=1 << 22)
        self.process = process
        while line := await process.stdout.readline():
            topic, _, payload = line.partition(b" ")
            if topic.endswith(b"/swipe"):
                self.swipe(payload)
            elif topic.endswith(b"/availability") and payload.strip() == b"online":
                self.online.add(topic)
            elif topic.endswith(b"/loss"):
                self.losses.append(payload.decode())

    def swipe(self, payload):
        name = self.IDENTIFIER.search(payload)[1]
        if name in self.seen:
            self.copies += 1
            return
        self.seen.add(name)
        sent = datetime.strptime(self.TIME.search(payload)[1].decode(), "%Y-%m-%dT%H:%M:%S.%fZ")
        self.delays.append(time.time() - sent.replace(tzinfo=timezone.utc).timestamp())

    def begin(self):
        self.seen, self.copies, self.losses, self.delays = set(), 0, [], []


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid, name):
    for line in open(f"/proc/{pid}/smaps_rollup"):
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def start_bridges(folder):
    bridges = []
    for number in range(HOSTS):
        with open(f"{folder}/{number}.conf", "w") as file:
            file.write(
                f"[daemon]\nsocket = {folder}/{number}.sock\n[broker]\nport = {PORT}\nname = host{number}\n"
                "[topics]\nbase = fleet/{host}\n[metrics]\nfile =\n[log]\nlevel = error\n")
        bridges.append(
            subprocess.Popen(
                [BRIDGE, "--foreground", "--config", f"{folder}/{number}.conf"],
                stderr=open(f"{folder}/bridges.log", "a"), stdin=subprocess.DEVNULL))
    return bridges


async def step(stubs, application, rate):
    """Swipes at that rate in all, for a time; how many were made."""
    application.begin()
    made, start = 0, time.monotonic()
    while (passed := time.monotonic() - start) < SECONDS:
        while made < passed * rate:
            stubs[made % HOSTS].swipe()
            made += 1
        await asyncio.sleep(0.002)
    patience = time.monotonic() + 30
    while len(application.seen) < made and time.monotonic() < patience:
        await asyncio.sleep(0.1)
    return made


def beside(folder):
    """mosquitto_pub over the same lines: a program for each, and one that reads them all."""
    line = SWIPE % (1, "2026-01-31T09:30:00.123456Z", 1, 0)
    start, count = time.monotonic(), 200
    for _ in range(count):
        subprocess.run(["mosquitto_pub", "-p", str(PORT), "-q", "1", "-t", "beside", "-m", line.strip()], check=True)
    each = count / (time.monotonic() - start)
    many = 20_000
    with open(f"{folder}/lines", "w") as file:
        file.write(line * many)
    start = time.monotonic()
    with open(f"{folder}/lines") as file:
        subprocess.run(["mosquitto_pub", "-p", str(PORT), "-q", "1", "-t", "beside", "-l"], stdin=file, check=True)
    return each, many / (time.monotonic() - start)


async def main():
    folder = tempfile.mkdtemp(prefix="fleet-")
    with open(f"{folder}/mosquitto.conf", "w") as file:
        file.write(f"listener {PORT} localhost\nallow_anonymous true\nmax_queued_messages 0\n")
    broker = subprocess.Popen(
        ["mosquitto", "-c", f"{folder}/mosquitto.conf"], stderr=open(f"{folder}/broker.log", "w"))
    bridges, application = [], Application()
    try:
        await asyncio.sleep(1)
        stubs = [Stub(number, folder) for number in range(HOSTS)]
        for stub in stubs:
            await stub.start()
        counting = asyncio.create_task(application.run())
        idle = cpu_seconds(broker.pid)
        start = time.monotonic()
        bridges = start_bridges(folder)
        while len(application.online) < HOSTS or any(stub.writer is None for stub in stubs):
            if time.monotonic() - start > 300:
                sys.exit(f"only {len(application.online)} of {HOSTS} came online; see {folder}")
            await asyncio.sleep(0.2)
        print(f"{HOSTS} hosts with {READERS} readers each online after {time.monotonic() - start:.1f} s", flush=True)
        await asyncio.sleep(5)
        sample = bridges[:: max(1, HOSTS // 20)]
        before = sum(cpu_seconds(bridge.pid) for bridge in bridges)
        await asyncio.sleep(10)
        at_rest = (sum(cpu_seconds(bridge.pid) for bridge in bridges) - before) / 10 / HOSTS
        pss = sum(memory(bridge.pid, "Pss") for bridge in sample) / len(sample)
        private = sum(memory(bridge.pid, "Private_Dirty") for bridge in sample) / len(sample)
        print(
            f"a bridge at rest: {pss:.2f} MiB (PSS), {private:.2f} MiB of its own, {at_rest * 100:.3f} % of a processor; "
            f"the broker: {memory(broker.pid, 'Pss'):.1f} MiB", flush=True)
        print("| swipes/s | made | arrived | copies | losses | mean delay ms | 99 % ms | bridge CPU us/swipe | broker CPU us/swipe |")
        print("|---|---|---|---|---|---|---|---|---|", flush=True)
        rate = FIRST_RATE
        while rate <= LAST_RATE:
            cpu = sum(cpu_seconds(bridge.pid) for bridge in bridges)
            broker_cpu = cpu_seconds(broker.pid)
            made = await step(stubs, application, rate)
            bridge_us = (sum(cpu_seconds(bridge.pid) for bridge in bridges) - cpu) / made * 1e6
            broker_us = (cpu_seconds(broker.pid) - broker_cpu) / made * 1e6
            delays = sorted(application.delays) or [float("nan")]
            mean = sum(delays) / len(delays)
            print(
                f"| {rate} | {made} | {len(application.seen)} | {application.copies} | {len(application.losses)} | "
                f"{mean * 1000:.1f} | {delays[int(len(delays) * 0.99)] * 1000:.1f} | {bridge_us:.0f} | {broker_us:.0f} |",
                flush=True)
            if len(application.seen) < made or application.losses or mean > LONGEST_MEAN_SECONDS:
                print(f"not held: {rate} swipes/s")
                break
            rate *= 2
        pss, private = (sum(memory(bridge.pid, name) for bridge in sample) / len(sample) for name in ("Pss", "Private_Dirty"))
        print(f"a bridge behind it: {pss:.2f} MiB (PSS), {private:.2f} MiB of its own; the broker: {memory(broker.pid, 'Pss'):.1f} MiB")
        each, many = beside(folder)
        print(f"beside it, mosquitto_pub over the same lines: {each:.0f} a second as a program each, {many:.0f} from one pipe")
        counting.cancel()
        shutil.rmtree(folder)
    finally:
        # It would try to connect for ever.
        if application.process:
            application.process.kill()
        for process in bridges + [broker]:
            process.send_signal(signal.SIGKILL)
        for process in bridges + [broker]:
            process.wait()
    # The stubs' connections are cut off in the middle of a line: nothing is to be said of that.
    sys.stdout.flush()
    os._exit(0)


asyncio.run(main())
