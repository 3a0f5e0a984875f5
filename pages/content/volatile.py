"""Which parts of a page change at each visit? Times at which it was made, counters, session ids, and learnt lines.

These parts say nothing about the subject of a page. Words that a program writes are left out only where a word next to
them shows what they are. Bare dates, times and numbers stay, or all pages of a calendar would be one page.

Other volatile lines have no usual form: a quotation of the day, a news box, a visitor's number. A site shows them when
a few of its pages are fetched twice, seconds apart. The two fetches are compared line by line. There are two kinds:

- **a changed number**: the line is the same but for numbers, dates and tokens. What remains identifies it. If hardly a
  word remains, that and the line before it do.
- **other words**: the lines between two that stayed. Those two identify them, as a box on another page.

An author may have edited a page in between. So a line counts only once it has changed on a second page too: an edit is
on one page, a template's box on many. A box that only one page has is never found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from urls.traps import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


MAX_LINES_TOLD = 2_000  # of a page are looked through to tell what is left out of it: a person asks, and others wait
MAX_LINE_CHARS = 200  # stamps and counters stand in short lines; in a paragraph a date is content

_ZONE = r"(?:\s?(?:Z|UTC|GMT|MEZ|CET|MSK|JST|KST|[+-]\d{2}:?\d{2})\b)?"
_CLOCK = rf"\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?(?:\s?[ap]\.?m\b\.?)?{_ZONE}"
_MONTH = r"(?:[^\W\d_]{3,12}\.?)"
_DAY = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.|er)?\s(?:de\s)?{_MONTH},?\s(?:de\s)?\d{{4}}|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}"
    r"|\d{4}\s?[年년]\s?\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일])"
)
_MOMENT = re.compile(rf"(?:{_DAY}|{_CLOCK})(?:(?:[ T,]|\sat\s|\sum\s)*(?:{_DAY}|{_CLOCK}))*", re.IGNORECASE)
# A day with a time to the second: a program has written it, whatever stands beside it.
_STAMP = re.compile(rf"{_DAY}[T ,]+\d{{1,2}}:\d{{2}}:\d{{2}}(?:\.\d+)?{_ZONE}")
# So is a time to the second beside a counter.
_TO_THE_SECOND = r"(?<![\d:])\d{1,2}:\d{2}:\d{2}(?:\.\d+)?(?:\s?[ap]\.?m\b\.?)?"
_CLOCK_TO_THE_SECOND = re.compile(rf"{_TO_THE_SECOND}{_ZONE}(?![\d:])", re.IGNORECASE)
# Words that mean "the page was made at this time": the times in their line are volatile.
_MADE = re.compile(
    r"updated?\b|modified|generated|rendered|retrieved|printed|last (?:change|edit|visit)|refreshed"
    r"|(?:current|server|local) (?:time|date)|time (?:now|is)|today is|it is now"
    r"|\bstand:|aktualisiert|erzeugt|geändert|heute ist|mise? à jour|générée?|modifiée?|actualizad[oa]|generad[oa]"
    r"|обновлен|изменен|сгенерирован|сейчас|сегодня|更新|現在|现在|生成|업데이트|수정|현재",
    re.IGNORECASE,
)
# A number that is no part of a time, a date or a longer number: of "10:03:11 Visitors: 1234" the 11 counts nothing.
_NUMBER = r"(?<![\d:./-])\d[\d.,'\u00a0 ]*+(?:[km]\b)?(?![\d:])"
_COUNTED = (
    r"visitors?|page ?views|users online|besucher|seitenaufrufe|zugriffe|visiteurs?|visitas|посетител\w*|просмотр\w*"
    r"|訪問者|访问量|浏览量|浏览|阅读|방문자|조회수?"
)
_ALSO_WORDS = r"visits|hits|views|online|reads|downloads|aufrufe|vues"  # that stand before other numbers, too
_SPAN = r"number|no\.?|nr\.?|count(?:er)?|today|yesterday|total|this (?:week|month)|heute|gestern|gesamt|сегодня|всего"
_IS = r"\s?[:#№=\uff1a]\s?"
# Counters, with the word that says what is counted, and how long the page took to make.
_COUNTER = re.compile(
    rf"(?<!\w)(?:(?:{_COUNTED})(?:\s(?:{_SPAN}))?(?:{_IS}|\s)?|(?:{_ALSO_WORDS})(?:(?:\s(?:{_SPAN}))?{_IS}|\s(?:{_SPAN})\s))"
    rf"{_NUMBER}(?:[,;/|]?\s?(?:{_SPAN})(?:{_IS}|\s){_NUMBER})*"
    rf"|{_NUMBER}(?:th|st|nd|rd)?\s?(?:{_COUNTED}|visits|hits|views|reads|downloads|aufrufe|vues)\b(?!{_IS}\d)"
    rf"|\b(?:viewed|visited|accessed|read|gelesen|aufgerufen|vue?)\s{_NUMBER}(?:times|mal|fois)\b"
    r"|\b(?:generated|rendered|loaded|created|served|built|processed|erzeugt|générée?|generad[oa]|сгенерирован\w*"
    r"|(?:execution|load(?:ing)?|rendering|response|processing) time)\D{0,16}\d+(?:[.,]\d+)?"
    r"\s?(?:seconds?|secs?|s|ms|milliseconds|sekunden|secondes|segundos|сек\w*)\b"
    r"|\b\d+\s(?:sql\s|db\s|database\s|mysql\s)?queries\b",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"\b(?:phpsessid|jsessionid|aspsessionid\w*|session(?:[ _-]?id)?|sid|request[ _-]?id|token|nonce)\b\s?[:=#]?\s?"
    r"(?=[a-z-]*\d)[0-9a-z_-]{8,}",
    re.IGNORECASE,
)
# Cheap tests, so that most lines need none of the patterns above. Of _MADE, _SESSION and _COUNTER, one of its pieces
# stands in each line without _BEYOND that it matches; the line is in small letters.
_OF_MADE = re.findall(
    r"\S+",
    "update modif genera rendere retriev printed last refreshed time date today now stand: aktualisiert erzeugt heute "
    "mise actualizad",
)
_OF_SESSION = re.findall(r"\S+", "sid session sessid request token nonce")
_OF_COUNTER = re.findall(
    r"\S+",
    "visit view online besucher zugriffe hits read downloads aufrufe vu accessed gelesen aufgerufen genera rendere "
    "loaded created served built processed erzeugt time queries",
)
_PIECES = tuple(dict.fromkeys(_OF_MADE + _OF_SESSION + _OF_COUNTER))
_BEYOND = re.compile("[^\x00-\x7f\xa0\xa7\xa9\xab\xb6\xb7\xbb\u2010-\u2026]")  # letters of others than English
_DIGIT = re.compile(r"\d")
_SECONDS = re.compile(r"\d:\d\d:\d\d")
_TIME_LIKE = re.compile(r"\d{4}|\d:\d\d|\d[-./]\d")
LEFT_OUT = "\0"  # what takes the place of volatile words: no text of a page holds it


class _Sought(NamedTuple):
    """Which of three patterns a line may match."""

    made: bool = True
    session: bool = True
    counter: bool = True

    @classmethod
    def of(cls, lowered: str) -> _Sought:
        """Decide it by the pieces of a line in lower case."""
        return cls(*(any(map(lowered.__contains__, words)) for words in (_OF_MADE, _OF_SESSION, _OF_COUNTER)))


_ANY = _Sought()


def without_volatile_words(line: str) -> str:
    """Return a line of text without the words that a program writes at each visit."""
    return _steady(line, None)


def steady_lines(lines: list[str]) -> list[str]:
    """Return what `without_volatile_words` makes of each line; of a page at once, most lines cost next to nothing."""
    numbered = [place for place, line in enumerate(lines) if len(line) <= MAX_LINE_CHARS and _DIGIT.search(line)]
    joined = "\n".join([lines[place] for place in numbered]).lower()
    pieces = [piece for piece in _PIECES if piece in joined]
    if not pieces and not _BEYOND.search(joined) and not _SECONDS.search(joined):
        return lines
    found = lines.copy()
    for place, lowered in zip(numbered, joined.split("\n"), strict=bool(numbered)):
        if not lowered.isascii() and _BEYOND.search(lowered):
            found[place] = _steady(lines[place], None)
        elif any(map(lowered.__contains__, pieces)) or _SECONDS.search(lowered):
            found[place] = _steady(lines[place], None, _Sought.of(lowered))
    return found


def volatile_words(text: str, most: int) -> tuple[str, ...]:
    """Return what `without_volatile_words` leaves out of a text, line by line; `most` of them at most.

    Of more than MAX_LINES_TOLD lines, only the first and the last are checked: such words are there.
    """
    found: list[str] = []
    lines = text.split("\n")
    if len(lines) > MAX_LINES_TOLD:
        lines[MAX_LINES_TOLD // 2 : -MAX_LINES_TOLD // 2] = []
    for line in lines:
        _steady(line, found)
        if len(found) >= most:
            break
    return tuple(found[:most])


def _steady(line: str, left_out: list[str] | None, sought: _Sought = _ANY) -> str:
    if len(line) > MAX_LINE_CHARS or not _DIGIT.search(line):
        return line
    for pattern in _patterns(line, sought):
        if left_out is not None:
            left_out += [match[0].strip() for match in pattern.finditer(line)]
        line = pattern.sub(LEFT_OUT, line)
    return line


def _patterns(line: str, sought: _Sought) -> list[re.Pattern[str]]:
    """Return the patterns that a line can hold, in the order in which they are taken out."""
    found = [_STAMP] if _SECONDS.search(line) else []
    if found and sought.counter and _COUNTER.search(line):
        found.append(_CLOCK_TO_THE_SECOND)
    if sought.made and _TIME_LIKE.search(line) and _MADE.search(line):
        found.append(_MOMENT)
    if sought.session:
        found.append(_SESSION)
    if sought.counter:
        found.append(_COUNTER)
    return found


MAX_LINES_COMPARED = 400  # of a page, between what both fetches begin and end with
MAX_BOX_LINES = 20  # between two lines that stay: more of them are content
MAX_EXAMPLE_CHARS = 120
LEAST_LETTERS = 6  # that remain of a line without its numbers: fewer are in many lines
MARK_BYTES = 8  # 64 bits
EDGE = ""  # stands for the line before the first and after the last one
NUMBER = 0  # in place of the line after: the line itself is known


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A part of a page that was another one at the second fetch: known by `mark`, or between `mark` and `until`."""

    mark: int
    until: int
    example: str


def changed_lines(before: str, after: str) -> list[ChangedLine]:
    """Return the parts in which two fetches of a page differ; nothing where too much of it does."""
    old, new = before.split("\n"), after.split("\n")
    first = _same(zip(old, new, strict=False))
    last = _same(zip(reversed(old[first:]), reversed(new[first:]), strict=False))
    context_before = old[first - 1] if first else EDGE
    context_after = old[len(old) - last] if last else EDGE
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if max(len(old), len(new)) > MAX_LINES_COMPARED:
        return []
    found: list[ChangedLine] = []
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            line_before = old[start - 1] if start else context_before
            line_after = old[end] if end < len(old) else context_after
            found += _parts(line_before, old[start:end], new[new_start:new_end], line_after)
    return list(dict.fromkeys(found))


def _same(pairs: Iterable[tuple[str, str]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _parts(line_before: str, old: Sequence[str], new: Sequence[str], line_after: str) -> Iterator[ChangedLine]:
    if len(old) == len(new) and all(folded(one) == folded(other) for one, other in zip(old, new, strict=True)):
        for previous, line in zip((line_before, *old), old, strict=False):
            yield ChangedLine(_mark_of_number(previous, line), NUMBER, line[:MAX_EXAMPLE_CHARS])
    elif max(len(old), len(new)) <= MAX_BOX_LINES:
        example = (old or new)[0][:MAX_EXAMPLE_CHARS]
        yield ChangedLine(_mark(line_before), _mark(line_after) or 1, example)


def _mark(line: str) -> int:
    """Return a number for a line, the same whatever its numbers and dates."""
    return int.from_bytes(blake2b(folded(line).encode(), digest_size=MARK_BYTES).digest(), "big", signed=True)


def _mark_of_number(previous: str, line: str) -> int:
    bare = folded(line)
    known = bare if sum(map(str.isalpha, bare)) >= LEAST_LETTERS else f"{folded(previous)}\n{bare}"
    return int.from_bytes(blake2b(known.encode(), digest_size=MARK_BYTES).digest(), "big", signed=True)


@dataclass(frozen=True, slots=True)
class LearntLines:
    """The lines of a site's pages that change by themselves."""

    numbers: frozenset[int]  # marks of lines
    boxes: frozenset[tuple[int, int]]  # marks of the lines before and after

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int]]) -> LearntLines:
        """Make it of pairs of a mark and the mark until which it holds."""
        pairs = list(rows)
        return cls(
            frozenset(mark for mark, until in pairs if until == NUMBER),
            frozenset((mark, until) for mark, until in pairs if until != NUMBER),
        )

    def steady_lines(self, lines: Sequence[str]) -> list[str]:
        """Return the lines of a text without those that change."""
        out = {at for start, end in self._found(lines) for at in range(start, end)}
        return [line for at, line in enumerate(lines) if at not in out]

    def changing(self, lines: Sequence[str]) -> list[str]:
        """Return what `steady_lines` leaves out, a part each, with a blank between its lines."""
        return [" ".join(lines[start:end]) for start, end in self._found(lines)]

    def _found(self, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
        if self.numbers:
            for at, (previous, line) in enumerate(zip((EDGE, *lines), lines, strict=False)):
                if _mark_of_number(previous, line) in self.numbers:
                    yield at, at + 1
        if self.boxes:
            yield from self._boxes(lines)

    def _boxes(self, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
        ends: dict[int, set[int]] = {}
        for mark, until in self.boxes:
            ends.setdefault(mark, set()).add(until)
        marks = [_mark(line) for line in (EDGE, *lines, EDGE)]
        for at, mark in enumerate(marks[:-1]):
            wanted = ends.get(mark)
            if wanted:
                for end in range(at + 2, min(at + 2 + MAX_BOX_LINES, len(marks))):
                    if (marks[end] or 1) in wanted:
                        yield at, end - 1
                        break
