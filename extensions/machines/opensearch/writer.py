"""How does a page get into an index in a cluster? It is put, then committed, with the same guarantees as a data folder.

Pages wait until some hundred are there. They are analysed here, and sent in bulks (`bulk.py`). A commit waits until all
are accepted, makes them visible, and then writes the position in the feed (`state.py`). A crash before that repeats
earlier writes, which changes nothing.

A rebuild of a whole crawl goes into a build of its own; the alias points to it from its first commit on. A part of a
divided crawl shares its build with others: it is rewritten in place, under a higher epoch. Lower epochs are then
deleted.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from secrets import token_hex
from typing import TYPE_CHECKING

from crawldb.folders import make_folder
from extensions.machines.opensearch.builds import (
    Build,
    builds_of,
    check_owner,
    lead_to,
    make_build,
    sweep_unfinished,
    switch,
)
from extensions.machines.opensearch.bulk import Bulk, BulkAction
from extensions.machines.opensearch.cluster import Cluster
from extensions.machines.opensearch.documents import document_name, page_documents
from extensions.machines.opensearch.mapping import MAPPING_FORMAT, WORD_FLAGS
from extensions.machines.opensearch.retries import WRITE_PATIENCE
from extensions.machines.opensearch.state import (
    PartOfIndex,
    forget_other_ranks,
    parts_in_state,
    rank_actions,
    read_part,
    write_part,
)
from indexer.faults import CorruptIndex, IndexFault, IndexTaken, OutdatedIndex
from indexer.segments.generation import WriterLock, index_folder
from indexer.segments.link_ranks import GraphState
from indexer.writing.documents import document_of
from indexer.writing.inversion import Vocabulary
from indexer.writing.writer import CommittingWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from extensions.machines.opensearch.address import IndexAddress
    from indexer.segments.link_ranks import LinkRanks
    from urls.records import Page

MAX_WAITING_PAGES = 500  # sent at this number
MAX_WAITING_CHARS = 4_000_000  # of text
MAX_WORDS_SENT = 500_000  # words remembered as sent, and not sent again: some 60 MB
EPOCH = 1 << 40  # more than a feed has rows: each version of a later epoch is above all earlier ones
OWNER_FILE = "opensearch.owner"  # in the folder of the index: the mark of this crawl in the cluster
MOMENT = 600.0  # seconds for a request that touches every page of a part


class ClusterWriter(CommittingWriter):
    """Writes the pages of a data folder into the index at a URL; one process for each folder.

    `part` is the label of the folder's part ("2/3"), or ""; `earlier` has the number of parts before each split of the
    crawl. Raises IndexLocked if another process writes, and IndexTaken if another crawl has the name. Raises the faults
    of a cluster that does not respond or accept writes.
    """

    def __init__(
        self,
        data_dir: Path,
        address: IndexAddress,
        part: str = "",
        earlier: Sequence[int] = (),
        *,
        rebuild: bool = False,
    ) -> None:
        folder = self._folder = index_folder(data_dir)
        make_folder(folder)
        # Nothing is sent yet; if the client is missing, this fails before the lock.
        self._cluster = Cluster(address, patience=WRITE_PATIENCE)
        self._lock = WriterLock(folder)
        self._bulk = Bulk(self._cluster)
        self._waiting: dict[str, tuple[Page | None, int]] = {}  # None: to be removed
        self._chars = 0
        self._tokens, self._sent = Vocabulary(), dict[str, int]()
        try:
            self._owner = owner_of(folder)
            self._open(part, frozenset(map(str, earlier)), rebuild=rebuild)
        except BaseException:
            self.close()
            raise

    def _open(self, part: str, earlier: frozenset[str], *, rebuild: bool) -> None:
        owner = "" if part else self._owner
        builds = self._named(builds_of(self._cluster), owner)
        current = next((one for one in builds if one.current), None)
        check_owner(self._cluster, current, owner)
        if owner:
            sweep_unfinished(self._cluster, builds, owner, self._folder)
        outdated = current is not None and current.format != MAPPING_FORMAT
        if outdated and not rebuild:
            raise OutdatedIndex(self._cluster.address, f"it has format {current.format if current else ''}")
        last = builds[-1].pages if builds else ""
        if current is None:
            self._build = make_build(self._cluster, owner, current=True, after=last)
        elif part and (outdated or self._is_split_since(current, earlier)):
            joint = [one for one in builds if not one.current and not one.owner and one.format == MAPPING_FORMAT]
            of = {_of(part)}
            joint = [one for one in joint if of.issuperset(_divisions(parts_in_state(self._cluster, one)))]
            self._build = joint[0] if joint else make_build(self._cluster, owner, current=False, after=last)
        elif rebuild and not part:
            self._build = make_build(self._cluster, owner, current=False, after=last)
        else:
            self._build = current
        self._state = self._checked(read_part(self._cluster, self._build, part))
        self._anew = rebuild and bool(part) and self._build.current and self._state.generation > 0
        if self._anew:
            self._state = dataclasses.replace(self._state, epoch=self._state.epoch + 1, position=0, last=0)
            self._state = dataclasses.replace(self._state, graph=GraphState())
        self._last = self._state.last
        self._changed = rebuild or not self._state.generation
        forget_other_ranks(self._cluster, self._build, self._state)

    def _named(self, builds: list[Build], owner: str) -> list[Build]:
        """Return the builds; if the alias points to none, point it to the newest with a commit of this crawl."""
        if any(one.current for one in builds):
            return builds
        for number, one in reversed(list(enumerate(builds))):
            if one.owner == owner and self._holds_a_commit(one):
                lead_to(self._cluster, one)
                logging.getLogger(__name__).warning(
                    "index: %s led to no build, and leads to %s again", self._cluster.address, one.pages
                )
                return [*builds[:number], dataclasses.replace(one, current=True), *builds[number + 1 :]]
        return builds

    def _holds_a_commit(self, build: Build) -> bool:
        try:
            return any(one.generation for one in parts_in_state(self._cluster, build))
        except CorruptIndex:  # no process could continue with it
            return False

    def _is_split_since(self, current: Build, earlier: frozenset[str]) -> bool:
        """Return whether the index is of an earlier division of this crawl, so a new one replaces it."""
        parts = parts_in_state(self._cluster, current) if earlier else []
        return _divisions(parts) <= earlier and any(one.owner == self._owner for one in parts)

    def _checked(self, found: PartOfIndex) -> PartOfIndex:
        """Return a part's state, if it is of this folder's crawl, and all parts are of one division."""
        of = _of(found.part)
        others = parts_in_state(self._cluster, self._build) if of else []
        strange = next((one.part for one in others if _of(one.part) != of), "")
        if strange:
            raise IndexTaken(
                self._cluster.address, f"it holds part {strange} of a crawl, and this is part {found.part}"
            )
        if found.owner not in {"", self._owner}:
            raise IndexTaken(self._cluster.address, f"it holds part {found.part} of another crawl")
        return dataclasses.replace(found, owner=self._owner)

    @property
    def position(self) -> int:
        """The last row of the feed that is committed."""
        return self._state.position

    @property
    def graph(self) -> GraphState:
        """The graph state of the ranks in the next commit."""
        return self._state.graph

    @property
    def repeated(self) -> int:
        """Documents that had to be sent once more."""
        return self._bulk.repeated

    @property
    def documents(self) -> int:
        """Pages of this folder in the index, as of the last commit."""
        query = {"query": {"term": {"part": self._state.part}}}
        return int(self._cluster.ask("POST", f"/{self._build.pages}/_count", query)["count"])

    def put(self, page: Page, seq: int = 0) -> None:
        """Add a page, or replace an older one with the same URL.

        `seq` is its number in the feed; without one it counts as the newest.
        """
        self._wait(page.url, dataclasses.replace(page, body=b"", links=()), seq)

    def remove(self, url: str, seq: int = 0) -> None:
        """Remove a page. A URL that is not in the index is no error."""
        self._wait(url, None, seq)

    def _wait(self, url: str, page: Page | None, seq: int) -> None:
        before, _ = self._waiting.pop(url, (None, 0))
        seq = seq or self._last + 1
        self._last = max(self._last, seq)
        self._chars += len(page.text if page else "") - len(before.text if before else "")
        self._waiting[url] = page, seq
        if len(self._waiting) >= MAX_WAITING_PAGES or self._chars >= MAX_WAITING_CHARS:
            self.flush()

    def flush(self) -> None:
        """Send the waiting pages, while the caller continues."""
        self._bulk.send(list(self._actions()))
        self._waiting.clear()
        self._chars = 0
        self._changed = True
        if not self._tokens.is_worth_keeping:
            self._tokens.forget()

    def _actions(self) -> Iterator[BulkAction]:
        pages = [page for page, _ in self._waiting.values() if page is not None]
        own = {"part": self._state.part, "epoch": self._state.epoch}
        for page, (name, source, words) in zip(
            pages, page_documents(map(document_of, pages), self._tokens), strict=True
        ):
            version = self._version(self._waiting[page.url][1])
            yield BulkAction("index", self._build.pages, name, source | own, version)
            yield from self._new_words(words)
        for url, (gone, seq) in self._waiting.items():
            if gone is None:
                yield BulkAction("delete", self._build.pages, document_name(url), version=self._version(seq))

    def _version(self, seq: int) -> int:
        return self._state.epoch * EPOCH + seq

    def _new_words(self, rows: list[tuple[str, dict[str, object]]]) -> Iterator[BulkAction]:
        """Yield the rows of words with more flags than the rows already sent.

        Each flag of a row implies the one before it. The version is their number plus 1, so rows with fewer flags have
        no effect.
        """
        if len(self._sent) > MAX_WORDS_SENT:
            self._sent.clear()
        for name, row in rows:
            version = 1 + sum(flag in row for flag in WORD_FLAGS)
            if self._sent.get(name, 0) < version:
                self._sent[name] = version
                yield BulkAction("index", self._build.words, name, row, version, once=True)

    def put_ranks(self, ranks: LinkRanks) -> None:
        """Replace the link ranks of all pages; no page is written again for that."""
        self._state, actions = rank_actions(self._build, self._state, ranks)
        self._bulk.send(actions)
        self._changed = True

    def commit(self, position: int | None = None, *, ending: bool = False) -> None:  # noqa: ARG002 - the cluster merges
        """Make everything so far durable and visible; `position` is the feed's last row included."""
        if self._waiting:
            self.flush()
        self._bulk.wait()
        wanted = self.position if position is None else position
        if not self._changed and wanted == self.position:
            return
        self._cluster.ask("POST", f"/{self._build.words},{self._build.pages}/_refresh", seconds=MOMENT)
        following = dataclasses.replace(
            self._state,
            position=wanted,
            last=self._last,
            generation=self._state.generation + 1,
            committed_at=time.time(),
            token=token_hex(8),
            crawl=self.crawl or self._state.crawl,
        )
        self._state = write_part(self._cluster, self._build, following)
        self._changed = False
        if self._anew:
            self._sweep_older_epochs()
        if not self._build.current and self._is_complete():
            switch(self._cluster, self._build)
            self._build = dataclasses.replace(self._build, current=True)
        forget_other_ranks(self._cluster, self._build, self._state)

    def _is_complete(self) -> bool:
        """Return whether all parts are committed in a build that is not current yet."""
        of = _of(self._state.part)
        return not of or sum(one.generation > 0 for one in parts_in_state(self._cluster, self._build)) == int(of)

    def _sweep_older_epochs(self) -> None:
        older = [{"term": {"part": self._state.part}}, {"range": {"epoch": {"lt": self._state.epoch}}}]
        path, query = f"/{self._build.pages}/_delete_by_query", {"query": {"bool": {"filter": older}}}
        self._cluster.ask("POST", path, query, conflicts="proceed", refresh=True, seconds=MOMENT)
        self._anew = False

    def close(self) -> None:
        """Release the index. Uncommitted writes don't count."""
        self._waiting.clear()
        self._bulk.close()
        self._cluster.close()
        self._lock.release()


def _of(part: str) -> str:
    """Return the number of parts from a part's label."""
    return part.partition("/")[2]


def _divisions(parts: Iterable[PartOfIndex]) -> set[str]:
    return {_of(one.part) for one in parts}


def owner_of(folder: Path) -> str:
    """Return the mark of this folder's crawl in a cluster; make one the first time."""
    path = folder / OWNER_FILE
    try:
        return path.read_text("ascii").strip()
    except FileNotFoundError:
        path.write_text(token_hex(8), "ascii")
        return path.read_text("ascii").strip()
    except (OSError, ValueError) as error:
        raise IndexFault(f"{path} can't be read: {error}") from error
