"""Lab 3: a part of a site that the rule about traps closes wrongly, and one that it wrongly leaves open."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from urllib.parse import urlsplit

from extensions.course.grading.grade import HandIn, sentences
from extensions.course.grading.lab_folder import LabFolder, Missing, Wrong, urls
from extensions.course.grading.predictions import YES_NO, Measured, Prediction
from extensions.course.inside.tables import PatternRow, patterns_by_waste
from urls.wording import counted

WORDS = {"count": "page", "story": "fox", "tide": "tide"}  # each page of a part has its word
PARTS = tuple(WORDS)
PATTERNS = 100
MIN_PAGES = 25  # TRAP_PATIENCE is 20: with fewer pages no rule had its chance
LEAST_REPEATED = 0.5  # share of the words of a page that the page before it has too


def _counts(folder: LabFolder, data: str) -> dict[str, int]:
    index = folder.index(data)
    return {part: _below(part, urls(index, word)) for part, word in WORDS.items()}


def _below(part: str, found: list[str]) -> int:
    return sum(urlsplit(url).path.startswith(f"/{part}/") for url in found)


def _in_words(counts: dict[str, int], data: str) -> str:
    return f"pages in {data}: " + ", ".join(f"{part} {count}" for part, count in counts.items())


def _fetched_by_textbook(folder: LabFolder) -> Measured:
    counts = _counts(folder, "textbook")
    return Measured(tuple(map(float, counts.values())), _in_words(counts, "textbook"))


def _saved(folder: LabFolder) -> Measured:
    before, after = _counts(folder, "textbook"), _counts(folder, "exchanged")
    return Measured(tuple(part for part in PARTS if after[part] < before[part]), _in_words(after, "exchanged"))


def _whole_parts(folder: LabFolder) -> Measured:
    with folder.database() as database:
        rows = patterns_by_waste(database, "", PATTERNS)
    kept = {part for part in PARTS for row in rows if row.pattern == f"/{part}/#/" and not (row.closed or row.exempt)}
    where = "the patterns that your crawl never closed; a released one was closed"
    return Measured(tuple(part for part in PARTS if part in kept), where)


def _stories_lost(folder: LabFolder) -> Measured:
    counts = _counts(folder, "five")
    lost = len(folder.site_files("story/*/index.html")) - counts["story"]
    return Measured(("yes" if lost else "no",), f"{lost} stories are lost; {_in_words(counts, 'five')}")


def _released(folder: LabFolder) -> str:
    counts = _counts(folder, "data")
    days = len(folder.site_files("tide/*/index.html"))
    if _pattern(folder, "tide").closed:
        raise Wrong("/tide/#/ is closed: release it, and crawl again")
    if counts["tide"] < days:
        raise Wrong(f"{counts['tide']} of {days} days of the tides are in the index: release '/tide/#/', crawl again")
    counter = _pattern(folder, "count")
    if not counter.closed:
        raise Wrong("/count/#/ is open: only the tides should be released")
    return f"all {days} days of the tides are in the index; the counter is closed ({counter.closed})"


def _pattern(folder: LabFolder, part: str) -> PatternRow:
    with folder.database() as database:
        rows = patterns_by_waste(database, "", PATTERNS)
    found = [row for row in rows if row.pattern.startswith(f"/{part}/") and row.pattern != f"/{part}/"]
    if not found:
        raise Missing(f"your crawl has no pages below /{part}/: link to it from index.html, and crawl again")
    return max(found, key=lambda row: (bool(row.closed), row.fresh + row.wasted))


def _texts(folder: LabFolder, part: str) -> list[list[str]]:
    files = folder.site_files(f"{part}/**/*.html")
    if len(files) < MIN_PAGES:
        raise Missing(f"site/{part} has {counted(len(files), 'page')}: make at least {MIN_PAGES} with a loop")
    ordered = sorted(files, key=lambda path: (len(str(path)), str(path)))
    return [folder.text(str(path.relative_to(folder.path))).split("<a ")[0].split() for path in ordered]


def _wrongly_closed(folder: LabFolder) -> str:
    texts, pattern = _texts(folder, "fourth"), _pattern(folder, "fourth")
    if not pattern.closed:
        raise Wrong(f"your crawl left {pattern.pattern} open: {counted(pattern.fresh, 'page')} of it had a new line")
    pages, got = len(texts), _pages_in_index(folder, "fourth")
    if got >= pages:
        raise Wrong("each page of site/fourth is in the index: nothing is lost")
    if (different := len(set(map(tuple, texts)))) < pages:
        repeat = counted(pages - different, "page repeats", "pages repeat")
        raise Wrong(f"{repeat} another one of site/fourth: the rule closes it rightly")
    return f"{pages - got} of {pages} different pages are lost: {pattern.closed}"


def _wrongly_open(folder: LabFolder) -> str:
    texts, pattern = _texts(folder, "fifth"), _pattern(folder, "fifth")
    if pattern.closed:
        raise Wrong(f"your crawl closed {pattern.pattern}: {pattern.closed}")
    fetched = pattern.fresh + pattern.wasted
    if fetched < MIN_PAGES:
        raise Wrong(
            f"your crawl fetched {counted(fetched, 'page')} of {pattern.pattern}, and the rule waits for 20: link them"
        )
    repeated = median(_share_repeated(one, other) for one, other in pairwise(texts))
    if repeated < LEAST_REPEATED:
        raise Wrong(f"a page repeats {repeated:.0%} of the words of the one before: a person reads something new there")
    seen = counted(fetched, "page")
    return f"{pattern.pattern} is open after {seen}, of which each repeats {repeated:.0%} of the one before"


def _share_repeated(before: list[str], page: list[str]) -> float:
    return sum(word in set(before) for word in page) / max(1, len(page))


def _pages_in_index(folder: LabFolder, part: str) -> int:
    return _below(part, urls(folder.index(), f"inurl:{part}"))


PREDICTIONS = {
    1: Prediction("pages of a part", _fetched_by_textbook),
    2: Prediction("parts", _saved, PARTS),
    3: Prediction("parts", _whole_parts, PARTS),
    7: Prediction("does it lose stories", _stories_lost, YES_NO),
}
HAND_INS = (
    HandIn("data", _released),
    HandIn("site/fourth", _wrongly_closed),
    HandIn("site/fifth", _wrongly_open),
    sentences("sentences.txt"),
)
