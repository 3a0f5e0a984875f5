"""Which lines of a page make the best snippet? The window whose query terms weigh most, preferably in sentences.

A menu repeats the same words on every page, so a match in it says little about this page. A term in a line with a whole
sentence counts twice as much as a term in a menu, a list or a heading. Two neighbouring terms that were typed next to
each other count as another term, and so does an identifier in addition to its parts.

A page and a section begin with what they are about. So the beginning of the page, or of one of its best sections, is
shown instead, if its terms say nearly as much as those of the window: the sum of their idf.

The window then becomes whole sentences of one section (sentences.py). They begin with its heading, if that has a term
or is a defined name, or with their paragraph, if that is near, since a person reads on from there; the heading of the
page is the title, and says nothing more. Only a sentence longer than a snippet is cut, at a clause or between two
words, and dots show where.

The index knows the positions of the terms (passages.py), so only the best few passages of a text are read. A text
without known positions (it has hidden parts) is read from its beginning.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from indexer.snippets.definitions import first_of_page, section_around
from indexer.snippets.highlighter import Highlighter, TextSpan, highlighter_for, joined_spans
from indexer.snippets.sentences import LEAD, Snippet, excerpt_from, excerpts_with, has_sentence, line_around

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from indexer.analysis.readings import WordReader
    from indexer.query.deadline import Deadline
    from indexer.segments.schema import SectionRow
    from indexer.snippets.definitions import Definition, Opening
    from indexer.snippets.passages import TextRegion
    from indexer.snippets.sentences import Excerpt

WINDOW = 240  # characters of a snippet, about two lines
IN_SENTENCE, ELSEWHERE = 2, 1  # the factors of a term by where it was found
MAX_MARKS = 400  # matches in one page; only queries of stop words find more
INTRODUCTION = 1_000  # characters at the beginning of a page that may say what it is about
OPENING = 0.8  # of what the terms of the best window say: so much suffices at the beginning of a section
MAX_STARTS = 4  # sentences of a window with which a snippet may begin
BLOCK_CHARS = 16_384  # read at a time
SCORE_DIGITS = 6  # beyond which two scores count as equal: they are sums of fractions
LATE = "the best lines of some pages"  # the step that may be left out for lack of time

_Score = tuple[float, int, int]  # of a window: the weight of its terms, its matches in sentences, and above them


class TermMark(NamedTuple):
    """A match in the text, and whether its line has a sentence, or is right above one."""

    span: TextSpan
    terms: tuple[str, ...]  # of the query, and pairs of them that end here
    in_sentence: bool
    above_sentence: bool


class _Fragment(NamedTuple):
    """A part of a text that was read, the matches in it, and its best window."""

    start: int
    end: int
    marks: Sequence[TermMark]
    score: _Score  # of the best window
    first: int  # the start of the first match in the window

    def spans(self, text: str, start: int, end: int) -> list[TextSpan] | None:
        """Return the matches from `start` to `end`; None if a word may be cut there, or matches may be missing."""
        is_read = self.start <= start and end <= self.end and len(self.marks) < MAX_MARKS
        if not (is_read and _is_between_words(text, start) and _is_between_words(text, end)):
            return None
        return [mark.span for mark in self.marks if start <= mark.span[0] < end]


@dataclass(frozen=True, slots=True)
class HighlightTerms:
    """The terms to highlight: each word of the index, with the query term that it matches.

    `weights` are those of query terms, 1 if missing; `order` has the query terms in the order of the query. `rarity` is
    the weight of each by its idf.
    """

    terms: Mapping[str, str]
    weights: Mapping[str, float] = field(default_factory=dict)
    order: Sequence[str] = ()
    rarity: Mapping[str, float] = field(default_factory=dict)
    reader: WordReader | None = None  # where a page matches by the readings of its words
    highlighter: Highlighter = field(init=False, repr=False, compare=False)
    pairs: frozenset[tuple[str, str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "highlighter", highlighter_for(self.terms, self.reader))
        object.__setattr__(self, "pairs", frozenset(pairwise(self.order)))

    def has_phrase(self, text: str, phrase: Sequence[tuple[int, str]]) -> bool:
        """Return whether a text has terms at the offsets of `phrase`; words without a query term ("") are ignored."""
        steps = [(offset, term) for offset, term in phrase if term]
        found = {(term, each.position) for each in self.highlighter.find(text) for term in each.words}
        return bool(steps) and any(
            all((term, start + offset) in found for offset, term in steps)
            for start in {position - steps[0][0] for term, position in found if term == steps[0][1]}
        )


def make_snippet(
    text: str,
    terms: HighlightTerms,
    limit: int | None,
    deadline: Deadline | None = None,
    regions: Sequence[TextRegion] | None = None,
    openings: Iterable[Opening] = (),
    sections: Sequence[SectionRow] = (),
) -> Snippet:
    """Return the best window of `text`; past the deadline, the best of the part that was read, or the beginning.

    `limit` is the page's own limit, in characters. `regions` are the parts of the text to read, the best first, as long
    as one can be better than the best so far; None: read all of it. `openings` are the beginnings of the page and of
    its best sections, and `sections` are all of them.
    """
    size = WINDOW if limit is None else min(WINDOW, limit)
    if size <= 0 or not text:
        return Snippet()
    is_late = partial(deadline.passed, LATE) if deadline is not None else bool
    if regions is None:
        best = _best_of_all(text, terms, size, is_late)
    else:
        best = _best_of(text, regions, terms, size, is_late)
    if best is None:
        return excerpt_from(text, _first_sentence(text), size).snippet(text, ())
    excerpt = _best_excerpt(text, best, size, terms, sections)
    begun = [(each.definition.excerpt(text, size).trimmed(text), each) for each in openings]
    said = [_rarity(text, terms, each.named, (each.definition.sentence, shown.extent[1])) for shown, each in begun]
    if said and max(said) >= OPENING * _rarity(text, terms, excerpt.extent):
        opening = begun[said.index(max(said))][0]
        return opening.snippet(text, _spans_of(text, opening, terms))
    if sections and not sections[0][0] and excerpt.extent[0] < sections[0][1]:
        first = first_of_page(text, sections)
        excerpt = first.excerpt(text, size).trimmed(text) if first.sentence >= 0 else excerpt
    return excerpt.snippet(text, _spans(text, excerpt, best, terms.highlighter))


def make_definition(text: str, definition: Definition, terms: HighlightTerms, limit: int | None) -> Snippet:
    """Return a definition with its matches, in the room that the page allows."""
    excerpt = definition.excerpt(text, WINDOW if limit is None else min(WINDOW, limit)).trimmed(text)
    return excerpt.snippet(text, _spans_of(text, excerpt, terms))


def _spans_of(text: str, excerpt: Excerpt, terms: HighlightTerms) -> list[TextSpan]:
    return [found.span for part in excerpt.parts for found in terms.highlighter.skim(text, part.start, part.end)]


def _rarity(text: str, terms: HighlightTerms, *spans: TextSpan) -> float:
    """Return how much the terms in these parts of a text say together: the sum of their idf."""
    shown = {term for span in spans for found in terms.highlighter.skim(text, *span) for term in found.words}
    # a set has no order, and their order changes a sum
    return round(sum(terms.rarity.get(term, 0.0) for term in shown), SCORE_DIGITS)


def may_introduce(text: str, spellings: Sequence[Sequence[str]]) -> bool:
    """Return whether the beginning of a page has the letters of all terms; `spellings` has those of each."""
    letters = text[:INTRODUCTION].lower().replace("-", "")
    return bool(spellings) and all(any(map(letters.__contains__, each)) for each in spellings)


def make_introduction(
    text: str, terms: HighlightTerms, named: frozenset[str], limit: int | None, sections: Sequence[SectionRow] = ()
) -> Snippet | None:
    """Return the first sentences at the beginning of a page that have all terms in `named`.

    A page that is about the query says so there, and says first things first.
    """
    size = WINDOW if limit is None else min(WINDOW, limit)
    marks = list(islice(_marks(text, 0, min(len(text), INTRODUCTION), terms), MAX_MARKS))
    marks = [mark for mark in marks if mark.in_sentence]
    if size <= 0 or not named or not named.issubset(term for mark in marks for term in mark.terms):
        return None
    spans, tried = [mark.span for mark in marks], 0
    for span in spans:
        near = (mark.terms for mark in marks if span[0] <= mark.span[0] < span[0] + size)
        if span[0] < tried or not named.issubset(chain.from_iterable(near)):
            continue
        for found in excerpts_with(text, span, size, _section(text, sections, span[0], terms)):
            excerpt = found.trimmed(text, spans)
            if named.issubset(term for mark in marks if excerpt.shows(mark.span) for term in mark.terms):
                return excerpt.snippet(text, [match.span for match in terms.highlighter.skim(text, *excerpt.extent)])
            tried = found.parts[0].end
    return None


def _best_of_all(text: str, terms: HighlightTerms, size: int, is_late: Callable[[], bool]) -> _Fragment | None:
    """Return the best window of a whole text."""
    marks: list[TermMark] = []
    end = 0
    for start, stop in _blocks(text):
        if is_late() or len(marks) == MAX_MARKS:
            break  # only queries of stop words find so many: the rest of a long page would add little
        marks += islice(_marks(text, start, stop, terms), MAX_MARKS - len(marks))
        end = stop
    return _Fragment(0, end, marks, *_best_window(marks, size, terms)) if marks else None


def _best_of(
    text: str, regions: Sequence[TextRegion], terms: HighlightTerms, size: int, is_late: Callable[[], bool]
) -> _Fragment | None:
    """Return the best window of these parts of a text."""
    best: _Fragment | None = None
    for start, end, weight in regions:
        if is_late() or (best and best.score[0] >= IN_SENTENCE * weight):
            break
        marks = list(islice(_marks(text, start, end, terms), MAX_MARKS))
        if not marks:
            continue
        found = _Fragment(start, end, marks, *_best_window(marks, size, terms))
        if best is None or found.score > best.score:
            best = found
    return best


def highlight_terms(text: str, terms: HighlightTerms) -> Snippet:
    """Return a short text, such as a title, with its matches."""
    spans = (found.span for found in terms.highlighter.find(text))
    return Snippet(text, tuple(joined_spans(spans)))


def _blocks(text: str) -> Iterator[TextSpan]:
    start = 0
    while start < len(text):
        line = text.find("\n", start + BLOCK_CHARS)
        end = line if line >= 0 else len(text)
        yield start, end
        start = end


def _marks(text: str, start: int, end: int, terms: HighlightTerms) -> Iterator[TermMark]:
    """Yield the matches in a part of the text."""
    line_end, in_sentence, above_sentence = -1, False, False
    before: tuple[str, ...] = ()
    expected = -1
    for found in terms.highlighter.skim(text, start, end):
        at = found.span[0]
        if at >= line_end:
            line_start, line_end = line_around(text, at)
            in_sentence = has_sentence(text, line_start, line_end)
            follows = not in_sentence and line_end < len(text)
            above_sentence = follows and has_sentence(text, *line_around(text, line_end + 1))
            before = ()  # no pair reaches over the end of a line
        matched = found.words
        if before and found.position == expected:
            matched += tuple(f"{a} {b}" for a in before for b in found.words if (a, b) in terms.pairs)
        yield TermMark(found.span, matched, in_sentence, above_sentence)
        before, expected = found.words, found.position + found.width


def _first_sentence(text: str) -> int:
    """Return the start of the first line with a sentence, or 0."""
    start = 0
    while 0 <= start < min(len(text), BLOCK_CHARS):
        line_start, line_end = line_around(text, start)
        if has_sentence(text, line_start, line_end):
            return line_start
        start = line_end + 1
    return 0


def _best_window(marks: list[TermMark], size: int, terms: HighlightTerms) -> tuple[_Score, int]:
    """Return the score of the best window, and its start; ties count matches in sentences, then those above them."""
    inside: deque[TermMark] = deque()
    counts: dict[str, tuple[int, int]] = {}  # of each term: its matches in the window, and those in sentences
    weight = 0.0
    sentences = above = 0  # updated match by match: a page of stop words has one in every second word

    def move(mark: TermMark, by: int) -> None:
        nonlocal weight, sentences, above
        _, matched, in_sentence, above_sentence = mark
        for term in matched:
            before = counts.get(term, (0, 0))
            after = counts[term] = (before[0] + by, before[1] + by * in_sentence)
            if more := _term_factor(*after) - _term_factor(*before):
                weight += terms.weights.get(term, 1.0) * more
        sentences += by * in_sentence
        above += by * above_sentence

    most = size - min(LEAD, size // 4)
    best, best_start = (0.0, 0, 0), marks[0].span[0]
    for mark in marks:
        inside.append(mark)
        move(mark, 1)
        while len(inside) > 1:
            first = inside[0]
            is_within = mark.span[1] - first.span[0] <= most
            if is_within and (first.in_sentence or any(counts[term][0] == 1 for term in first.terms)):
                break  # the first match leaves the window if it is in a menu or heading, and its term comes again
            move(inside.popleft(), -1)
        value = (round(weight, SCORE_DIGITS), sentences, above)
        if value > best:
            best, best_start = value, inside[0].span[0]
    return best, best_start


def _term_factor(count: int, in_sentences: int) -> int:
    """Return the factor of a term with so many matches in a window."""
    return (IN_SENTENCE if in_sentences else ELSEWHERE) if count else 0


def _score(marks: Sequence[TermMark], terms: HighlightTerms) -> _Score:
    """Return the score of all these matches together."""
    factors: dict[str, int] = {}
    for mark in marks:
        for term in mark.terms:
            factors[term] = max(factors.get(term, 0), _term_factor(1, mark.in_sentence))
    weight = sum(terms.weights.get(term, 1.0) * factor for term, factor in factors.items())
    return round(weight, SCORE_DIGITS), sum(m.in_sentence for m in marks), sum(m.above_sentence for m in marks)


def _best_excerpt(
    text: str, best: _Fragment, size: int, terms: HighlightTerms, sections: Sequence[SectionRow]
) -> Excerpt:
    """Return the sentences of the best window whose terms weigh most; of equal ones the first."""
    marks = [mark for mark in best.marks if mark.span[0] >= best.first]
    marks = [mark for mark in marks if mark.span[1] <= best.first + size] or marks[:1]
    found: list[Excerpt] = []
    for mark in marks:
        if not any(each.parts[0].start <= mark.span[0] < each.parts[0].end for each in found):
            found += excerpts_with(text, mark.span, size, _section(text, sections, mark.span[0], terms))
        if len(found) >= MAX_STARTS or found[0].extent[1] >= marks[-1].span[1]:
            break  # what begins with a later sentence has no other match

    def value(excerpt: Excerpt) -> _Score:
        start, end = excerpt.extent
        return _score([mark for mark in marks if start <= mark.span[0] and mark.span[1] <= end], terms)

    best_found = max(found, key=value) if len(found) > 1 else found[0]
    return best_found.trimmed(text, [mark.span for mark in marks])


def _section(text: str, sections: Sequence[SectionRow], at: int, terms: HighlightTerms) -> TextSpan:
    def has_match(start: int, stop: int) -> bool:
        return any(terms.highlighter.skim(text, start, stop))

    return section_around(text, sections, at, has_match)


def _spans(text: str, excerpt: Excerpt, read: _Fragment, highlighter: Highlighter) -> Sequence[TextSpan]:
    """Return the matches in an excerpt."""
    start, end = excerpt.extent
    return read.spans(text, start, end) or [found.span for found in highlighter.skim(text, start, end)]


def _is_between_words(text: str, at: int) -> bool:
    return at in {0, len(text)} or text[at].isspace() or text[at - 1].isspace()
