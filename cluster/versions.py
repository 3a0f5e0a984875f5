"""Do driver and executors fit together? They do with the same code and the same Python."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Self

from crawldb.database import newest_schema
from spiders.own_settings import ROOT

ROOMS = ("cluster", "commands", "crawldb", "frontier", "indexer", "pipelines", "reports", "robots", "spiders", "urls")


@dataclass(frozen=True, slots=True)
class Versions:
    """What must be the same: a digest of Breadcrumb's own files, Python's `3.11`, the schema of the crawl database."""

    breadcrumb: str
    python: str
    schema: int

    @classmethod
    def here(cls) -> Self:
        """Return those of this process."""
        return cls(code_digest(), ".".join(platform.python_version_tuple()[:2]), newest_schema())

    def difference(self, other: Versions, whose: str) -> str:
        """Return why `other`, `whose` they are, does not do, and what would; "" where it does."""
        if other.python != self.python:
            told = f"{whose} has Python {other.python}, and here it is {self.python}"
            return f"{told}: let both have the same (PYSPARK_PYTHON names it)"
        if other.breadcrumb != self.breadcrumb:
            return (
                f"{whose} has another version of Breadcrumb (its code is {other.breadcrumb}, and here it is "
                f"{self.breadcrumb}): bring both to the same commit"
            )
        return ""


@cache
def code_digest() -> str:
    """Return a digest of the code of all rooms that crawl: the version number does not change with each commit."""
    digest = sha256()
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in {".py", ".sql"}:
                digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]
