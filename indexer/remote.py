"""Where is the index kept? In the data folder, unless the setting INDEX names another place.

    opensearch://host:9200/name              with an engine that an extension adds

The scheme of the address selects the engine. An index that another program wrote may also be in the data folder
itself: `foreign_index`. The environment variable BREADCRUMB_INDEX passes the setting to every room
and to child processes (docs/settings.md).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from indexer.faults import IndexFault
from urls.wording import enumerated

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from extension_points import ForeignIndex
    from indexer.ranking.weights import Formula
    from indexer.retrieval.corpus import Visibility
    from indexer.retrieval.searcher import Searcher
    from indexer.writing.writer import CommittingWriter


VARIABLE = "BREADCRUMB_INDEX"


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
    address. `settings` are settings without which an index may not open.
    """

    schemes: tuple[str, ...]
    read: Callable[[str], RemoteIndex]
    places: str
    example: str
    settings: tuple[str, ...] = ()


def parse_index_setting(text: str) -> RemoteIndex | None:
    """Parse the value of INDEX; return None for the data folder. Raises IndexFault, without any password."""
    if not text.strip():
        return None
    try:
        return engine_of(text.strip()).read(text.strip())
    except ValueError as error:
        examples = enumerated([engine.example for engine in reversed(_engines())], "or")
        example = f"an address such as {examples}, or " if examples else ""
        raise IndexFault(
            f"INDEX={hide_credentials(text.strip())}: {error}. Give {example}nothing: the data folder"
        ) from None


def engine_of(text: str) -> IndexEngine:
    """Return the engine for an address. Raises ValueError, without any password."""
    try:
        scheme = urlsplit(text).scheme
    except ValueError:  # its text repeats the whole address
        raise ValueError("this is no address") from None
    for engine in _engines():
        if scheme in engine.schemes:
            return engine
    places = ["in the data folder", *(engine.places for engine in _engines())]
    raise ValueError(f"an index is kept {enumerated(places, 'or')}")


def _engines() -> list[IndexEngine]:
    from extension_points import call_extensions  # noqa: PLC0415 - extensions are asked only where INDEX is set

    return call_extensions("index_engines")


def hide_credentials(text: str) -> str:
    """Return a typed address without what may be a password: all before an @."""
    return re.sub(r".*@", "…@", text, flags=re.DOTALL)


def use_index_setting(text: str) -> None:
    """Set INDEX for this process and its children. Raises IndexFault for an invalid value."""
    parse_index_setting(text)
    os.environ.pop(VARIABLE, None)
    if text.strip():
        os.environ[VARIABLE] = text


def configured_index() -> RemoteIndex | None:
    """Return the index that INDEX names; None for that of the data folder."""
    return parse_index_setting(os.environ.get(VARIABLE, ""))


def foreign_index(data_dir: Path) -> ForeignIndex | None:
    """Return the index of another program that is searched in place of that of a data folder; None: there is none."""
    from extension_points import call_extensions  # noqa: PLC0415 - as above

    return next(iter(call_extensions("foreign_indexes", data_dir=data_dir)), None)
