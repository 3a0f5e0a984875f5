"""How can an index be kept elsewhere than in the data folder? By an engine that an extension adds.

INDEX names the index by an address, whose scheme says which engine keeps it (indexer/remote.py). All that the rooms do
with such an index they do through the methods here.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from indexer.faults import IndexFault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.ranking.weights import Formula
    from indexer.retrieval.corpus import Visibility
    from indexer.retrieval.searcher import Searcher
    from indexer.writing.writer import CommittingWriter


class FeedPosition(Protocol):
    """How far an index has followed a crawl: the row of the feed, and the identity of the crawl database, or ""."""

    @property
    def position(self) -> int:
        """The last row of the feed that is committed."""

    @property
    def crawl(self) -> str:
        """The identity of the crawl database that was followed."""


class RemoteIndex(Protocol):
    """An index at an address. As text it is the address, without a password.

    Each method raises IndexFault and its kinds (indexer/faults.py), also where the engine's client is not installed.
    """

    def open_searcher(self, visibility: Visibility, formula: Formula) -> Searcher:
        """Open it for searching."""

    def open_writer(self, data_dir: Path, *, rebuild: bool) -> CommittingWriter:
        """Open it for writing what a data folder has crawled; with `rebuild` everything is put anew."""

    def committed(self, data_dir: Path) -> FeedPosition:
        """Return how far it has followed a data folder. Raises NoIndex, OutdatedIndex."""

    def check_name(self, data_dir: Path, *, in_parts: bool) -> None:
        """Raise IndexTaken where something else has its name than what this folder's crawl writes."""

    def check(self, data_dir: Path) -> None:
        """Raise NoIndex, CorruptIndex or another fault of an index that can't be searched as it is."""

    def delete(self, data_dir: Path) -> None:
        """Delete what a data folder has in it. Raises IndexLocked while a process writes it."""

    def snapshot(self, repository: str) -> str:
        """Keep it in a repository for snapshots; return under which name it is there."""


@dataclass(frozen=True, slots=True)
class IndexEngine:
    """An engine that keeps indexes elsewhere.

    `schemes` begin its addresses. `read` makes an index of an address, or raises ValueError with a reason that repeats
    no password; it asks nobody. `places` completes the sentence “an index is kept …”, and `example` is an address.
    """

    schemes: tuple[str, ...]
    read: Callable[[str], RemoteIndex]
    places: str
    example: str


VARIABLE = "BREADCRUMB_INDEX"
WHOOSH = "whoosh:"  # before the path of a folder


def parse_index_setting(text: str) -> RemoteIndex | None:
    """Read the value of INDEX; None for the data folder. Raises IndexFault, which repeats no password."""
    if not text.strip():
        return None
    from extension_points import called  # noqa: PLC0415 - extensions are asked only where INDEX is set

    engines: list[IndexEngine] = called("index_engines")
    try:
        return _engine_of(text.strip(), engines).read(text.strip())
    except ValueError as error:
        example = f"an address such as {engines[0].example}" if engines else f"{WHOOSH}FOLDER"
        raise IndexFault(
            f"INDEX={without_credentials(text.strip())}: {error}. Give {example}, or nothing: the data folder"
        ) from None


def _engine_of(text: str, engines: list[IndexEngine]) -> IndexEngine:
    try:
        scheme = urlsplit(text).scheme
    except ValueError:  # whose words repeat all that was given
        raise ValueError("this is no address") from None
    for engine in engines:
        if scheme in engine.schemes:
            return engine
    raise ValueError(
        f"an index is kept {', '.join(['in the data folder', *(engine.places for engine in engines)])}, or is "
        f"{WHOOSH}FOLDER"
    )


def without_credentials(text: str) -> str:
    """Return what may be shown of a text that somebody gave: a password may stand anywhere before an @."""
    return re.sub(r".*@", "…@", text, flags=re.DOTALL)


def use_index_setting(text: str) -> None:
    """Let this process, and all that it starts, keep the index where INDEX says. Raises IndexFault."""
    if not text.startswith(WHOOSH):
        parse_index_setting(text)
    elif not text.removeprefix(WHOOSH).strip():
        raise IndexFault(f"INDEX={text}: give the folder of the index, as whoosh:data/textbook/whoosh")
    os.environ.pop(VARIABLE, None)
    if text.strip():
        os.environ[VARIABLE] = text


def configured_index() -> RemoteIndex | None:
    """Return where the index of this process is kept; None: in its data folder.

    Raises IndexFault, also where it is a Whoosh folder: those who can search one ask `whoosh_folder` first.
    """
    text = os.environ.get(VARIABLE, "")
    if text.startswith(WHOOSH):
        raise IndexFault(
            f"INDEX={text}: search, serve and why read a Whoosh folder, and nothing else does. Leave INDEX empty here"
        )
    return parse_index_setting(text)
