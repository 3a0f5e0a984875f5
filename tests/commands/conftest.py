"""A little crawl to query, and two robots.txt files.

The crawl is of a bakery with bread, a copy, a hidden page, a page that moved, and a closed folder. One robots.txt is
plain, the other has two groups, a delay and a misspelt field.

A command runs in this process, with its own files for input and output: half a second of each start of Python is
imports. A test starts a process if it kills, stops or watches it, and a fork if the command needs Scrapy.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import pytest

from commands import LIGHT
from commands.__main__ import main
from crawldb.tables.robots_files import note_request, write_robots
from frontier.job import CrawlJob
from frontier.session import Session
from indexer.following import catch_up
from robots import RobotsRecord, RobotsRequest
from tests.child import child
from tests.forks import forked
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Link, Outcome, Page, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager
    from subprocess import Popen

    from tests.forks import ForkServer


ROOT = Path(__file__).resolve().parents[2]
HOST = "http://bakery.localhost:8400"
ROBOTS = b"User-agent: *\nAllow: /\nDisallow: /ovens/\n"
TEXTS = {
    "/": ("The bakery", "Fresh bread every morning, baked by hand in Mill Lane."),
    "/sourdough.html": ("Sourdough", "A sourdough starter wants flour, water and patience. Feed the starter daily."),
    "/rye.html": ("Rye bread", "Rye bread keeps for a week. Its crust is dark and its crumb is dense."),
    "/brot.html": ("Roggenbrot", "Roggenbrot hält eine Woche. Die Kruste ist dunkel."),
    "/pan.html": ("食パン", "毎朝、焼きたての食パンを店で売っています。小麦粉と水だけで作ります。"),
    "/copy.html": ("Sourdough", "A sourdough starter wants flour, water and patience. Feed the starter daily."),
    "/secret.html": ("Secret recipe", "Nobody may index this."),
}
REFUSALS = {
    "/copy.html": Refusal(Rule.DUPLICATE, f"its content is that of {HOST}/sourdough.html"),
    "/secret.html": Refusal(Rule.NOINDEX, "its meta robots says noindex"),
}


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    """Runs the real commands on a data folder, as a person in a terminal does."""

    data: Path
    folder: Path

    def command(self, *words: str) -> list[str]:
        """Return the words that start a command; -s stands where it can't be taken for a word after --."""
        name, *rest = words
        return [sys.executable, str(ROOT / "commands"), name, "-s", f"DATA_DIR={self.data}", *rest]

    def start(self, *words: str) -> AbstractContextManager[Popen[str]]:
        """Start a command as a process of its own, which ends with the block."""
        return child(self.command(*words), cwd=self.folder, env=environment(), stdin=PIPE)

    def run(self, *words: str, given: str = "") -> Ended:
        """Run a command to its end in this process; `given` is its standard input."""
        name, *rest = words
        return self.run_as_it_stands(name, "-s", f"DATA_DIR={self.data}", *rest, given=given)

    def run_as_it_stands(self, *words: str, given: str = "") -> Ended:
        """Run a command as `run` does, without a word of ours."""
        name, *rest = words
        assert name in LIGHT, "what needs Scrapy needs a process: `in_scrapy` runs it"
        with ExitStack() as stack:
            files = [stack.enter_context(TemporaryFile("w+", encoding="utf-8")) for _ in range(3)]
            files[0].write(given)
            files[0].seek(0)
            process = stack.enter_context(pytest.MonkeyPatch.context())
            process.chdir(self.folder)
            stack.callback(restore_variables, dict(os.environ))
            for stream, file in zip(("stdin", "stdout", "stderr"), files, strict=True):
                process.setattr(sys, stream, file)
            for number in (signal.SIGINT, signal.SIGTERM):
                stack.callback(signal.signal, number, signal.getsignal(number))
            try:
                code = main([name, *rest])
            except SystemExit as end:
                code = int(end.code or 0)
            for file in files:
                file.seek(0)
            return Ended(code, files[1].read(), files[2].read())


def restore_variables(before: Mapping[str, str]) -> None:
    """Restore the environment variables: a command passes settings to its child processes by some."""
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY"))}
    return kept | {"PYTHONUTF8": "1"}


def page(path: str, links: Iterable[str] = ()) -> Page:
    """Return a page of the bakery."""
    title, text = TEXTS[path]
    refusal = REFUSALS.get(path)
    return Page(
        canonicalize(HOST + path), title, text,
        links=tuple(Link(HOST + target, TEXTS.get(target, (target, ""))[0]) for target in links),
        language={"/brot.html": "de", "/pan.html": "ja"}.get(path, "en"),
        fetched_at=time.time(), content_type="text/html", body=text.encode(), fingerprint=title.encode(),
        duplicate_of=canonicalize(f"{HOST}/sourdough.html") if path == "/copy.html" else None,
        refusals=(refusal,) if refusal else (),
    )  # fmt: skip


def fill(data: Path) -> None:
    """Crawl the bakery, as the spider would: each lease ends in a page or an outcome."""
    session = Session(data, CrawlJob([canonicalize(f"{HOST}/")]))
    record = RobotsRecord(
        "http://bakery.localhost:8400",
        "PARSED",
        "robots.txt answered 200",
        time.time(),
        time.time() + 86400,
        200,
        ROBOTS,
        good_at=time.time(),
    )
    hop = RobotsRequest(f"{HOST}/robots.txt", record.fetched_at, 0.01, 200, len(ROBOTS))
    note_request(session.database, session.run, record.origin, hop)
    write_robots(session.database, session.run, record)
    linked = [*list(TEXTS)[1:], "/old.html", "/gone.html", "/ovens/", "/a/a/a/"]
    while leases := session.frontier.lease(10, lambda _site: 10):
        for lease in leases:
            path = lease.url.removeprefix(HOST)
            if path in TEXTS:
                session.store.page(page(path, linked if path == "/" else ()))
            else:
                session.store.outcome(outcome(lease.url, path))
    session.close("finished")


def outcome(url: str, path: str) -> Outcome:
    """Return how the lease of a path without a page ends."""
    canonical, now = canonicalize(url), time.time()
    if path == "/old.html":
        target = f"{HOST}/rye.html"
        return Outcome(canonical, LeaseEnd.MOVED, Rule.MOVED, f"301 to {target}", 301, target, fetched_at=now)
    if path == "/gone.html":
        return Outcome(canonical, LeaseEnd.GONE, Rule.GONE, "it answered 404", 404, fetched_at=now)
    reason = "robots.txt: disallowed by line 3 (Disallow: /ovens/)"
    return Outcome(canonical, LeaseEnd.REFUSED, Rule.ROBOTS, reason, fetched_at=now, requested=False)


@pytest.fixture
def empty(tmp_path: Path) -> Breadcrumb:
    """A data folder that does not exist yet."""
    return Breadcrumb(tmp_path / "data", tmp_path)


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two data folders to copy: one that is crawled, and one that is indexed as well."""
    crawled, indexed = (tmp_path_factory.mktemp("filled") / name for name in ("crawled", "indexed"))
    fill(crawled)
    shutil.copytree(crawled, indexed)
    catch_up(indexed)
    return crawled, indexed


@pytest.fixture
def crawled(empty: Breadcrumb, filled: tuple[Path, Path]) -> Breadcrumb:
    """The bakery is crawled, and nothing is indexed."""
    shutil.copytree(filled[0], empty.data)
    return empty


@pytest.fixture
def bakery(empty: Breadcrumb, filled: tuple[Path, Path]) -> Breadcrumb:
    """The bakery is crawled and indexed."""
    shutil.copytree(filled[1], empty.data)
    return empty


@pytest.fixture
def in_scrapy(forks: ForkServer, empty: Breadcrumb) -> Callable[..., Ended]:
    """Run a command that needs Scrapy, as a fork."""

    def run(name: str, *words: str) -> Ended:
        done = forked(forks, name, "-s", f"DATA_DIR={empty.data}", *words)
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


PLAIN_ROBOTS = b"User-agent: *\nAllow: /\nDisallow: /ovens/\n"
MIXED_ROBOTS = b"""\
User-agent: *
Allow: /
Disallow: /ovens/
Disalow: /mill/
Crawl-delay: 10

User-agent: Crumb
Disallow: /admin/
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "robots.txt"
    path.write_bytes(PLAIN_ROBOTS)
    return path


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    path = tmp_path / "robots.txt"
    path.write_bytes(MIXED_ROBOTS)
    return path
