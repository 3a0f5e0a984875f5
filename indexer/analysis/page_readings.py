"""Which readings does a page have, and where in its text? What its Japanese sounds like, ready for the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.analysis.landmarks import packed_landmarks, stretches
from indexer.analysis.readings import LANGUAGE, MARK, MAX_READ_CHARS, chosen_reader

if TYPE_CHECKING:
    from collections.abc import Collection


class PageReadings(NamedTuple):
    """Readings with blanks between them, each behind a MARK: of the text, after one MARK alone, and of the title.

    `landmarks` are those of the text, with positions among its readings.
    """

    texts: tuple[str, str]
    landmarks: tuple[int, ...]


def readings_of(text: str, title: str, languages: Collection[str]) -> PageReadings | None:
    """Return the readings of a page in these languages; None where Japanese is not read, or it is not in it."""
    reader = chosen_reader() if LANGUAGE in languages else None
    if reader is None:
        return None
    found, marks = [MARK], []
    for start, stretch in stretches(text[:MAX_READ_CHARS]):
        marks.append((start, len(found)))
        found += [f"{MARK}{word.reading}" for word in reader.words(stretch)]
    titles = [f"{MARK}{word.reading}" for word in reader.words(title)]
    return PageReadings((" ".join(found), " ".join(titles)), packed_landmarks(marks))
