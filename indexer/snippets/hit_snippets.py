"""Which snippet does a result show? Its best lines and its title, with the query terms highlighted.

The ranking has read the postings, so the positions of the terms are known, and only the passages that have them are
read. A text that is stored in another form than the indexed one (with hidden parts) has no checkpoints. It is read from
its beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.analysis.readings import available_readers
from indexer.query.terms import SourceKind
from indexer.ranking.matching import common_places
from indexer.segments.schema import IndexField, unpack_checkpoints
from indexer.snippets.definitions import DefinitionFinder, Named
from indexer.snippets.hit_sections import HitSection, answering_sections
from indexer.snippets.passages import best_passages, reading_regions, text_regions
from indexer.snippets.snippet import (
    LATE,
    WINDOW,
    HighlightTerms,
    highlight_terms,
    make_definition,
    make_introduction,
    make_snippet,
    may_introduce,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.analysis.readings import WordReader
    from indexer.query.deadline import Deadline
    from indexer.query.terms import Term
    from indexer.ranking.query_postings import Places
    from indexer.ranking.ranker import Ranking
    from indexer.ranking.sections import SectionMatch
    from indexer.ranking.term_scorer import TermScorer
    from indexer.segments.schema import StoredFields
    from indexer.snippets.definitions import Definition
    from indexer.snippets.passages import TextRegion
    from indexer.snippets.sentences import Snippet

MAX_WHOLE_CHARS = 1_000  # up to here, reading the whole text is as fast as finding its passages
PAIR_WEIGHT = 1.0  # of two neighbours that were typed next to each other: as much as another term


class HitHighlighter:
    """Makes the snippets and titles of the results of a query.

    The passages of all pages in `shown` are found together: their snippets are needed soon.
    """

    def __init__(self, ranking: Ranking, shown: Mapping[int, StoredFields], deadline: Deadline) -> None:
        self._shown, self._deadline = shown, deadline
        self._terms, self._examination = ranking.terms, ranking.examination
        self._readings = [gain for gain in self._terms if gain.term.reading_of]
        self._written = _highlight_terms([gain for gain in self._terms if not gain.term.reading_of])
        reader = next(iter(available_readers()), None) if self._readings else None
        written = [gain for gain in self._terms if not gain.term.is_phonetic]
        self._by_reading = _highlight_terms(written, reader) if reader else self._written
        self._found: dict[int, Sequence[TextRegion]] = {}
        self._matched: dict[int, list[SectionMatch]] = {}
        self._finders: dict[int, DefinitionFinder] = {}
        self._defined: dict[int, Definition | None] = {}
        self._named = _named_by([gain.term for gain in self._terms])
        self._spellings = [
            tuple(word.replace("-", "") for word, term in self._by_reading.terms.items() if term == name)
            for name in self._named.terms
        ]
        phrases = ranking.matching.query.phrases
        self._phrases = [
            [(offset, self._written.terms.get(words.exact[0], "")) for offset, words in phrase.steps]
            for phrase in phrases
        ]

    def title(self, page: int, stored: StoredFields) -> Snippet:
        """Return the title of a page with its matches."""
        return highlight_terms(stored.title, self._terms_on(page))

    def _terms_on(self, page: int) -> HighlightTerms:
        return self._by_reading if self._readings_on(page) else self._written

    def _readings_on(self, page: int) -> list[TermScorer]:
        """Return the readings of the query that a page has."""
        return [gain for gain in self._readings if gain.having[page]]

    def snippet(self, page: int, stored: StoredFields) -> Snippet:
        """Return the definition of what the query names, the beginning of a section, or the best sentences of a page.

        They are those of its description if only that has a term or a phrase.
        """
        terms = self._terms_on(page)
        if not self._phrases and not self._deadline.passed(LATE):  # a phrase names nothing
            named = self._named_by_query(page, stored, terms)
            if named is not None:
                return named
        options = (terms, stored.snippet, self._deadline)
        has_openings = stored.sections and not self._phrases
        begun = self._finder(page, stored).openings(stored.sections, self._matches(page)) if has_openings else ()
        snippet = make_snippet(stored.text, *options, self._regions(page, stored), begun, stored.sections)
        if not stored.description or (snippet.spans and not self._phrases):
            return snippet
        described = make_snippet(stored.description, *options)
        if not snippet.spans or any(
            terms.has_phrase(described.text, phrase) and not terms.has_phrase(snippet.text, phrase)
            for phrase in self._phrases
        ):
            return described
        return snippet

    def _named_by_query(self, page: int, stored: StoredFields, terms: HighlightTerms) -> Snippet | None:
        """Return the definition of what the query names, or the introduction of a page that is about it."""
        if (defined := self._definition(page, stored)) is not None:
            return make_definition(stored.text, defined, terms, stored.snippet)
        if may_introduce(stored.text, self._spellings):
            return make_introduction(stored.text, terms, self._named.terms, stored.snippet, stored.sections)
        return None

    def sections(self, page: int, stored: StoredFields) -> tuple[HitSection, ...]:
        """Return the sections of a page that answer: the one whose definition is the snippet, then the best."""
        if not stored.sections:
            return ()
        matches, defined = self._matches(page), None if self._phrases else self._definition(page, stored)
        if defined is not None:
            begins = [start for start, *_ in stored.sections[1:]]
            first = begins.index(defined.signature[0]) + 1 if defined.signature[0] in begins else 0
            matches = sorted(matches, key=lambda each: each.number != first) if first else matches
        return answering_sections(stored, matches, len(self._terms), self._terms_on(page))

    def _matches(self, page: int) -> list[SectionMatch]:
        if page not in self._matched:
            self._matched[page] = self._examination.sections_of(page)
        return self._matched[page]

    def _definition(self, page: int, stored: StoredFields) -> Definition | None:
        """Return the definition of what the query names, if the page has it."""
        if page not in self._defined:
            finder = self._finder(page, stored)
            self._defined[page] = finder.find(stored.sections, self._matches(page) if stored.sections else [])
        return self._defined[page]

    def _finder(self, page: int, stored: StoredFields) -> DefinitionFinder:
        if page not in self._finders:
            terms, text = self._terms_on(page), stored.text

            def terms_in(start: int, end: int) -> set[str]:
                return {word for found in terms.highlighter.find(text, start, end) for word in found.words}

            titled = {word for found in terms.highlighter.find(stored.title) for word in found.words}
            self._finders[page] = DefinitionFinder(text, self._named, titled, terms_in)
        return self._finders[page]

    def _is_defined(self, page: int, stored: StoredFields) -> bool:
        return not self._phrases and self._definition(page, stored) is not None

    def _regions(self, page: int, stored: StoredFields) -> Sequence[TextRegion] | None:
        """Return the parts of a page's text to read, the best first; None: read all of it."""
        if not _has_passages(stored):
            return None
        if page not in self._found:
            left = {each: its for each, its in self._shown.items() if each not in self._found and _has_passages(its)}
            others = {each: its for each, its in left.items() if not self._is_defined(each, its)}
            self._find_passages(others | {page: stored})
        return self._found[page]

    def _find_passages(self, shown: Mapping[int, StoredFields]) -> None:
        """Find the passages of pages with checkpoints."""
        numbers = self._examination.numbers_of(list(shown))
        pages = sorted(numbers)
        checkpoints = {number: unpack_checkpoints(shown[numbers[number]].checkpoints) for number in pages}
        lengths = [
            max(1, WINDOW * positions[-1] // max(characters[-1], 1)) for characters, positions in checkpoints.values()
        ]
        passages = best_passages(list(self._places(numbers)), pages, lengths)
        for number, length, best in zip(pages, lengths, passages, strict=True):
            page = numbers[number]
            found = text_regions(best, length, checkpoints[number], len(shown[page].text))
            if readings := self._readings_on(page):
                found += reading_regions(page, shown[page], readings, WINDOW)
                found.sort(key=lambda region: -region[2])
            self._found[page] = found

    def _places(self, pages: Mapping[int, int]) -> Iterator[tuple[float, Places]]:
        """Yield the weight and the places of each query term on these pages, and of each pair of neighbours."""
        before: Places | None = None
        for gain in self._terms:
            places = self._examination.places_on(pages, gain, IndexField.BODY)
            yield gain.term.weight, places
            if before is not None:
                yield PAIR_WEIGHT, common_places(before + 1, places) - 1
            before = places


def _highlight_terms(gains: Sequence[TermScorer], reader: WordReader | None = None) -> HighlightTerms:
    return HighlightTerms(
        {word: gain.term.text for gain in reversed(gains) for word in gain.postings.all_words}
        | {gain.term.text: gain.term.text for gain in gains},  # a form of another term, too, where words are joined
        {gain.term.text: gain.term.weight for gain in gains},
        tuple(gain.term.text for gain in gains),
        {gain.term.text: gain.term.weight * gain.idf for gain in gains},
        reader,
    )


def _named_by(terms: Sequence[Term]) -> Named:
    """Return what a query names: its typed words without stop words, whole."""
    sources = [(term, source) for term in terms for source in term.sources]
    whole = [(term, source) for term, source in sources if source.kind is SourceKind.WORD]
    typed = [(term, source) for term, source in whole if not term.is_stop_word] or whole
    words: dict[str, frozenset[str]] = {}
    for term, source in typed:
        words[source.typed] = words.get(source.typed, frozenset()) | {term.text}
    parts = {
        word: its.union(term.text for term, (kind, typed, _) in sources if typed == word and kind is SourceKind.PART)
        for word, its in words.items()
    }
    names = frozenset(term.text for term, _ in typed)
    return Named(names, words, parts, frozenset(term.text for term, _ in whole) - names)


def _has_passages(stored: StoredFields) -> bool:
    """Return whether reading passages is faster than reading the whole text, and possible."""
    return bool(stored.checkpoints) and len(stored.text) > MAX_WHOLE_CHARS
