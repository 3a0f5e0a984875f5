"""How are words read aloud? A language that writes one word in several ways has one reading for all, to search by.

An extension provides the reader of a language (`extension_points.word_readers`). A page has its readings in a field of
its own, with positions. A query is searched by its readings too, next to its written words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from extension_points import call_extensions
from indexer.segments.schema import pack_checkpoints, text_blocks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from indexer.query.lexicon import Lexicon
    from indexer.query.syntax import Clause
    from indexer.query.terms import Term
    from indexer.segments.snapshot import Snapshot

READING_MARK = "・"  # before each reading in the index; no word of a text has it
MAX_READINGS = 24  # of a query; each costs reading its postings
MAX_READ_CHARS = 100_000  # of a text: an eighth of a second


class WordReading(NamedTuple):
    """A word of a text, from `start` to `end`, and its reading."""

    start: int
    end: int
    reading: str


class WordReader(Protocol):
    """Reads the words of one language; threads share it."""

    @property
    def language(self) -> str:
        """ISO 639-1."""

    @property
    def is_available(self) -> bool:
        """Whether it can read; if not, `missing_readings` says why."""

    def words(self, text: str, start: int = 0, end: int | None = None) -> Iterator[WordReading]:
        """Yield the words with a reading from `start` to `end`, from left to right."""

    def query_readings(
        self, clauses: Iterable[Clause], languages: frozenset[str], lexicon: Lexicon
    ) -> tuple[tuple[Term, ...], frozenset[str]]:
        """Return the readings of a query as terms, and the texts of it that are readings rather than written words."""

    def missing_readings(self, snapshot: Snapshot) -> str:
        """Return sentences on the pages that lack readings, and how to add them; "" if none does."""


def configured_readers() -> list[WordReader]:
    """Return the readers of this process."""
    return call_extensions("word_readers")


def available_readers() -> list[WordReader]:
    """Return the readers of this process that can read."""
    return [each for each in configured_readers() if each.is_available]


def query_readings(
    clauses: Sequence[Clause], languages: frozenset[str], lexicon: Lexicon
) -> tuple[tuple[Term, ...], frozenset[str]]:
    """Return the readings of a query as terms, and the texts of it that are readings rather than written words."""
    found = [reader.query_readings(clauses, languages, lexicon) for reader in configured_readers()]
    terms = tuple(term for readings, _ in found for term in readings)
    return terms, frozenset(text for _, texts in found for text in texts)


def missing_readings(snapshot: Snapshot) -> str:
    """Return sentences on the pages that lack readings."""
    return " ".join(filter(None, (each.missing_readings(snapshot) for each in configured_readers())))


class PageReadings(NamedTuple):
    """The readings of the text and of the title, joined by blanks; each has a READING_MARK before it.

    Those of the text begin with a READING_MARK alone. `checkpoints` are those of the text; they count its readings.
    """

    texts: tuple[str, str]
    checkpoints: tuple[int, ...]


def readings_of(text: str, title: str, languages: Collection[str]) -> PageReadings | None:
    """Return the readings of a page in these languages; None if no reader knows one of them."""
    reader = next((each for each in available_readers() if each.language in languages), None)
    if reader is None:
        return None
    found, marks = [READING_MARK], []
    for start, block in text_blocks(text[:MAX_READ_CHARS]):
        marks.append((start, len(found)))
        found += [f"{READING_MARK}{word.reading}" for word in reader.words(block)]
    titles = [f"{READING_MARK}{word.reading}" for word in reader.words(title)]
    return PageReadings((" ".join(found), " ".join(titles)), pack_checkpoints(marks))
