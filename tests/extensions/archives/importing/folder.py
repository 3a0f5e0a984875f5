"""Functions for tests of `import`: its calls, and the folder after it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from crawldb.database import CrawlDatabase

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb

A = "http://a.example/"
ROBOTS = "User-agent: *\nDisallow: /secret\n"


def put(folder: Path, data: bytes, name: str = "site.warc.gz") -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def imported(at: Breadcrumb, *files: str, code: int = 0) -> list[dict[str, Any]]:
    done = at.run("import", "--json", *files)
    assert done.code == code, done.err
    told: list[dict[str, Any]] = json.loads(done.out)["archives"]
    return told


def rules(at: Breadcrumb) -> dict[str, str]:
    """By which rule each URL ended, without its scheme and host."""
    with CrawlDatabase(at.data, readonly=True) as database:
        rows = database.connection.execute("SELECT url, rule FROM url WHERE ended_in IS NOT NULL OR state = 4")
        return {url.removeprefix(A): str(rule) for url, rule in rows}


def journal(at: Breadcrumb) -> str:
    with CrawlDatabase(at.data, readonly=True) as database:
        rows = database.connection.execute("SELECT rule, reason FROM journal ORDER BY id")
        return "\n".join(f"{rule}: {reason}" for rule, reason in rows)
