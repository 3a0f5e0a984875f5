"""What does a site put on all of its pages? Lines that stand on many of them are its template.

Learnt from a sample: of each site those SAMPLE_PAGES pages whose addresses have the smallest keys. Which pages these
are depends on the site alone, not on the order of a crawl; a page that is read anew takes the place of what it said
before. So a template that a site gives up is unlearnt by itself, and a site of any size takes a bounded amount of room,
even one whose every line is new each time. A line is known by 64 bits, digits aside: "page 3 of 17" is "page 4 of 17".

A heading such as "Parameters", the head of a table or a line of a listing stands on many pages too, and is content. So
a line that repeats is template only in a menu, as a line of links, or at the top or the bottom of a page among others
that repeat. And a page keeps what it says: where nothing else would be left, or a few links, its lines stay content.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from pages.content.layout import CONTENT, REPEATED, SIGNED, LineKind, TextLines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

SAMPLE_PAGES = 100  # of a site: a line on 40 % of its pages is on 40 of these, give or take 5
LEAST_PAGES = 4  # that have a line before it can be a template: a site of two or three pages teaches nothing
SHARE = 0.4  # of the sampled pages that have a line
MAX_MARKED_LINES = 300  # of a page, half of them from its end: 2.4 KB; a template stands at the top and the bottom
EDGE_GAP = 3  # other lines that may stand between those of a template, such as a title or a date
MAX_EDGE_CHARS = 2000  # of a template's lines at one end of a page: more would be what near copies have in common
LEAST_MENU = 3  # lines of a menu in the midst of a page, one after the other
LEAST_LEFT_CHARS = 12  # letters and digits of content that a page must keep; in scripts without blanks, half as many
MARK_BYTES = 8
KNOWN_LINES, MAX_KNOWN_CHARS = 4096, 120  # whose marks are held in memory: a template comes again with each page

_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
_SAID = re.compile(r"\w")


def line_bits(text: TextLines) -> array[int]:
    """Return a number for each line that can be a template, 0 for every other line."""
    marks = array("q", bytes(MARK_BYTES * len(text.lines)))
    half = MAX_MARKED_LINES // 2
    count = len(text.lines)
    numbers = range(count) if count <= MAX_MARKED_LINES else (*range(half), *range(count - half, count))
    for number in numbers:
        if text.kinds[number] not in _FIXED:
            marks[number] = _mark(text.lines[number])
    return marks


_FIXED = SIGNED | {LineKind.CODE}  # lines that a site has nothing to say about


def _mark(line: str) -> int:
    return _known_mark(line) if len(line) <= MAX_KNOWN_CHARS else _new_mark(line)


def _new_mark(line: str) -> int:
    folded = _DIGITS.sub("0", line).casefold()
    if not _LETTER.search(folded):
        return 0
    return int.from_bytes(blake2b(folded.encode(), digest_size=MARK_BYTES).digest(), signed=True)


_known_mark = lru_cache(KNOWN_LINES)(_new_mark)


def sample_of(marks: Iterable[int]) -> bytes:
    """Return what is kept of a page in the sample: its marks, each once."""
    return array("q", sorted({mark for mark in marks if mark})).tobytes()


def learnt_template(pages: Sequence[bytes]) -> frozenset[int]:
    """Return the marks of the lines that are a site's template, from what `sample_of` returned for its pages."""
    counts: Counter[int] = Counter()
    for page in pages:
        counts.update(array("q", page))
    least = max(LEAST_PAGES, SHARE * len(pages))
    return frozenset(mark for mark, count in counts.items() if count >= least)


def template_bytes(template: AbstractSet[int]) -> bytes:
    """Return the marks of a template as bytes, in one order."""
    return array("q", sorted(template)).tobytes()


def template_marks(marks: bytes) -> frozenset[int]:
    """Read what `template_bytes` returned."""
    return frozenset(array("q", marks))


def template_version(template: AbstractSet[int]) -> int:
    """Return a number that stands for a template: 0 for none."""
    if not template:
        return 0
    return int.from_bytes(blake2b(template_bytes(template), digest_size=MARK_BYTES).digest(), signed=True) or 1


def judged_by_site(text: TextLines, template: AbstractSet[int]) -> TextLines:
    """Tell which lines of a page are its site's template, whatever an earlier template said."""
    text = text.without_the_site()
    if not template:
        return text
    repeats = [mark in template for mark in line_bits(text)]  # 0 is in no template
    if not any(repeats):
        return text
    kinds = list(text.kinds)
    for number in (*_edge(text, repeats, range(len(kinds))), *_edge(text, repeats, range(len(kinds) - 1, -1, -1))):
        kinds[number] = REPEATED.get(LineKind(kinds[number]), kinds[number])
    for number in _menus(text, repeats):
        kinds[number] = REPEATED.get(LineKind(kinds[number]), kinds[number])
    found = TextLines(text.lines, "".join(kinds), text.withheld)
    return found if _says_something(found) else text


def _says_something(judged: TextLines) -> bool:
    """Whether enough is left of a page: words, and not a few links in place of the longer sentence that was taken."""
    if len(_SAID.findall(judged.text[:1000])) < _least_left(judged.text):
        return False
    chars: Counter[str] = Counter()
    for line, kind in zip(judged.lines, judged.kinds, strict=True):
        chars[kind] += len(line)
    sentences = sum(chars[kind] for kind in CONTENT - {LineKind.LINKS})
    return sentences > 0 or chars[LineKind.LINKS] >= chars[LineKind.REPEATED]


def _least_left(text: str) -> int:
    return LEAST_LEFT_CHARS if text.isascii() else LEAST_LEFT_CHARS // 2


def _edge(text: TextLines, repeats: Sequence[bool], numbers: range) -> list[int]:
    """Return the lines that repeat at one end of a page; `numbers` leads inwards."""
    found: list[int] = []
    gap = chars = 0
    for number in numbers:
        if text.kinds[number] not in CONTENT:
            continue
        if not repeats[number] or (text.kinds[number] == LineKind.HEADING and not _leads_to_more(repeats, number)):
            gap += 1
            if gap > EDGE_GAP:
                break
            continue
        chars += len(text.lines[number])
        found.append(number)
    return found if chars <= MAX_EDGE_CHARS else []


def _leads_to_more(repeats: Sequence[bool], number: int) -> bool:
    """Whether the line below one that repeats does so too: else a heading is about what this page alone says."""
    return number + 1 < len(repeats) and repeats[number + 1]


def _menus(text: TextLines, repeats: Sequence[bool]) -> list[int]:
    """Return the lines of links that repeat, and what repeats in a row with several of them."""
    found: list[int] = []
    row: list[int] = []
    for number in range(len(repeats) + 1):
        if number < len(repeats) and repeats[number]:
            row.append(number)
            continue
        links = [each for each in row if text.kinds[each] == LineKind.LINKS]
        found += row if len(links) >= LEAST_MENU and 2 * len(links) >= len(row) else links
        row = []
    return found
