#!/usr/bin/env python3
"""Ends with 1, and says why, unless the lists of parts in a folder name its packages, each once and as it is, all of one tree of sources."""
import hashlib
import json
import sys
from pathlib import Path


def listed(bill):
    """Of every package in a list: its file, its sum, and its sources."""
    for package in json.loads(bill.read_text())["packages"]:
        if "packageFileName" in package:
            yield package["packageFileName"], package["checksums"][0]["checksumValue"], package["sourceInfo"]


def faults(folder):
    packages = []
    for bill in sorted(folder.glob("*.spdx.json")):
        try:
            packages += listed(bill)
        except (ValueError, LookupError, TypeError, AttributeError):
            yield f"{bill.name} is no list of parts as scripts/build-deb makes it"
    files = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.glob("*.deb")}
    for name, digest in sorted(files.items()):
        sums = [entry[1] for entry in packages if entry[0] == name]
        if not sums:
            yield f"{name} is in no list of parts (*.spdx.json): copy the list that scripts/build-deb made with it"
        elif len(sums) > 1:
            yield f"{name} is in more than one list of parts"
        elif sums != [digest]:
            yield f"{name} is another one than the list of parts names: both have to be of one build"
    for name in sorted({entry[0] for entry in packages} - set(files)):
        yield f"{name} is in a list of parts, and is not there"
    kinds = {}
    for name in files:
        package, version, architecture = (name.removesuffix(".deb").split("_") + ["", ""])[:3]
        kinds.setdefault((package, architecture, version.endswith("+deb13u1")), []).append(name)
    for names in kinds.values():
        if len(names) > 1:
            yield "only one of these would be installed: " + ", ".join(sorted(names))
    sources = sorted({entry[2] for entry in packages})
    if len(sources) > 1:
        yield "the packages are not of the same sources: " + ", ".join(sources)


found = list(faults(Path(sys.argv[1])))
for fault in found:
    print(fault, file=sys.stderr)
sys.exit(1 if found else 0)
