"""How are words read aloud? A language that writes a word in several ways has one reading for them, found as a word.

An extension brings what reads a language (`extension_points.word_readers`). A page has its readings in a field of their
own, with positions among them; a query is looked for by its readings, too, beside the written words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from extension_points import called
from indexer.analysis.offsets import pack_checkpoints, stretches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from indexer.query.lexicon import Lexicon
    from indexer.query.syntax import Clause
    from indexer.query.terms import Term
    from indexer.snapshot.snapshot import Snapshot

MARK = "・"  # before a reading in the index: no word of a text has it
MAX_READINGS = 24  # of a query; each costs the reading of its postings
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
    def is_there(self) -> bool:
        """Whether it can read; if not, `unread` says why."""

    def words(self, text: str, start: int = 0, end: int | None = None) -> Iterator[WordReading]:
        """Yield the words from `start` to `end` that have a reading, in order."""

    def asked(
        self, clauses: Iterable[Clause], spoken: frozenset[str], lexicon: Lexicon
    ) -> tuple[tuple[Term, ...], frozenset[str]]:
        """Return the readings of a query as terms, and its texts that are readings more than written words."""

    def unread(self, snapshot: Snapshot) -> str:
        """Return in sentences which pages have no readings though they should, and what would change that; or ""."""


def configured_readers() -> list[WordReader]:
    """Return what is to read words in this process."""
    return called("word_readers")


def available_readers() -> list[WordReader]:
    """Return what reads words in this process."""
    return [each for each in configured_readers() if each.is_there]


def query_readings(
    clauses: Sequence[Clause], spoken: frozenset[str], lexicon: Lexicon
) -> tuple[tuple[Term, ...], frozenset[str]]:
    """Return the readings of a query as terms, and its texts that are readings more than written words."""
    found = [reader.asked(clauses, spoken, lexicon) for reader in configured_readers()]
    terms = tuple(term for readings, _ in found for term in readings)
    return terms, frozenset(text for _, texts in found for text in texts)


def missing_readings(snapshot: Snapshot) -> str:
    """Return in sentences which pages have no readings though they should."""
    return " ".join(filter(None, (each.unread(snapshot) for each in configured_readers())))


class PageReadings(NamedTuple):
    """Readings with blanks between them, each behind a MARK: of the text, after one MARK alone, and of the title.

    `landmarks` are those of the text, with positions among its readings.
    """

    texts: tuple[str, str]
    landmarks: tuple[int, ...]


def readings_of(text: str, title: str, languages: Collection[str]) -> PageReadings | None:
    """Return the readings of a page in these languages; None where none of them is read."""
    reader = next((each for each in available_readers() if each.language in languages), None)
    if reader is None:
        return None
    found, marks = [MARK], []
    for start, stretch in stretches(text[:MAX_READ_CHARS]):
        marks.append((start, len(found)))
        found += [f"{MARK}{word.reading}" for word in reader.words(stretch)]
    titles = [f"{MARK}{word.reading}" for word in reader.words(title)]
    return PageReadings((" ".join(found), " ".join(titles)), pack_checkpoints(marks))
