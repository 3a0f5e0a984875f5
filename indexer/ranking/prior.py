"""Adds priors to the score of a page: all words together, links, its language, being a home page.

    all words ALL_WORDS x sum of their weight x idf       for a query of two to MAX_WORDS terms
    link text LINK_TEXT x sum of their weight x idf x n / (n + HALF_CALLED)   n links have the query as their whole text
    links     PAGERANK x ln(1 + PageRank)                 as a multiple of the mean of all pages; where it is known
    language  LANGUAGE                                    where the query has function words of one language alone
    entrance  ENTRANCE x (sum of weight x idf of the query's terms in the names of the site) x their share x earned
    earned    n / (n + HALF_EARNED)                       n other sites link to it; 1 where no links are known

Priors decide between pages with equal texts. They are added, and never make a page a result. The home page (`entrance`)
is an exception: a query for `sqlite` wants the home page, though each page of the site has the word.

The words of links do not say which whole text a link has: "list" is said of a sorted list, too. So links whose text is
the query add a part by their number (`links.py`, decision 0053). It is a part of the words of links: the signal of an
anchor bomb lowers it as well. On a site, its pages are called without its name: for "sqlite create index", links with
the text "create index" count on the site that "sqlite" names (decision 0056). A word that names many sites, such as
"com", says nothing of them.

A site chooses its own titles and links. So only its host and the words of links name it, and its name counts as far as
other sites link to its home page. A crawl of one site has no such links, and one of a few sites has hardly any. So
where fewer than LEAST_LINKING sites link to others, the linking pages count, also those of the site itself. Its title
and first heading then name it, too. Further headings name what it has: with them, "help" finds Django's home page.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indexer.analysis.tokenizer import raw_tokens, text_key
from indexer.analysis.words import STOP_WORDS
from indexer.query.terms import SourceKind
from indexer.ranking.query_postings import POSITION_BITS
from indexer.ranking.score import PriorPart
from indexer.segments.link_ranks import MEAN
from indexer.segments.postings import row_of
from indexer.segments.schema import SITE, IndexField
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.query.parser import Query
    from indexer.ranking.matching import Mask
    from indexer.ranking.term_scorer import Amounts, Pages, TermScorer
    from indexer.ranking.weights import Weights
    from indexer.segments.snapshot import Snapshot

MAX_WORDS = 4  # terms of a query that a page may have all of: hardly any page has all of a longer one
HALF_EARNED = 10  # sites that link to a home page: so many earn half of what its name can add
HALF_CALLED = 3  # links whose text is the query: so many earn half of what they can add
LEAST_LINKING = 10  # sites that link to others: with fewer, no site can earn half
LEAST_AGREEING = 2  # sites that link to a home page: one link may be bought, or from another host of its owner
MAX_HOMES = 100  # home pages whose sites a word names; each is looked up
_KANA = re.compile("[\u3041-\u30fa]")


class Called(NamedTuple):
    """How many links call a page by a text: the query, or what it says besides the `name` of the page's site."""

    links: int
    text: str
    name: str = ""


class Priors:
    """The scores that pages have for one query before their words are compared."""

    def __init__(self, query: Query, gains: Sequence[TermScorer], snapshot: Snapshot, weights: Weights) -> None:
        self._gains, self._snapshot, self._weights = gains, snapshot, weights
        links = snapshot.link_gains()
        self._links, self._knows_links = links if weights.pagerank else None, links is not None
        self._others_tell = self._knows_links and snapshot.linking_sites >= LEAST_LINKING
        several = len(snapshot.languages - {""}) > 1  # with one language it would make no difference
        language = language_of_query(query, snapshot.languages) if several and weights.language else ""
        self._language, self._spoken = language, snapshot.is_in(language) if language else None
        self._asked = sum(gain.term.weight * gain.idf for gain in gains)
        few = weights.all_words and 1 < len(gains) <= MAX_WORDS
        self._with_all: Mask | None = np.logical_and.reduce([gain.having for gain in gains]) if few else None
        self._named = {gain: self._named_homes(gain) for gain in gains}
        self._called = self._called_so(query.plain) if weights.link_text else {}
        self._link_texts = {page: self._link_text(called.links) for page, called in self._called.items()}
        self._entrances = {page: self._entrance(page) for page in set().union(*self._named.values())}

    def add_to(self, scores: Amounts, pages: Pages) -> None:
        """Add to the scores of these pages, which ascend."""
        if self._with_all is not None:
            scores[self._with_all[pages]] += self._weights.all_words * self._asked
        _add_each(self._link_texts, scores, pages)
        if self._links is not None:
            scores += self._weights.pagerank * self._links[pages]
        if self._spoken is not None:
            np.add(scores, self._weights.language, out=scores, where=self._spoken[pages])
        _add_each(self._entrances, scores, pages)

    def caps(self) -> Iterator[tuple[Mask, float]]:
        """Yield the most that each prior adds, with the pages."""
        weights = self._weights
        if self._with_all is not None:
            yield self._with_all, weights.all_words * self._asked
        if self._links is not None:
            yield self._snapshot.live, weights.pagerank * float(self._links.max())
        if self._spoken is not None:
            yield self._spoken, weights.language
        for values in (self._link_texts, self._entrances):
            named = np.zeros(self._snapshot.size, np.bool_)
            named[[*values]] = True
            yield named, max(values.values(), default=0.0)

    def _called_so(self, text: str) -> dict[int, Called]:
        """Return the pages that links call by the words of a query, with or without those that name their site."""
        calling = cache(lambda words: self._snapshot.called(text_key(words)))
        found = {page: Called(links, text) for page, links in _pairs(*calling(text))}
        for site, name, rest in self._without_name(text):
            pages, links = calling(rest)
            if len(pages):
                here = np.isin(pages, self._snapshot.numbers(SITE, site))
                for page, number in _pairs(pages[here], links[here]):
                    if page not in found or number > found[page].links:
                        found[page] = Called(number, rest, name)
        return found

    def _without_name(self, text: str) -> Iterator[tuple[str, str, str]]:
        """Yield each site that words of a query name, with these words, and with the others."""
        words = raw_tokens(text)
        naming = [gain for gain in self._gains if not gain.term.is_stop_word and len(self._named[gain]) <= MAX_HOMES]
        for home in set().union(*map(self._named.__getitem__, naming)):
            sources = (source for gain in naming if home in self._named[gain] for source in gain.term.sources)
            typed = {source.typed for source in sources if source.kind is SourceKind.WORD}
            name, rest = (" ".join(word for word in words if (word in typed) is is_name) for is_name in (True, False))
            if name:
                yield self._snapshot.home_pages.sites[home], name, rest

    def _link_text(self, links: int) -> float:
        return self._weights.link_text * self._asked * links / (links + HALF_CALLED)

    def parts(self, page: int) -> Iterator[PriorPart]:
        """Yield what one page has, not rounded."""
        weights = self._weights
        view, document = self._snapshot.place_of(page)
        if self._with_all is not None and self._with_all[page]:
            factors = f"{_all_in_words(self._gains)}; weight {weights.all_words:g} x {self._asked:.3f}"
            factors += ", the sum of weight x idf of all these"
            yield PriorPart("all words", "page", weights.all_words * self._asked, factors)
        if called := self._called.get(page):
            calling, text, name = called
            factors = f"called “{text}” by {calling:,} (pages of its site, and each other site once)"
            factors += f", on the site that “{name}” names; weight " if name else "; weight "
            factors += f"{weights.link_text:g} x {self._asked:.3f}, the sum of weight x idf of all words, "
            factors += f"x {calling} / ({calling} + {HALF_CALLED})"
            yield PriorPart("link text", IndexField.ANCHORS, self._link_text(calling), factors)
        if self._links is not None:
            times = float(view.pagerank[document])
            links = counted(int(view.inlinks[document]), "page links", "pages link")
            factors = f"{links} to it, and its PageRank is {times:.2f} times the mean"
            if times == MEAN and not view.inlinks[document]:
                factors = "links to it are not known yet, so it counts as a mean page"
            factors += f"; weight {weights.pagerank:g} x ln(1 + {times:.2f})"
            yield PriorPart("links", "page", weights.pagerank * float(self._links[page]), factors)
        if self._spoken is not None and self._spoken[page]:
            factors = f"the query and the page are in the language “{self._language}”; weight {weights.language:g}"
            yield PriorPart("language", "page", weights.language, factors)
        if value := self._entrances.get(page):
            yield PriorPart("entrance", "page", value, self._why_entrance(page))

    def _entrance(self, page: int) -> float:
        """Return what the home page of a site has for the words of its name, and for the links to it."""
        _, known, share = self._in_name(page)
        earned = earned_share(self._linking(page), self._others_tell) if self._knows_links else 1.0
        return self._weights.entrance * known * share * earned

    def _why_entrance(self, page: int) -> str:
        named, known, share = self._in_name(page)
        where = "host or words of links" if self._others_tell else "host, title or first heading"
        links = f"{_earned_in_words(self._linking(page), self._others_tell)}; " if self._knows_links else ""
        factors = f"weight {self._weights.entrance:g} x {known:.3f}, the sum of weight x idf of these"
        factors += f", x share {share:.3f} of all words"
        return f"the home page of a site that has “{' '.join(named)}” in its name ({where}); {links}{factors}"

    def _in_name(self, page: int) -> tuple[list[str], float, float]:
        """Return the terms in the name of a home page's site, the sum of their weight x idf, and its share of all."""
        named = [gain for gain in self._gains if page in self._named[gain]]
        known = sum(gain.term.weight * gain.idf for gain in named)
        return [gain.term.text for gain in named], known, min(known / self._asked, 1.0) if self._asked else 0.0

    def _linking(self, page: int) -> int:
        """Return how many other sites link to a home page, or how many pages where sites link to few others."""
        view, document = self._snapshot.place_of(page)
        return int((view.other_sites if self._others_tell else view.inlinks)[document])

    def _named_homes(self, gain: TermScorer) -> frozenset[int]:
        """Return the home pages whose site a term may name."""
        labelled = self._snapshot.home_pages.labelled(gain.term.text)
        if self._others_tell:
            return frozenset([*labelled, *self._homes_with(gain, IndexField.ANCHORS).tolist()])
        headed = self._headed(gain, self._homes_with(gain, IndexField.HEADINGS))
        return frozenset([*labelled, *self._homes_with(gain, IndexField.TITLE).tolist(), *headed.tolist()])

    def _homes_with(self, gain: TermScorer, field: IndexField) -> Pages:
        pages: Pages = gain.postings.pages[gain.postings.fields.get(field, slice(0, 0))]
        return pages[self._snapshot.home_pages.mask[pages]]

    def _headed(self, gain: TermScorer, pages: Pages) -> Pages:
        """Return those of some pages whose first heading has a term: the others name parts of a site."""
        sections, text = self._snapshot.sections, gain.postings.fields.get(IndexField.BODY, slice(0, 0))
        pages = pages[sections.counts[pages] > 0]
        if not len(pages):
            return pages
        rows = text.start + np.flatnonzero(np.isin(gain.postings.pages[text], pages))
        places = gain.postings.places(rows, gain.postings.pages[rows])
        on, positions = places >> POSITION_BITS, places & ((1 << POSITION_BITS) - 1)
        starts, ends = sections.places[sections.firsts[on]].T
        headed: Pages = on[(starts <= positions) & (positions < ends)]
        return headed


def _pairs(pages: NDArray[np.int64], links: NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    return zip(pages.tolist(), links.tolist(), strict=True)


def _add_each(values: dict[int, float], scores: Amounts, pages: Pages) -> None:
    """Add the values of single pages to the scores of these pages."""
    for page, value in values.items():
        if (row := row_of(pages, page)) is not None:
            scores[row] += value


def _all_in_words(gains: Sequence[TermScorer]) -> str:
    """Return that a page has all these terms, by the words that were typed for them."""
    typed: dict[str, dict[str, None]] = {}
    for term in (gain.term for gain in gains):
        for source in term.sources:
            typed.setdefault(source.typed, {})[term.text] = None
    shown = [word if [*found] == [word.lower()] else f"{word} (as {', '.join(found)})" for word, found in typed.items()]
    if len(shown) == 1:
        return f"it has all parts of the word that the query ranks by: {shown[0]}"
    return f"it has all {counted(len(shown), 'word')} that the query ranks by: {', '.join(shown)}"


def earned_share(linking: int, are_sites: bool) -> float:
    """Return the share of its name part that a home page earns by links of other sites, or of pages, from 0 to 1."""
    return 0.0 if are_sites and linking < LEAST_AGREEING else linking / (linking + HALF_EARNED)


def _earned_in_words(linking: int, are_sites: bool) -> str:
    links = counted(linking, *(("other site links", "other sites link") if are_sites else ("page links", "pages link")))
    if are_sites and linking < LEAST_AGREEING:
        return f"{links} to it, and fewer than {LEAST_AGREEING} earn nothing"
    why = "" if are_sites else f": pages count, as fewer than {LEAST_LINKING} sites here link to others"
    return f"{links} to it, which earns {linking} / ({linking} + {HALF_EARNED}) of what a name can give{why}"


def language_of_query(query: Query, spoken: frozenset[str]) -> str:
    """Return the language of a query by its script or its function words; "" if it is unclear."""
    if _KANA.search(query.text):
        return "ja" if "ja" in spoken else ""
    words = {term.text for term in query.terms}
    counts = sorted((len(words & STOP_WORDS.get(language, frozenset())), language) for language in spoken)
    if not counts or not counts[-1][0] or (len(counts) > 1 and counts[-2][0] == counts[-1][0]):
        return ""
    return counts[-1][1]
