"""Data folders of earlier versions, each made by the code of its time.

`old_folders.tar.xz` has a folder `SCHEMA-COMMIT` for each schema: the crawl database as SQL, and for each format of the
index one index. That commit crawled a bakery of five pages on loopback: a copy, a
hidden page, a link to a page that is gone, a page that robots.txt closes, and a sitemap.
"""

from __future__ import annotations

import sqlite3
import tarfile
from functools import cache
from pathlib import Path

from crawldb.database import FILE_NAME
from crawldb.visited import key_of

ARCHIVE = Path(__file__).with_name("old_folders.tar.xz")
SITE = "http://127.0.0.1:8417"


@cache
def old_files() -> dict[str, bytes]:
    """The content of each file, by its path."""
    with tarfile.open(ARCHIVE) as archive:
        return {member.name: file.read() for member in archive if (file := archive.extractfile(member))}


def old_folders() -> list[str]:
    """The names of all folders, with the oldest schema first."""
    return sorted({name.partition("/")[0] for name in old_files()})


def folders_with_an_index() -> list[str]:
    """The names of those that have an index."""
    return sorted({name.partition("/")[0] for name in old_files() if "/index/" in name})


def unpack(name: str, data_dir: Path) -> None:
    """Make the data folder `name`, as a crawl of its time has left it."""
    data_dir.mkdir(parents=True)
    for path, content in old_files().items():
        folder, _, below = path.partition("/")
        if folder == name and below != "crawl.sql":
            (data_dir / below).parent.mkdir(parents=True, exist_ok=True)
            (data_dir / below).write_bytes(content)
    connection = sqlite3.connect(data_dir / FILE_NAME)
    connection.create_function("url_key", 1, key_of, deterministic=True)
    connection.executescript(old_files()[f"{name}/crawl.sql"].decode())
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
