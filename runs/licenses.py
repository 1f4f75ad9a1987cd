#!/usr/bin/env python3
"""The licences of all crates that are linked into the program, with the texts that they carry.

    python3 runs/licenses.py > LICENSES-DEPENDENCIES.txt
"""

import json
import subprocess
import sys
from pathlib import Path

METADATA = ["cargo", "metadata", "--format-version", "1", "--locked",
            "--filter-platform", "x86_64-unknown-linux-gnu"]
ROOTS = ("tabiya", "tabiya-probe")


def linked(metadata):
    """The packages that the roots depend on at run time, from other sources than this workspace."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [package["id"] for package in packages.values() if package["name"] in ROOTS]
    seen = set()
    while waiting:
        package = waiting.pop()
        if package in seen:
            continue
        seen.add(package)
        for dependency in nodes[package]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    foreign = [packages[package] for package in seen if packages[package]["source"]]
    return sorted(foreign, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """The licence files in the folder of a package."""
    folder = Path(package["manifest_path"]).parent
    for path in sorted(folder.iterdir()):
        name = path.name.upper()
        if path.is_file() and name.startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")):
            yield path.name, path.read_text(errors="replace").strip()


def main():
    metadata = json.loads(subprocess.run(METADATA, stdout=subprocess.PIPE, check=True).stdout)
    packages = linked(metadata)
    unknown = [package["name"] for package in packages if not package["license"] and not package["license_file"]]
    if unknown:
        sys.exit(f"no licence is stated by {', '.join(unknown)}")
    print("Tabiya contains these crates. A text that several of them carry is printed once.\n")
    for package in packages:
        print(f'{package["name"]} {package["version"]}: {package["license"] or package["license_file"]}')
    holders = {}
    for package in packages:
        for name, text in texts(package):
            holders.setdefault(text, []).append(f'{package["name"]} {package["version"]} ({name})')
    for text, names in holders.items():
        print(f'\n{"=" * 80}\n{", ".join(names)}\n\n{text}')


if __name__ == "__main__":
    main()
