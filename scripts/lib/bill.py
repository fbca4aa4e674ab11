#!/usr/bin/env python3
"""Lists the parts of built packages, as SPDX 2.3 in JSON, on standard output.

What is linked is read from the linker's own list of objects for each program; versions from
debian/pinned-versions, addresses and revisions from Package.resolved, what is linked dynamically
from the packages' Depends. The same packages give the same bytes.
"""
import argparse
import hashlib
import json
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

# The programs of each package, by the name of the product.
PROGRAMS = {
    "swiped": ["swiped", "asound_module_pcm_swiped"],
    "swipectl": ["swipectl"],
    "swiped-web": ["swiped-web"],
    "swiped-mqtt": ["swiped-mqtt"],
}
# Sources of others that a package has in it: the module, its license, and where its version stands. Of fiat-crypto it is the revision of
# the BoringSSL that it came with.
BORING_REVISION = ("hash.txt", r"revision ([0-9a-f]{40})")
WITHIN = {
    "CNIOAtomics": [("uSHET cpp_magic.h", "MIT", "src/cpp_magic.h", r"uSHET/blob/([0-9a-f]{40})")],
    "CNIOBoringSSL": [
        ("BoringSSL", "Apache-2.0", *BORING_REVISION),
        ("fiat-crypto of BoringSSL", "Apache-2.0 OR MIT OR BSD-1-Clause", *BORING_REVISION),
    ],
    "CNIOLLHTTP": [("llhttp", "MIT", "include/c_nio_llhttp.h", r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)")],
    "CNIOSHA1": [("FreeBSD sha1", "BSD-3-Clause", "c_nio_sha1.c", r"sha1\.c,v ([0-9.]+)")],
}
# What of the compiler's libraries a program has in it, beside the standard library: its license, and a name that each has in it.
RUNTIME = {
    "swift-corelibs-libdispatch": ("Apache-2.0 WITH Swift-exception", b"dispatch_queue_create"),
    "BlocksRuntime": ("MIT", b"_Block_copy"),
    "swift-foundation (FoundationEssentials)": ("Apache-2.0 WITH Swift-exception", b"$s20FoundationEssentials"),
    "swift-collections of swift-foundation": ("Apache-2.0 WITH Swift-exception", b"$s22_FoundationCollections"),
    "uuid of swift-foundation": ("BSD-3-Clause", b"_foundation_uuid_generate_random"),
    "swift-experimental-string-processing": ("Apache-2.0 WITH Swift-exception", b"$s17_StringProcessing"),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--products", type=Path, required=True, help="the folder that was linked in")
    parser.add_argument("--checkouts", type=Path, required=True, help="the sources of the other packages")
    parser.add_argument("--pinned", type=Path, required=True, help="debian/pinned-versions")
    parser.add_argument("--resolved", type=Path, required=True, help="Package.resolved")
    parser.add_argument("--compiler", required=True, help="its version")
    parser.add_argument("--tree", required=True, help="git's hash of the sources")
    parser.add_argument("--epoch", type=int, required=True, help="the seconds that the packages are of")
    parser.add_argument("debs", nargs="+", type=Path)
    return parser.parse_args()


def fields(deb):
    """The package's own, of its control file."""
    text = subprocess.run(["dpkg-deb", "--field", deb], check=True, capture_output=True, text=True).stdout
    return dict(line.split(": ", 1) for line in text.splitlines() if re.match(r"[A-Z][A-Za-z-]*: ", line))


def modules(products, product):
    """What the linker was given for a program, by module."""
    objects = (products / f"{product}.product" / "Objects.LinkFileList").read_text()
    return sorted(set(re.findall(r"/([^/\s]+)\.build/", objects.replace(str(products), ""))))


class Pinned:
    """The other packages, and which of them a module belongs to."""

    def __init__(self, options):
        lines = [line.split() for line in options.pinned.read_text().splitlines() if not line.startswith("#")]
        self.versions = {name: (version, tree) for name, version, tree in lines}
        pins = json.loads(options.resolved.read_text())["pins"]
        self.sources = {pin["identity"]: (pin["location"], pin["state"]["revision"]) for pin in pins}
        self.folders = {}
        for folder in sorted(options.checkouts.glob("*/Sources/*")):
            self.folders.setdefault(folder.name, folder)

    def owner(self, module):
        """None where the module is one of this project's."""
        folder = self.folders.get(module)
        if folder is None:
            return None
        name = folder.parent.parent.name
        if name not in self.versions:
            sys.exit(f"{module} is linked, and its package {name} is not pinned")
        return name

    def license(self, module):
        """As its LICENSE.txt has it: with or without the exception of Swift's runtime library."""
        text = (self.folders[module].parent.parent / "LICENSE.txt").read_text()
        if "Apache License" not in text:
            sys.exit(f"{module} is linked, and the license of its package is not Apache's any more")
        return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"

    def within(self, module):
        for name, license, file, pattern in WITHIN.get(module, []):
            found = re.findall(pattern, (self.folders[module] / file).read_text())
            if not found:
                sys.exit(f"{module}/{file} does not say its version any more")
            yield name, license, ".".join(found)


class Bill:
    def __init__(self):
        self.packages, self.relations = {}, []

    def add(self, name, version, license, location="NOASSERTION", **more):
        key = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)
        self.packages[key] = {
            "SPDXID": key, "name": name, "versionInfo": version, "downloadLocation": location,
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": license,
            "copyrightText": "NOASSERTION", **more,
        }
        return key

    def relate(self, element, kind, other):
        relation = {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other}
        if relation not in self.relations:
            self.relations.append(relation)

    def text(self, namespace, epoch):
        return json.dumps({
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": "swiped", "documentNamespace": namespace,
            "creationInfo": {
                "created": datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "creators": ["Organization: swiped maintainers", "Tool: scripts/build-deb"],
            },
            "packages": [self.packages[key] for key in sorted(self.packages)],
            "relationships": sorted(self.relations, key=lambda relation: list(relation.values())),
        }, indent=1)


def purl(rest):
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:{rest}"}


def link(bill, deb, product, pinned, products):
    for module in modules(products, product):
        name = pinned.owner(module)
        if name is None:
            continue
        version, tree = pinned.versions[name]
        location, revision = pinned.sources[name]
        address = location.removeprefix("https://").removesuffix(".git")
        part = bill.add(
            name, version, pinned.license(module), f"git+{location}@{revision}", sourceInfo=f"git tree {tree}",
            externalRefs=[purl(f"swift/{address}@{version}")])
        bill.relate(deb, "STATIC_LINK", part)
        for inner, license, its_version in pinned.within(module):
            bill.relate(part, "CONTAINS", bill.add(inner, its_version, license))


def link_runtime(bill, deb, compiler, product, options):
    """The standard library, which every program has, and what else of the compiler's libraries is in it."""
    bill.relate(deb, "STATIC_LINK", compiler)
    program = (options.products / product).read_bytes()
    for name, (license, symbol) in RUNTIME.items():
        if symbol in program:
            part = bill.add(name, options.compiler, license)
            bill.relate(compiler, "CONTAINS", part)
            bill.relate(deb, "STATIC_LINK", part)


def main():
    options = arguments()
    pinned, bill, sums = Pinned(options), Bill(), []
    compiler = bill.add("swift", options.compiler, "Apache-2.0 WITH Swift-exception", "https://www.swift.org")
    for file in sorted(options.debs):
        control = fields(file)
        name, digest = control["Package"], hashlib.sha256(file.read_bytes()).hexdigest()
        sums.append(digest)
        deb = bill.add(
            name, control["Version"], "Apache-2.0", packageFileName=file.name, sourceInfo=f"git tree {options.tree}",
            checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
        bill.relate("SPDXRef-DOCUMENT", "DESCRIBES", deb)
        for product in PROGRAMS.get(name, []):
            link(bill, deb, product, pinned, options.products)
            if any(pinned.owner(module) for module in modules(options.products, product)):
                link_runtime(bill, deb, compiler, product, options)
            bill.relate(compiler, "BUILD_TOOL_OF", deb)
        for needed in re.findall(r"(lib[a-z0-9.+-]+)(?: \(([^)]*)\))?", control.get("Depends", "")):
            library = bill.add(needed[0], needed[1] or "any", "NOASSERTION", externalRefs=[purl(f"deb/debian/{needed[0]}")])
            bill.relate(deb, "DYNAMIC_LINK", library)
    whole = hashlib.sha256("".join(sums).encode()).hexdigest()
    print(bill.text(f"https://swiped.invalid/spdx/{whole}", options.epoch))


main()
