"""What may a student's folder do to whoever grades it? Nothing: each file is bounded, and no link leads out of it."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from indexer.ranking.weights import Formula
    from indexer.retrieval.searcher import Searcher

MAX_HAND_IN_BYTES = 64 * 1024
MAX_LOG_BYTES = 8 * 1024 * 1024  # the end of server.log; a lab writes some 100 kB
MAX_CRAWL_BYTES = 256 * 1024 * 1024  # of a data folder; a lab's has 2 MB
MAX_CRAWL_FILES = 2_000
MAX_HITS = 500
REQUEST = re.compile(r'"(?:GET|HEAD) (?P<path>\S+) [^"]*" (?P<status>\d+)')


class Missing(Exception):
    """A thing was not handed in; the message says what is expected where."""


class Wrong(Exception):
    """A hand-in is wrong; the message says why, and what was measured."""


class LabFolder:
    """The folder of a lab, to be read: files, crawls and indexes. Each method raises Missing or Wrong."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._crawls: dict[str, Path] = {}

    def text(self, name: str, most: int = MAX_HAND_IN_BYTES) -> str:
        """Return the text of a file."""
        place = self._inside(name)
        if not place.is_file():
            raise Wrong(f"{name} is not a file") if place.exists() else Missing(f"there is no file {name}")
        if (size := place.stat().st_size) > most:
            raise Wrong(f"{name} has {size:,} bytes; a hand-in has at most {most:,}")
        text = place.read_bytes()[:most].decode(errors="replace")
        if not text.strip():
            raise Missing(f"{name} is empty")
        return text

    def lines(self, name: str) -> list[str]:
        """Return the lines of a file, without empty ones and those that begin with #."""
        lines = [line.strip() for line in self.text(name).splitlines()]
        if found := [line for line in lines if line and not line.startswith("#")]:
            return found
        raise Missing(f"{name} has no lines but comments")

    def entries(self, name: str, *keys: str) -> dict[str, str]:
        """Return the values of a file with lines `key: value`; all `keys` must be there."""
        pairs = (line.partition(":") for line in self.lines(name))
        found = {key.strip().lower(): value.strip() for key, _, value in pairs}
        for key in keys:
            if not found.get(key):
                raise Missing(f"{name} has no line “{key}: …”")
        return found

    def numbers(self, name: str, *keys: str) -> list[float]:
        """Return the numbers of lines `key: number`, in the order of the keys."""
        found = self.entries(name, *keys)
        return [number_in(f"the line “{key}” of {name}", found[key]) for key in keys]

    def site_files(self, pattern: str) -> list[Path]:
        """Return the files of the folder `site` that a pattern matches, at most 1,000."""
        site = self._inside("site")
        found = sorted(path for path, _ in zip(site.glob(pattern), range(1_000), strict=False))
        return [path for path in found if path.is_file() and path.resolve().is_relative_to(self.path)]

    def requests(self) -> list[tuple[str, int]]:
        """Return the path and the status of each request that server.log has, the oldest first."""
        place = self._inside("server.log")
        if not place.is_file():
            raise Missing("there is no server.log: open the lab with breadcrumb lab, and crawl your site")
        with place.open("rb") as log:
            log.seek(max(0, place.stat().st_size - MAX_LOG_BYTES))
            text = log.read(MAX_LOG_BYTES).decode(errors="replace")
        return [(found["path"], int(found["status"])) for found in REQUEST.finditer(text)]

    def database(self, data: str = "data") -> CrawlDatabase:
        """Open the crawl database of a data folder."""
        from crawldb.database import CrawlDatabase

        return CrawlDatabase(self.crawl(data), readonly=True)

    def index(self, data: str = "data", formula: Formula | None = None) -> Searcher:
        """Open the index of a data folder; the textbook engine's only where it was made, by whoever grades."""
        from commands.frame.data_folder import open_searcher
        from indexer import IndexFault
        from indexer.remote import foreign_index

        folder = self.crawl(data)
        if foreign := foreign_index(folder):
            try:
                foreign.check_trusted()
                mine = foreign.folder.stat().st_uid == os.getuid()
            except IndexFault:
                mine = False
            if not mine:
                raise Missing(f"{data} was not made here: an index of Whoosh's could run code of its author")
        return open_searcher(folder, formula)

    def crawl(self, data: str) -> Path:
        """Return a data folder that is safe to open."""
        if data not in self._crawls:
            folder = self._inside(data)
            if not folder.is_dir():
                raise Missing(f"there is no crawl in {data}: do the steps of the lab")
            _check_size(folder, data)
            self._crawls[data] = folder
        return self._crawls[data]

    def _inside(self, name: str) -> Path:
        place = self.path / name
        if not place.resolve().is_relative_to(self.path):
            raise Wrong(f"{name} is a link that leads out of the folder: hand in the thing itself")
        return place


def _check_size(folder: Path, name: str) -> None:
    size = 0
    for number, entry in enumerate(_walk(folder)):
        status = entry.stat(follow_symlinks=False)
        size += status.st_size
        if not stat.S_ISREG(status.st_mode):
            raise Wrong(f"{name} holds {entry.name}, which is neither a file nor a folder: a crawl has none such")
        if size > MAX_CRAWL_BYTES or number == MAX_CRAWL_FILES:
            raise Wrong(f"{name} is larger than the crawl of a lab can be ({MAX_CRAWL_BYTES // 2**20} MB)")


def _walk(folder: Path) -> Iterator[os.DirEntry[str]]:
    folders = [os.fspath(folder)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    yield entry


def urls(searcher: Searcher, query: str) -> list[str]:
    """Return the URLs of the results of a query, the best first, at most 500."""
    return [hit.url for hit in searcher.search(query, MAX_HITS).hits]


NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def numbers_in(text: str) -> list[float]:
    """Return the numbers in a text: `1,200 pages` has one."""
    return [float(found) for found in NUMBER.findall(re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))]


def number_in(place: str, text: str) -> float:
    """Return the only number of a text. Raises Wrong."""
    found = numbers_in(text)
    if len(found) != 1:
        raise Wrong(f"{place} says “{text[:60]}”: give one number")
    return found[0]


def page_name(url: str) -> str:
    """Return the name by which a lab calls a page: `bread` for /bread.html, `count` for /count/, `home` for /."""
    return last_name(url).removesuffix(".html")


def last_name(url: str) -> str:
    """Return the last name in the path of a URL in lower case, `home` where there is none."""
    return urlsplit(url).path.rstrip("/").rpartition("/")[2].lower() or "home"
