"""What does a site put on all of its pages? The lines of its template, and its name in the titles.

The sample of a site is the SAMPLE_PAGES pages whose URLs have the smallest keys. It depends on the site alone and not
on the order of a crawl. A page that is read again replaces its earlier lines. So a template that a site drops is
forgotten, and a site of any size takes a bounded amount of memory, even if each of its lines is new each time. 64 bits
identify a line, without its digits: "page 3 of 17" is "page 4 of 17".

A heading such as "Parameters", the head of a table or a line of a listing is on many pages too, and is content. So a
repeated line is template only in a menu, as a line of links, or at the top or bottom of a page among other repeated
lines. A page keeps its content: if nothing else would remain, or a few links, its lines stay content.

"Rye bread | The Bakery" means "Rye bread" to a reader of results, who sees the site above it. A page may state the name
of its site (og:site_name, the WebSite of its JSON-LD). Else it is the part behind or before a separator that the titles
of the site share. A title keeps at least one letter or digit. A name is learnt only from titles that differ in the
rest: what all pages of a small site share may be its subject.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from pages.text.layout import CONTENT, REPEATED, SIGNED, LineKind, TextLines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet


SAMPLE_PAGES = 100  # of a site: a line on 40 % of its pages is on 40 of these, give or take 5
LEAST_PAGES = 4  # that have a line before it can be a template: a site of two or three pages teaches nothing
LINE_SHARE = 0.4  # of the sampled pages that have a line
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
    least = max(LEAST_PAGES, LINE_SHARE * len(pages))
    return frozenset(mark for mark, count in counts.items() if count >= least)


def template_bytes(template: AbstractSet[int]) -> bytes:
    """Return the marks of a template as bytes, in one order."""
    return array("q", sorted(template)).tobytes()


def template_marks(marks: bytes) -> frozenset[int]:
    """Read what `template_bytes` returned."""
    return frozenset(array("q", marks))


def template_version(template: AbstractSet[int]) -> int:
    """Return a number that identifies a template: 0 for none."""
    if not template:
        return 0
    return int.from_bytes(blake2b(template_bytes(template), digest_size=MARK_BYTES).digest(), signed=True) or 1


def mark_site_template(text: TextLines, template: AbstractSet[int]) -> TextLines:
    """Mark the lines of a page that are its site's template, whatever an earlier template marked."""
    text = text.without_site_template()
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
    found = replace(text, kinds="".join(kinds))
    return found if _says_something(found) else text


def _says_something(judged: TextLines) -> bool:
    """Whether a page keeps enough: words, and not a few links instead of a longer sentence."""
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


MIN_TITLES = 8  # distinct titles from which a name can be learnt
NAME_SHARE = 0.6  # of the titles that have to show it
DIFFERENT = 0.9  # of the titles have to differ in the rest
MAX_NAME_CHARS = 80  # longer ones are sentences
_SEPARATOR = re.compile(r"\s+(?:[|\u2013\u2014\u00b7\u2022\u00bb\u00ab\u203a\u2039/\u2192-]|::)\s+|\s*[\uff5c]\s*")
# Two letters, or one that is a word: "Release notes - 3.8" must not become "3.8".
_SAYS_SOMETHING = re.compile("[^\\W\\d_]{2}|[\u3041-\u9fff\uac00-\ud7a3]")


class SiteName(NamedTuple):
    """A name as the titles of a site show it, and of how many distinct titles it was learnt."""

    name: str
    shown_by: int
    titles: int


def without_name(title: str, name: str) -> str:
    """Return a title without the name of its site; the whole title where the name is not a part of its own."""
    if not name:
        return title
    for separator in reversed(list(_SEPARATOR.finditer(title))):
        if _same(title[separator.end() :], name) and _SAYS_SOMETHING.search(title[: separator.start()]):
            return title[: separator.start()].rstrip()
    for separator in _SEPARATOR.finditer(title):
        if _same(title[: separator.start()], name) and _SAYS_SOMETHING.search(title[separator.end() :]):
            return title[separator.end() :].lstrip()
    return title


def learnt_name(titles: Iterable[str]) -> SiteName | None:
    """Return the name that most of the distinct titles of a site show, or None.

    The longest part counts that as many titles show: of "Rye - Breads - The Bakery" it is "The Bakery" where there are
    cakes too, and "Breads - The Bakery" where there is nothing but breads.
    """
    distinct = set(titles)
    if len(distinct) < MIN_TITLES:
        return None
    counted = Counter(part for title in distinct for part in _outer_parts(title))
    enough = [(times, len(name), name) for name, times in counted.items() if times >= NAME_SHARE * len(distinct)]
    if not enough:
        return None
    most = max(enough)[0]
    times, _, name = max((entry for entry in enough if entry[0] == most), key=lambda entry: entry[1:])
    rests = {without_name(title, name) for title in distinct}
    return SiteName(name, times, len(distinct)) if len(rests) >= DIFFERENT * len(distinct) else None


def _outer_parts(title: str) -> set[str]:
    """Return the texts before and behind each separator."""
    parts = set()
    for separator in _SEPARATOR.finditer(title):
        parts |= {title[: separator.start()].strip(), title[separator.end() :].strip()}
    return {part for part in parts if _SAYS_SOMETHING.search(part) and len(part) <= MAX_NAME_CHARS}


def _same(part: str, name: str) -> bool:
    return " ".join(part.split()).casefold() == " ".join(name.split()).casefold()
