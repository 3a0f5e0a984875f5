"""Under which licence is each package that Breadcrumb needs? As the package's own metadata says.

    .venv/bin/python package/licences.py

writes `licences.txt` beside it: a package a line, with an SPDX expression, or in quotes what its metadata says instead.
The software bill of materials in the wheel has them (backend.py). A package that is not installed here keeps its line.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import PackageMetadata

HERE = Path(__file__).resolve().parent
LISTED = HERE / "licences.txt"
PIN = re.compile(r"^([a-z0-9.-]+)==([^ ;\\]+)(.*(?:\n .*)*)", re.MULTILINE)  # a line, and the indented ones below it
HASH = re.compile(r"sha256:([0-9a-f]{64})")
CLASSIFIER = "License :: OSI Approved :: "
SPDX = {  # what packages write, where that means one licence alone; "BSD" means two
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "MIT License": "MIT",
    "PSFL": "PSF-2.0",
    "ZPL 2.1": "ZPL-2.1",
}
IDENTIFIERS = frozenset({*SPDX.values(), "BSD-2-Clause", "BSD-3-Clause", "MPL-2.0"})


class LockedPackage(NamedTuple):
    """A package of requirements.lock, with the SHA-256 of each of its files."""

    name: str
    version: str
    hashes: list[str]


def declared(package: PackageMetadata) -> str:
    """Return the SPDX expression in a package's metadata, or in quotes the words that it has instead."""
    fields = package.json
    if expression := fields.get("license_expression"):
        return str(expression)
    words = str(fields.get("license", "")).strip()
    if not words or "\n" in words:  # a whole text
        classifiers = fields.get("classifier", [])
        words = ", ".join(each.removeprefix(CLASSIFIER) for each in classifiers if each.startswith(CLASSIFIER))
    words = SPDX.get(words, words)
    return words if words in IDENTIFIERS else f'"{words}"'


def locked() -> list[LockedPackage]:
    """Return the packages of requirements.lock, sorted."""
    found = PIN.findall((HERE.parent / "requirements.lock").read_text("utf-8"))
    return sorted(LockedPackage(name, version, HASH.findall(rest)) for name, version, rest in found)


def listed() -> dict[str, str]:
    """Return what `licences.txt` says of each package."""
    return dict(line.split(" ", 1) for line in LISTED.read_text("utf-8").splitlines())


def main() -> None:
    """Write `licences.txt`. Raises KeyError for a package that is neither installed nor listed."""
    before = listed()
    found = {}
    for name in (package.name for package in locked()):
        try:
            found[name] = declared(metadata(name))
        except PackageNotFoundError:
            found[name] = before[name]
    LISTED.write_text("".join(f"{name} {licence}\n" for name, licence in found.items()), "utf-8")


if __name__ == "__main__":
    main()
