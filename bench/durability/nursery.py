"""How can a thousand processes start in a few minutes? One imports everything, once; each of the others is its fork.

Run as `python bench/durability/nursery.py`: it reads a line of JSON for each command to start, and prints one when the
command has started and one when it has ended. A child is a process of its own, in a session of its own, with its own
event loop, connections and locks; what it shares with its parent is what the imports have left in memory.

Where it is told a log, a child also notes in it each transaction of the crawl database and each commit of the index
that has returned: from then on, somebody relies on it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ["SCRAPY_SETTINGS_MODULE"] = "spiders.settings"

from scrapy.utils.project import get_project_settings

import commands.__main__
from bench.durability.agreement import digest
from crawldb.database import CrawlDatabase
from indexer.segments.writer import IndexWriter
from pipelines.near_duplicates import signature
from spiders.parse.language import identify

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

MODULES = (  # what a crawl and an index writer import late; the settings name the rest
    "commands.command", "commands.crawl", "commands.index", "indexer.following",
    "scrapy.cmdline", "scrapy.core.downloader.handlers.http11", "scrapy.extensions.logstats",
    "scrapy.spidermiddlewares.start", "spiders.site",
)  # fmt: skip
POLL_SECONDS = 0.002  # how often the nursery looks for children that have ended
TEXT = "These are words of a common language, so that what recognises one is loaded before the first fork."


def import_the_rest() -> None:
    """Import what Scrapy imports by name, from the settings, when a crawl begins; but no reactor."""
    from scrapy.utils.misc import load_object  # noqa: PLC0415 - only here

    for module in MODULES:
        import_module(module)
    for value in get_project_settings().values():
        words = [*value, *value.values()] if hasattr(value, "values") else [value]
        for word in words:
            if (
                isinstance(word, str)
                and word.startswith(("scrapy.", "spiders.", "pipelines."))
                and ".reactor" not in word
            ):
                with contextlib.suppress(ImportError, NameError, AttributeError):  # a module, or what is not installed
                    load_object(word)
    identify(TEXT)
    signature(" ".join(map(str, range(500))))  # long enough to be compared
    if "twisted.internet.reactor" in sys.modules:
        raise SystemExit("the nursery has a reactor, which no fork could use")


def note_what_returns(shim: ctypes.CDLL) -> None:
    """Put a mark into the shim's log whenever a transaction or a commit of the index has returned."""
    transaction, publish = CrawlDatabase.transaction, IndexWriter._publish  # noqa: SLF001 - watched, not changed

    @contextmanager
    def noted(self: CrawlDatabase) -> Iterator[sqlite3.Connection]:
        with transaction(self) as connection:
            yield connection
        shim.crash_note(f"database {digest(self.connection)}".encode())

    def noted_commit(self: IndexWriter, position: int) -> None:
        publish(self, position)
        shim.crash_note(f"index {self._generation.number}".encode())

    CrawlDatabase.transaction = noted  # type: ignore[method-assign]  # as below
    IndexWriter._publish = noted_commit  # type: ignore[method-assign]  # noqa: SLF001 - watched, not changed


def live(order: dict[str, Any]) -> NoReturn:
    """Become the command that was ordered."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    said = os.open(order["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    printed = (
        os.open(order["printed"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) if "printed" in order else nothing
    )
    for place, file in enumerate((nothing, printed, said)):
        os.dup2(file, place)
    if "environment" in order:
        os.environ.clear()
        os.environ.update(order["environment"])
    arm(order)
    words: list[str] = order["words"]
    sys.argv = ["breadcrumb", *words]
    code = 1
    try:
        code = commands.__main__.main(words)
    except SystemExit as end:  # as Scrapy ends
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - the interpreter would print it, and this is where it ends
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def arm(order: dict[str, Any]) -> None:
    """Tell the shim what to watch, and at which call to kill this process or its index writer."""
    if "LD_PRELOAD" not in os.environ:
        return
    shim = ctypes.CDLL(None)
    folder, log = order.get("under", "").encode(), order.get("log", "").encode()
    shim.crash_arm(folder, log, ctypes.c_long(order.get("at", 0)))
    os.environ |= {"CRASH_UNDER": order.get("under", ""), "CRASH_AT": str(order.get("writer_at", 0))}
    if log:
        note_what_returns(shim)


def main() -> None:
    """Fork a child for each order, until standard input closes."""
    import_the_rest()
    tell({"ready": os.getpid()})
    children: set[int] = set()
    while True:
        readable = select.select([sys.stdin], [], [], POLL_SECONDS if children else None)[0]
        if readable:
            line = sys.stdin.readline()
            if not line:
                return
            pid = os.fork()
            if not pid:
                live(json.loads(line))
            children.add(pid)
            tell({"started": pid})
        for pid in list(children):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                children.remove(pid)
                tell({"ended": pid, "code": os.waitstatus_to_exitcode(status)})


def tell(answer: dict[str, int]) -> None:
    """Print a line for the bench."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
