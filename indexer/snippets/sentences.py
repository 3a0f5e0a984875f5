"""How is a part of a text shown? As whole sentences on one line, with the matches in them.

No sentence reaches over the end of a line. A line without one is a heading, an entry of a list, a signature or code,
and counts as a whole. Only a sentence that is longer than the room is cut. Dots show where it was, and where sentences
were left out.

- The marks of Chinese, Japanese, Hindi, Arabic and Urdu always end a sentence.
- Another mark ends one before a blank or the end of its line. It doesn't after a single letter ("e.g.", "J."), unless a
  stop word begins the next sentence ("of X. If"), after an abbreviation, after the number of a heading ("1.2."), or
  after a short word if a word in lower case follows in its line ("etc."). Three dots end one only after a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from indexer.analysis.words import STOP_WORDS, is_stop_word, is_unspaced
from indexer.snippets.highlighter import joined_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from indexer.snippets.highlighter import TextSpan

ELLIPSIS = "…"
LEAD = 60  # characters shown before the first match of a sentence that is cut
MIN_CHARS_WITH_DOTS = 8  # where a page allows fewer, no dots show that text was left out
BETWEEN_LINES = " · "
MIN_SENTENCE_CHARS = 24  # of a line with a sentence; half as many in scripts without blanks
LEAST_BLANKS = 4  # of a line that ends with a colon and counts as a sentence
SHORT_WORD = 3  # characters of a word that may be an abbreviation
_CLOSING = r"""["'”\u2019»)\]」』\uff09】〉》]*"""
_WIDE_MARKS = "。｡\uff01\uff1f।؟\u06d4"
_MARK = re.compile(rf"(?:[{_WIDE_MARKS}]|[.!?…]+){_CLOSING}")
_ANY_END = re.compile(rf"[.!?…]{_CLOSING}(?:\s|\Z)|[{_WIDE_MARKS}]")
_LINE_MARK = re.compile(rf"[.!?…{_WIDE_MARKS}:;,\u2013\u2014·]{_CLOSING}\Z")
_FULL_STOP = re.compile(rf"[.!?…{_WIDE_MARKS}]{_CLOSING}\Z")
_LOWER_WORD = re.compile(r"[^\W\d_]+(?![\w.(:=/-])")  # no name such as pg_dump
_NEXT_WORD = re.compile(r"\w+(?![\w.])")  # no further initial
_LANGUAGES = frozenset(STOP_WORDS)
_WORD_BEFORE = re.compile(r"[\w.]+\Z")
_CLAUSE = re.compile(r"[,;:](?=\s)|(?<=[)\]])(?=\s)|\s(?=[\u2013\u2014(])|[、\uff0c\uff1b\uff1a]")
_ABBREVIATIONS = frozenset(
    [
        "Mr",
        "Mrs",
        "Ms",
        "Dr",
        "Prof",
        "St",
        "Fig",
        "Figs",
        "fig",
        "Vol",
        "vol",
        "No",
        "Nos",
        "Nr",
        "Eq",
        "Sec",
        "cf",
        "vs",
        "pp",
        "bzw",
        "vgl",
        "Abb",
        "viz",
        "approx",
    ]
)
MAX_MARK_CHARS = 4  # at the end of a line: its mark, quotes, a bracket
MAX_WORD_CHARS = 24  # of a word before a mark


class Sentence(NamedTuple):
    """A sentence, or a line without one: its start and exclusive end, and what stands between it and the next."""

    start: int
    end: int
    gap: str


def line_around(text: str, place: int) -> tuple[int, int]:
    """Return the start and end of the line that has the character at `place`."""
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, end if end >= 0 else len(text)


def has_sentence(text: str, start: int, end: int) -> bool:
    """Return whether a line has a sentence."""
    if end - start < MIN_SENTENCE_CHARS // 2:
        return False
    if end - start < MIN_SENTENCE_CHARS and not is_unspaced(text[start]) and text.find(" ", start, end) >= 0:
        return False
    if text[end - 1] in ".!?" and _ends(text, end - 1, end):
        return True  # most lines with a sentence end with one
    return _ANY_END.search(text, start, end) is not None and next(sentence_ends(text, start, end), None) is not None


def introduces(text: str, start: int, end: int) -> bool:
    """Return whether a line has a sentence, or is one that ends with a colon."""
    if text[end - 1] == "?":
        return False
    is_long = end - start >= MIN_SENTENCE_CHARS and text.count(" ", start, end) >= LEAST_BLANKS
    return has_sentence(text, start, end) or (is_long and text[start:end].rstrip().endswith((":", "：")))  # noqa: RUF001


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where sentences end in a part of a text."""
    for mark in _MARK.finditer(text, start, end):
        at, stop = mark.span()
        if text[at] in _WIDE_MARKS or ((stop == len(text) or text[stop].isspace()) and _ends(text, at, stop)):
            yield stop


def _ends(text: str, at: int, stop: int) -> bool:
    """Return whether the mark at `at` ends a sentence; a blank or nothing follows at `stop`."""
    if not at or text[at - 1].isspace():
        return False
    follows = text[stop + 1 : stop + 2]
    if text[at] == "…" or text.startswith("...", at):
        is_of_synopsis = text[stop - 1] not in ".…" or not text[at - 1].isalnum()  # "[option...]", "<commit>…"
        return not is_of_synopsis and (not follows or follows.isupper())
    if not text[at - 1].isalnum():
        return True  # after a bracket or a quote
    found = _WORD_BEFORE.search(text, max(0, at - MAX_WORD_CHARS), at)
    word = found[0] if found else ""
    if not word.strip("0123456789."):
        return _is_within(text, at - len(word))
    if len(word) == 1 or word[-2] == "." or word in _ABBREVIATIONS:
        return len(word) == 1 and _begins_with_stop_word(text, stop + 1)  # "the value of X. If it is …"
    may_go_on = (len(word) <= SHORT_WORD or text[at] in "!?") and not text.startswith("\n", stop)
    return not (may_go_on and follows.islower() and _LOWER_WORD.match(text, stop + 1))


def _begins_with_stop_word(text: str, start: int) -> bool:
    word = _NEXT_WORD.match(text, start, start + MAX_WORD_CHARS)
    return word is not None and word[0].istitle() and is_stop_word(word[0].lower(), _LANGUAGES)


def _is_within(text: str, number: int) -> bool:
    """Return whether a number stands within a sentence: two words before it are in its line, as no caption has them."""
    return text.count(" ", text.rfind("\n", 0, number) + 1, number) > 1


def sentence_start(text: str, place: int, reach: int) -> int | None:
    """Return where the sentence with the character at `place` begins; None: more than `reach` characters before."""
    line = text.rfind("\n", 0, place) + 1
    least = max(line, place - reach)
    start = line if least == line else None
    for end in sentence_ends(text, least, place):
        start = end
    return None if start is None else skip_blanks(text, start)


def skip_blanks(text: str, start: int) -> int:
    """Return the first place from `start` on that is no blank, or the end of the text."""
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def whole_sentences(text: str, start: int, room: int, end: int | None = None) -> list[Sentence]:
    """Return the sentences from `start` to `end` that fit into `room` characters when they are shown on one line."""
    found: list[Sentence] = []
    before, beyond = "", len(text) if end is None else end
    while start < beyond:
        line = text.find("\n", start)
        line = line if line >= 0 else len(text)
        following = skip_blanks(text, line)
        for stop in (*sentence_ends(text, start, min(line, start + room + MAX_MARK_CHARS)), line):
            if start >= line:
                break  # a sentence ended with its line
            shown = _before_blanks(text, start, stop)
            room -= len(before) + shown - start
            if room < 0:
                return found
            after = skip_blanks(text, stop)
            if after >= line:
                before, after = between_lines(text, start, shown), following
            else:
                before = text[stop:after]
            if shown > start:
                found.append(Sentence(start, shown, before))
            start = after
        start = max(start, following)
    return found


def _before_blanks(text: str, start: int, stop: int) -> int:
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    return stop


def between_lines(text: str, start: int, end: int) -> str:
    """Return what stands between two lines in a snippet: a dot in the middle, unless the first ends with a mark."""
    return " " if _LINE_MARK.search(text, max(start, end - MAX_MARK_CHARS), end) else BETWEEN_LINES


def is_stopped(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text ends with the mark of a sentence."""
    return _FULL_STOP.search(text, max(start, end - MAX_MARK_CHARS), end) is not None


def cut_before(text: str, start: int, end: int) -> int:
    """Return where to cut a text that goes on at `end`: before the last clause of its last third, else at a blank.

    A name is cut only if it is longer than the whole part.
    """
    if end < len(text) and not text[end].isspace():
        clauses = [found.start() for found in _CLAUSE.finditer(text, end - (end - start) // 3, end)]
        blank = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end))
        end = clauses[-1] if clauses else blank if blank > start else end
    return start + (len(text[start:end].rstrip(" \t\r\n,;:")) or end - start)


def cut_after(text: str, start: int, end: int) -> int:
    """Return where to begin in a sentence that began before `start`, to show what is at `end`: a clause, or a word."""
    clause = next((found.end() for found in _CLAUSE.finditer(text, start, end)), None)
    if clause is not None:
        return skip_blanks(text, clause)
    blank = text.find(" ", start, end)
    return blank + 1 if blank >= 0 else start


@dataclass(frozen=True, slots=True)
class Snippet:
    """Plain text, and the start and end of each match in it, in text order."""

    text: str = ""
    spans: tuple[TextSpan, ...] = ()

    def __str__(self) -> str:
        return self.text


class Excerpt(NamedTuple):
    """Parts of a text in its order, and the dots before and after them: "" where they begin or end a sentence."""

    parts: Sequence[Sentence]
    before: str = ""
    after: str = ""

    def shows(self, span: TextSpan) -> bool:
        """Return whether one of the parts has this span of the text."""
        return any(part.start <= span[0] and span[1] <= part.end for part in self.parts)

    @property
    def extent(self) -> TextSpan:
        """From the start of the first part to the end of the last."""
        return self.parts[0].start, self.parts[-1].end

    def trimmed(self, text: str, matches: Sequence[TextSpan] = ()) -> Excerpt:
        """Return it without the lines after its last sentence: the next heading or name.

        They stay where one has a match, and where they are a list that a line with a colon introduces.
        """
        last = len(self.parts)
        while last and not is_stopped(text, *self.parts[last - 1][:2]):
            last -= 1
        rest = self.parts[last:]
        if not last or not rest or self.after or (len(rest) > 1 and text[rest[0].end - 1] in ":："):  # noqa: RUF001
            return self
        matched = [n for n, part in enumerate(rest, 1) if any(part.start <= at < part.end for at, _ in matches)]
        return self._replace(parts=self.parts[: last + max(matched, default=0)])

    def snippet(self, text: str, spans: Iterable[TextSpan]) -> Snippet:
        """Return the parts on one line; `spans` are the matches in the text, in its order."""
        pieces: list[str] = [self.before]
        kept: list[TextSpan] = []
        length, found = len(self.before), joined_spans(spans)
        for number, (start, end, gap) in enumerate(self.parts):
            kept += [(a - start + length, min(b, end) - start + length) for a, b in found if start <= a < end]
            pieces += text[start:end], gap if number + 1 < len(self.parts) else self.after
            length += end - start + len(gap)
        return Snippet("".join(pieces).replace("\t", " ").replace("\r", " "), tuple(kept))


def _dots(room: int) -> str:
    """Return the dots that show a cut, if there is room for them."""
    return ELLIPSIS if room >= MIN_CHARS_WITH_DOTS else ""


def excerpt_from(text: str, start: int, room: int, end: int | None = None) -> Excerpt:
    """Return the sentences from `start` to `end` that fit into `room` characters, or the beginning of the first."""
    start = skip_blanks(text, start)
    whole = whole_sentences(text, start, room, end)
    if whole or start >= len(text):
        return Excerpt(whole)
    dots = _dots(room)
    return Excerpt([Sentence(start, cut_before(text, start, start + room - len(dots)), "")], "", dots)


def excerpts_with(text: str, span: TextSpan, room: int, section: TextSpan) -> list[Excerpt]:
    """Return the excerpts that begin with the section, the line or the sentence of a match, as far as they show it.

    None does: return the one from a word before. All end with the section.
    """
    line, sentence = text.rfind("\n", 0, span[0]) + 1, sentence_start(text, span[0], room)
    begins = (min(section[0], line), line, line if sentence is None else sentence)
    starts = dict.fromkeys(start for start in begins if span[1] - start <= room)
    found = [excerpt_from(text, start, room, section[1]) for start in starts]
    return [each for each in found if each.shows(span)] or [_excerpt_around(text, span[0], room, section[1])]


def _excerpt_around(text: str, first: int, room: int, end: int) -> Excerpt:
    dots = _dots(room)
    line = text.rfind("\n", 0, first) + 1
    begin = cut_after(text, max(line, first - min(LEAD, room // 4)), first)
    whole = whole_sentences(text, begin, room - len(dots), end)
    if whole:
        return Excerpt(whole, dots)
    return Excerpt([Sentence(begin, cut_before(text, begin, begin + room - 2 * len(dots)), "")], dots, dots)
