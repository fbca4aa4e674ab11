#!/usr/bin/env python3
"""Of a folder with packages: prints git's hash of the sources that they were built from. Ends with 1, and says why, unless the lists of parts
(*.spdx.json) and those of what a build had (*.buildinfo) name its packages, each once and as it is, all of one tree of sources."""
import hashlib
import json
import re
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
            found = list(listed(bill))
            packages += found
            if not found:
                yield f"{bill.name} names no package"
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
    built = []
    for file in sorted(folder.glob("*.buildinfo")):
        names = checksums(file)
        built += names.items()
        for name in sorted(set(names) - set(files)):
            yield f"{file.name} is of a build with {name}, which is not there"
        if not names:
            yield f"{file.name} names no package"
    for name, digest in sorted(files.items()):
        if built.count((name, digest)) != 1:
            yield f"{name} is in {built.count((name, digest))} .buildinfo files: copy the one that scripts/build-deb made with it"
    for source in sources:
        if not re.fullmatch(r"git tree [0-9a-z-]+", source):
            yield f"the lists of parts name no sources, but: {source}"
    if not files:
        yield f"{folder} has no packages: scripts/build-deb {folder}"


def checksums(buildinfo):
    """Of its Checksums-Sha256, a sum, a size and a name in each line: name to sum."""
    text = buildinfo.read_text(errors="replace") + "\n"
    sums = re.search(r"^Checksums-Sha256:\n((?: .*\n)*)", text, re.MULTILINE)
    return {line[2]: line[0] for line in map(str.split, sums[1].splitlines()) if len(line) == 3} if sums else {}


folder = Path(sys.argv[1])
found = list(faults(folder))
for fault in found:
    print(fault, file=sys.stderr)
if found:
    sys.exit(1)
print(next(entry[2] for bill in folder.glob("*.spdx.json") for entry in listed(bill)).removeprefix("git tree "))
