"""How can a thousand processes start in a few minutes? One imports everything, once; each of the others is its fork.

`tests/forks.py` runs it as a program. It reads a line of JSON for each command to start, and prints one when the
command has started and one when it has ended. A shell may call at its door, a socket (`tests/called.py`). A fork is a
process in its own session, with its own event loop, connections and locks. It shares with the server only the memory
after the imports.
"""

from __future__ import annotations

import codecs
import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ["SCRAPY_SETTINGS_MODULE"] = "spiders.settings"

import scrapy.core.downloader.contextfactory  # noqa: F401 - first: it looks at each module that is there, three times
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

from pages.language import identify
from pipelines.duplicates import signature
from tests import forks
from tests.durability.recording import arm
from tests.forks_ahead import PROGRAMS, become, become_what_is_told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOMS = ("commands", "crawldb", "demo", "extensions", "frontier", "gateway", "indexer", "pages", "pipelines", "reports",
         "robots", "spiders", "textbook", "urls")  # fmt: skip
MODULES = (  # of others, which a crawl, an index writer and a gateway import late; the settings name the rest
    "Stemmer",
    "opensearchpy",
    "playwright.async_api",
    "scrapy.cmdline",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.extensions.logstats",
    "scrapy.spidermiddlewares.start",
    "waitress.server",
    "whoosh.searching",
)
ENCODINGS = ("charmap", "idna", "utf-8-sig")
TEXT = "These are words of a common language, so that what recognises one is loaded before the first fork."


def modules_of_ours() -> Iterator[str]:
    """Yield the names of our modules: each command imports its own late, and would do so in each of its forks."""
    for room in ROOMS:
        for found in walk_packages(import_module(room).__path__, f"{room}.", lambda _: None):
            if not found.name.endswith(".__main__") or found.name == "commands.__main__":
                yield found.name


def import_the_rest() -> None:
    """Import what is ours, and what Scrapy imports by name when a crawl begins, here or elsewhere; but no reactor."""
    from scrapy.utils.misc import load_object  # noqa: PLC0415 - only here

    for module in (*MODULES, *modules_of_ours()):
        with contextlib.suppress(ImportError):  # it needs an extra
            import_module(module)
    for value in (*get_project_settings().values(), *Settings().values()):
        words = [*value, *value.values()] if hasattr(value, "values") else [value]
        for word in words:
            if (
                isinstance(word, str)
                and word.startswith(("scrapy.", "spiders.", "pipelines."))
                and ".reactor" not in word
            ):
                with contextlib.suppress(ImportError, NameError, AttributeError):  # a module, or not installed
                    load_object(word)
    for encoding in ENCODINGS:
        codecs.lookup(encoding)
    identify(TEXT)
    signature(" ".join(map(str, range(500))))  # long enough to be compared
    if "twisted.internet.reactor" in sys.modules:
        raise SystemExit("the fork server has a reactor, which no fork could use")


def live(order: dict[str, Any]) -> NoReturn:
    """Become the command that was ordered."""
    os.setsid()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    said = os.open(order["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    printed = os.open(order["printed"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for place, file in enumerate((nothing, printed, said)):
        os.dup2(file, place)
    if "environment" in order:
        os.environ.clear()
        os.environ.update(order["environment"])
    os.chdir(order.get("folder", "."))
    arm(order)
    module, _, function = order.get("entry", "commands.__main__:main").partition(":")
    become(getattr(import_module(module), function), "breadcrumb", order["words"])


def main(door: Path) -> None:
    """Import everything, and serve. A fork may be a server as well, for another process of the tests."""
    import_the_rest()
    gc.collect()
    gc.freeze()  # what is loaded stays: no fork need visit it, and all share it
    PROGRAMS[str(Path(__file__).resolve())] = lambda words: serve(Path(words[0]))
    serve(door)


def serve(door: Path) -> None:
    """Fork a child for each order, and for each call at the door, until standard input closes.

    The children that were ordered end with it: who ordered them has gone, or was killed.
    """
    forks.parent = door
    os.environ.pop("LD_PRELOAD", None)  # which each order brings itself
    children: dict[int, socket.socket | None] = {}  # with the caller at the door, which waits for the end
    ended, wakes = socket.socketpair()  # readable when a fork has ended
    wakes.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
    with ended, wakes, socket.socket(socket.AF_UNIX) as listening:
        with contextlib.chdir(door.parent):  # the address of a socket is shorter than a path may be
            listening.bind(door.name)
        listening.listen()
        ours = ended, wakes, listening
        report_to_client({"ready": os.getpid()})
        while True:
            callers = {caller: pid for pid, caller in children.items() if caller is not None}
            readable = select.select([sys.stdin, listening, ended, *callers], [], [])[0]
            if ended in readable:
                ended.recv(len(children) + 1)
            for pid in end_with_their_callers({pid: caller for caller, pid in callers.items() if caller in readable}):
                told(children.pop(pid), pid, -signal.SIGKILL)
            if sys.stdin in readable:
                line = sys.stdin.readline()
                if not line:
                    for pid in [pid for pid, caller in children.items() if caller is None]:
                        end(pid)
                    return
                pid = fork(live, json.loads(line), [*ours, *callers])
                children[pid] = None
                report_to_client({"started": pid})
            if listening in readable:
                caller, _ = listening.accept()
                pid = fork(become_what_is_told, caller, [*ours, *callers])
                children[pid] = caller
                tell(caller, pid)
            for pid in list(children):
                gone, status = os.waitpid(pid, os.WNOHANG)
                if gone:
                    told(children.pop(pid), pid, os.waitstatus_to_exitcode(status))


def fork(become_one: Callable[[Any], NoReturn], order: object, of_the_server: list[socket.socket]) -> int:
    """Let a fork become what is ordered; return its number. The end of a fork of its own is no news for it.

    It closes what is of the server: a caller whose line is open would wait for it, too.
    """
    pid = os.fork()
    if not pid:
        signal.set_wakeup_fd(-1)
        for line in of_the_server:
            line.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        become_one(order)
    return pid


def end_with_their_callers(children: dict[int, socket.socket]) -> list[int]:
    """Kill those of the children whose callers were killed, and return them when they are gone.

    A shell that waits for a caller starts the next one: by then nothing of the child may hold a lock.
    """
    ended = []
    for pid, caller in children.items():
        try:
            gone = not caller.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:  # the child has just read its order
            gone = False
        except OSError:
            gone = True
        if gone:
            end(pid)
            ended.append(pid)
    return ended


def end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def told(caller: socket.socket | None, pid: int, code: int) -> None:
    """Report to the caller how a child ended."""
    if caller is None:
        report_to_client({"ended": pid, "code": code})
    else:
        with caller:
            tell(caller, code)


def tell(caller: socket.socket, number: int) -> None:
    """Write a line for the caller, if it is still there."""
    with contextlib.suppress(OSError):
        caller.sendall(f"{number}\n".encode())


def report_to_client(answer: dict[str, int]) -> None:
    """Print a line for the process that has started the server."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
