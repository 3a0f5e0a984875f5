"""Where is the index kept? In the data folder, unless the setting INDEX names another place.

    opensearch://host:9200/name              with an engine that an extension adds
    whoosh:FOLDER                            an index that Whoosh wrote, read-only    (indexer/plain_whoosh)

The scheme of the address selects the engine. The environment variable BREADCRUMB_INDEX passes the setting to every room
and to child processes (docs/settings.md).
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


VARIABLE = "BREADCRUMB_INDEX"
WHOOSH = "whoosh:"  # before the path of a folder


class FeedPosition(Protocol):
    """How far an index has followed the change feed of a crawl."""

    @property
    def position(self) -> int:
        """The last committed row of the feed."""

    @property
    def crawl(self) -> str:
        """The identity of the crawl database, or ""."""


class RemoteIndex(Protocol):
    """An index at an address; `str` returns the address without its password.

    Each method may raise an IndexFault (faults.py), as when the client of the engine is not installed.
    """

    def open_searcher(self, visibility: Visibility, formula: Formula) -> Searcher:
        """Open the index for searching."""

    def open_writer(self, data_dir: Path, *, rebuild: bool) -> CommittingWriter:
        """Open the index for the pages of a data folder; with `rebuild` it starts empty."""

    def committed(self, data_dir: Path) -> FeedPosition:
        """Return how far the index has followed a data folder. Raises NoIndex, OutdatedIndex."""

    def check_name(self, data_dir: Path, *, in_parts: bool) -> None:
        """Raise IndexTaken if another crawl, or something else, uses its name."""

    def check(self, data_dir: Path) -> None:
        """Raise NoIndex, CorruptIndex or another fault if the index cannot be searched."""

    def delete(self, data_dir: Path) -> None:
        """Delete the pages of a data folder from the index. Raises IndexLocked while a process writes it."""

    def snapshot(self, repository: str) -> str:
        """Store a snapshot of the index in a repository; return its name."""


@dataclass(frozen=True, slots=True)
class IndexEngine:
    """An engine that keeps indexes elsewhere.

    `schemes` are those of its addresses. `read` returns the index at an address, without a connection; it raises
    ValueError with a reason without password. `places` completes the sentence “an index is kept …”. `example` is an
    address.
    """

    schemes: tuple[str, ...]
    read: Callable[[str], RemoteIndex]
    places: str
    example: str


def parse_index_setting(text: str) -> RemoteIndex | None:
    """Parse the value of INDEX; return None for the data folder. Raises IndexFault, without any password."""
    if not text.strip():
        return None
    from extension_points import call_extensions  # noqa: PLC0415 - extensions are asked only where INDEX is set

    engines: list[IndexEngine] = call_extensions("index_engines")
    try:
        return _engine_of(text.strip(), engines).read(text.strip())
    except ValueError as error:
        example = f"an address such as {engines[0].example}" if engines else f"{WHOOSH}FOLDER"
        raise IndexFault(
            f"INDEX={hide_credentials(text.strip())}: {error}. Give {example}, or nothing: the data folder"
        ) from None


def _engine_of(text: str, engines: list[IndexEngine]) -> IndexEngine:
    try:
        scheme = urlsplit(text).scheme
    except ValueError:  # its text repeats the whole address
        raise ValueError("this is no address") from None
    for engine in engines:
        if scheme in engine.schemes:
            return engine
    raise ValueError(
        f"an index is kept {', '.join(['in the data folder', *(engine.places for engine in engines)])}, or is "
        f"{WHOOSH}FOLDER"
    )


def hide_credentials(text: str) -> str:
    """Return a typed address without what may be a password: all before an @."""
    return re.sub(r".*@", "…@", text, flags=re.DOTALL)


def use_index_setting(text: str) -> None:
    """Set INDEX for this process and its children. Raises IndexFault for an invalid value."""
    if not text.startswith(WHOOSH):
        parse_index_setting(text)
    elif not text.removeprefix(WHOOSH).strip():
        raise IndexFault(f"INDEX={text}: give the folder of the index, as whoosh:data/textbook/whoosh")
    os.environ.pop(VARIABLE, None)
    if text.strip():
        os.environ[VARIABLE] = text


def configured_index() -> RemoteIndex | None:
    """Return the index that INDEX names; None for that of the data folder.

    Raises IndexFault for a Whoosh folder too: callers that can search one check `whoosh_folder` first.
    """
    text = os.environ.get(VARIABLE, "")
    if text.startswith(WHOOSH):
        raise IndexFault(f"INDEX={text}: only search, serve and why can read a Whoosh folder. Leave INDEX empty here")
    return parse_index_setting(text)
