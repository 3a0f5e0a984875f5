"""How are stored pages read on all cores? Processes read and measure stored bodies; the caller writes.

Results come in the order of the pages. An unreadable page is returned with its fault, and the others continue. A
process that dies over a page costs only that page. A reader ends with the process that started it, even if that was
killed.

The readers are forks of the writing process, which has loaded their code and models: a fresh start takes half a second
each. A fork must not hold the connections of another process (SQLite, "How To Corrupt An SQLite Database File", 2.6).
So this process forks before it opens a connection.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from crawldb.pages.pages import Pages
from pipelines.filters import FilterSettings, PageFilters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import Self

    from extensions.reparse.tables import Place
    from pages import FetchedBody
    from urls.records import Page

CHUNK = 8  # pages that a process reads in one go
YOUNG_OBJECTS = 10_000  # after which Python looks for cycles of garbage: a page makes some thousands, and few cycles
AHEAD = 3  # chunks per process in work or waiting for the writer: results must not fill the memory
LEAST_AHEAD = 32  # chunks for all: more than a transaction stores, so no reader waits for one


@dataclass(frozen=True, slots=True)
class PageReading:
    """A page as it now reads, before its filters; None with a `fault`, or if nothing is stored any longer."""

    place: Place
    page: Page | None
    fault: str = ""


class Reader:
    """Reads stored bodies of one data folder."""

    def __init__(self, data_dir: Path, read: Callable[[FetchedBody], Page], criteria: FilterSettings) -> None:
        self.data_dir = data_dir
        self._database = CrawlDatabase(data_dir, readonly=True)
        self._pages = Pages(self._database)
        self._filters = PageFilters(self._database, criteria)
        self._read = read

    def read(self, places: Iterable[Place]) -> list[PageReading]:
        """Read pages, each by itself."""
        return [self._one(place) for place in places]

    def _one(self, place: Place) -> PageReading:
        try:
            answer = self._pages.answer(place.url)
            return PageReading(place, None if answer is None else self._filters.measure(self._read(answer)))
        except Exception as error:  # noqa: BLE001 - a fault of one page leaves the others
            return PageReading(place, None, f"{type(error).__name__}: {str(error)[:200]}")

    def close(self) -> None:
        """Close the database."""
        self._database.close()


class Readers:
    """Reads stored bodies in several processes, or in this one if `processes` is 0.

    With processes, make it while this process has no database open. `read` makes a page of a stored response; it must
    be a function that can be pickled.
    """

    def __init__(self, read: Callable[[FetchedBody], Page], criteria: FilterSettings, processes: int) -> None:
        self._arguments = (read, criteria)
        self._processes = processes
        self._threshold = gc.get_threshold()
        self._pool = self._forked() if processes else None

    def _forked(self) -> ProcessPoolExecutor:
        gc.freeze()  # loaded objects stay: no collector need visit them, here or in the forks, and they share them
        gc.set_threshold(YOUNG_OBJECTS)
        pool = self._new_pool("fork")
        pool.submit(os.getpid)  # all are forked now
        return pool

    def _new_pool(self, start: str) -> ProcessPoolExecutor:
        context = multiprocessing.get_context(start)
        return ProcessPoolExecutor(self._processes, context, _begin, self._arguments)

    def _renewed(self) -> ProcessPoolExecutor:
        """Replace the readers that died. The new ones are no forks of this process, which has connections now."""
        self._pool = self._new_pool("forkserver")
        return self._pool

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            gc.unfreeze()
            gc.set_threshold(*self._threshold)

    def read(self, data_dir: Path, places: Iterable[Place]) -> Iterator[PageReading]:
        """Yield each page of a data folder as it now reads, in the order of `places`."""
        if self._pool is None:
            reader = Reader(data_dir, *self._arguments)
            try:
                for chunk in _chunks(places):
                    yield from reader.read(chunk)
            finally:
                reader.close()
            return
        asked: deque[tuple[list[Place], Future[list[PageReading]]]] = deque()
        for chunk in _chunks(places):
            asked.append((chunk, self._ask(data_dir, chunk)))
            if len(asked) >= max(AHEAD * self._processes, LEAST_AHEAD):
                yield from self._answer(data_dir, asked)
        while asked:
            yield from self._answer(data_dir, asked)

    def _ask(self, data_dir: Path, chunk: list[Place]) -> Future[list[PageReading]]:
        try:
            return (self._pool or self._renewed()).submit(_read, data_dir, chunk)
        except BrokenProcessPool as broken:
            lost: Future[list[PageReading]] = Future()
            lost.set_exception(broken)
            return lost

    def _answer(self, data_dir: Path, asked: deque[tuple[list[Place], Future[list[PageReading]]]]) -> list[PageReading]:
        chunk, future = asked.popleft()
        try:
            return future.result()
        except BrokenProcessPool:
            self._renewed()
            found = [self._alone(data_dir, place) for place in chunk]
            if len(found) > 1 and all(reading.fault for reading in found):
                raise  # no reader survives: the pages are not the cause
            rest = [waiting for waiting, _ in asked]
            asked.clear()
            asked.extend((waiting, self._ask(data_dir, waiting)) for waiting in rest)
            return found

    def _alone(self, data_dir: Path, place: Place) -> PageReading:
        """Read a page alone: it may have killed the process that read it."""
        try:
            return self._ask(data_dir, [place]).result()[0]
        except BrokenProcessPool:
            self._renewed()
            return PageReading(place, None, "the process that read it died")


def _chunks(places: Iterable[Place]) -> Iterator[list[Place]]:
    chunk: list[Place] = []
    for place in places:
        chunk.append(place)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


_arguments: tuple[Callable[[FetchedBody], Page], FilterSettings]  # of this reading process
_reader: Reader | None = None


def _begin(read: Callable[[FetchedBody], Page], criteria: FilterSettings) -> None:
    """Make this process a reader, which ignores Ctrl-C and does not outlive the process that started it."""
    global _arguments  # noqa: PLW0603 - so the pool's functions find what its initializer was given
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _arguments = (read, criteria)


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _read(data_dir: Path, places: list[Place]) -> list[PageReading]:
    global _reader  # noqa: PLW0603 - the connection is kept from one chunk to the next
    if _reader is None or _reader.data_dir != data_dir:
        if _reader is not None:
            _reader.close()
        _reader = Reader(data_dir, *_arguments)
    return _reader.read(places)
