"""How is a part of a text shown? As whole sentences on one line, with the matches in them.

Only a sentence that is longer than the room is cut. Dots show where it was, and where sentences were left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from indexer.snippets.highlighter import joined_spans
from indexer.snippets.sentences import (
    Sentence,
    cut_after,
    cut_before,
    is_stopped,
    sentence_start,
    skip_blanks,
    whole_sentences,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.snippets.highlighter import TextSpan

ELLIPSIS = "…"
LEAD = 60  # characters shown before the first match of a sentence that is cut
MIN_CHARS_WITH_DOTS = 8  # where a page allows fewer, no dots show that text was left out


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
