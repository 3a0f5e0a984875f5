"""Whole crawls: a small site on loopback, and the real command in a process of its own.

A command is a fork of a process that has imported everything already: three quarters of the time of a small crawl are
the imports. A new process is what a terminal's signals stop (faults/test_stopping.py), and what the demo starts.
"""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

import pytest

from commands import MODULES
from crawldb.database import CrawlDatabase
from reports.numbers import Report, report
from tests.child import child
from tests.forks import Fork, ForkServer, fork, forked
from tests.serving import PatientServer, StampedHandler, serving

COMMANDS = Path(__file__).resolve().parents[2] / "commands"

Answer = tuple[int, dict[str, str], bytes]


def html(title: str, *links: str, text: str = "", head: str = "") -> Answer:
    """A page of its own words with links."""
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    words = text or f"This page is about {title} and about nothing else."
    body = f"<title>{title}</title>{head}<p>{words}</p>{anchors}"
    return 200, {"Content-Type": "text/html; charset=utf-8"}, body.encode()


@dataclass
class Site:
    """A site on loopback: `pages` answers by path, a function being asked each time; `log` is what was asked."""

    port: int = 0
    pages: dict[str, Answer | Callable[[dict[str, str]], Answer]] = field(default_factory=dict)
    log: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)  # when each of the log arrived, in seconds since the epoch

    held: list[threading.Event] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def hold(self, *paths: str) -> threading.Event:
        """Let these pages wait for as long as a test wants: until it sets the event that is returned, or ends."""
        free = threading.Event()
        self.held.append(free)
        for path in paths:
            self.pages[path] = after(free, self.pages[path])
        return free

    def asked(self) -> list[str]:
        """The paths asked for, in order."""
        return [path for path, _ in self.log]


def after(
    free: threading.Event, answer: Answer | Callable[[dict[str, str]], Answer]
) -> Callable[[dict[str, str]], Answer]:
    """Return an answer that comes when an event is set."""

    def answered(headers: dict[str, str]) -> Answer:
        free.wait()
        return answer(headers) if callable(answer) else answer

    return answered


@contextmanager
def served_site() -> Iterator[Site]:
    """Serve a site on a free port until the block ends."""
    made, one_by_one = Site(), threading.Lock()

    class Handler(StampedHandler, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with one_by_one:
                made.starts.append(self.stamped.arrived or time.time())
                made.log.append((self.path, dict(self.headers)))
            answer = made.pages.get(self.path, (404, {"Content-Type": "text/plain"}, b"nothing here"))
            status, headers, body = answer(dict(self.headers)) if callable(answer) else answer
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(body))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing: the log is `made.log`."""

    server = PatientServer(("127.0.0.1", 0), Handler)
    made.port = server.server_port
    with serving(server):
        yield made
        for free in made.held:
            free.set()


@pytest.fixture
def site() -> Iterator[Site]:
    with served_site() as made:
        yield made


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a port at which nobody answers, and which nobody else can take."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{nobody.getsockname()[1]}/"


@dataclass
class Folder:
    """A data folder and the commands that are run on it."""

    forks: ClassVar[ForkServer]

    path: Path

    def command(self, *words: str) -> list[str]:
        name, *rest = words
        return [sys.executable, str(COMMANDS), name, "-s", f"DATA_DIR={self.path}", *rest]

    def start(self, *words: str) -> AbstractContextManager[Fork]:
        """Start a command, which ends with the block."""
        name, *rest = words
        return fork(self.forks, name, "-s", f"DATA_DIR={self.path}", *rest)

    def start_anew(self, *words: str, **options: Any) -> AbstractContextManager[subprocess.Popen[str]]:
        """Start a command as a person does: as a new process of Python, which ends with the block."""
        return child(self.command(*words), **options)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        name, *rest = words
        return forked(self.forks, name, "-s", f"DATA_DIR={self.path}", *rest)

    def crawl(self, *seeds: str, **settings: object) -> subprocess.CompletedProcess[str]:
        """Crawl to the end; `pages` is the spider's argument, what is in capitals a setting.

        Pages of a test are short. Breadcrumb asks a small site of short pages for a made-up one, unless PROBE_AFTER=0.
        """
        words = ["-a", f"seeds={','.join(seeds)}"] if seeds else []
        settings = {"RETRY_DELAY": 0.05, "PROBE_AFTER": 0} | settings
        for name, value in settings.items():
            words += ["-s", f"{name}={value}"] if name.isupper() else ["-a", f"{name}={value}"]
        return self.run("crawl", "site", *words)

    def database(self) -> CrawlDatabase:
        return CrawlDatabase(self.path, readonly=True)

    def report(self) -> Report:
        with self.database() as database:
            return report(database)

    def rules(self) -> dict[str, str]:
        """How each discovered URL ended, by its path."""
        with self.database() as database:
            rows = database.connection.execute("SELECT substr(url, instr(substr(url, 9), '/') + 8), rule FROM url")
            return dict(rows.fetchall())

    def expire_robots(self) -> None:
        """Let a day pass for what each robots.txt said."""
        with CrawlDatabase(self.path) as database, database.transaction() as connection:
            connection.execute("UPDATE robots SET expires_at = 0")

    def search(self, query: str) -> list[str]:
        """The paths of the results."""
        done = self.run("search", "--json", query)
        assert done.stdout, done.stderr
        return ["/" + hit["url"].split("/", 3)[3] for hit in json.loads(done.stdout)["hits"]]


def assert_polite(folder: Folder, *limits: str) -> None:
    """Let `audit` prove from the fetch log that the crawl was polite, where that extension is there."""
    if "audit" in MODULES:
        done = folder.run("audit", *limits)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session", autouse=True)
def _forks(forks: ForkServer) -> None:
    Folder.forks = forks


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "data")
