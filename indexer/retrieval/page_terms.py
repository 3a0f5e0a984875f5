"""Which words distinguish a page from others? Its words by tf·idf, each with its fields; and its rank by links.

    weight = (1 + ln tf) x idf        tf: frequency on the page, in all fields but its template

(Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, sections 6.2 and 6.4.1: a word that
occurs ten times says more than one that occurs once, but not ten times as much.) idf is that of the score, so a word of
every page weighs almost nothing. Stop words come last: an index of a few pages can't tell how common they are.

The words are the most frequent ones of the page's text, which the index keeps, and those of title and description.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.tokenizer import analyze_terms, raw_tokens
from indexer.analysis.words import is_stop_word
from indexer.query.terms import Variants
from indexer.ranking.query_postings import VariantPostings
from indexer.ranking.score import field_in_words, inverse_document_frequency
from indexer.segments.link_ranks import MEAN
from indexer.segments.schema import IndexField
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from indexer.segments.schema import StoredFields
    from indexer.segments.snapshot import Snapshot

MAX_NAME_WORDS = 30  # of title and description


@dataclass(frozen=True, slots=True)
class PageTerm:
    """A word of a page: weight, document frequency, and frequency in each field (names of the index)."""

    word: str
    weight: float
    pages: int
    fields: tuple[tuple[str, int], ...]

    @property
    def frequency(self) -> int:
        """Its frequency on the page, without the template."""
        return sum(count for field, count in self.fields if field != IndexField.TEMPLATE)

    @property
    def fields_in_words(self) -> str:
        """Its fields: "title 1, body 3"."""
        return ", ".join(f"{field_in_words(field)} {count}" for field, count in self.fields)


def page_terms(snapshot: Snapshot, url: str) -> tuple[PageTerm, ...]:
    """Return the words of a page, the most distinctive first; none if the index does not have the page."""
    page = snapshot.page_of(url)
    if page is None:
        return ()
    view, document = snapshot.place_of(page)
    stored = view.file.stored(document)
    languages = frozenset(stored.languages)
    found = [_page_term(snapshot, page, word) for word in looked_at(stored)]
    standing = [word for word in found if word.frequency]
    return tuple(sorted(standing, key=lambda word: (is_stop_word(word.word, languages), -word.weight, word.word)))


def looked_at(stored: StoredFields) -> list[str]:
    """Return the words of a page that are weighed."""
    of_names = raw_tokens(stored.title)[:MAX_NAME_WORDS] + raw_tokens(stored.description)[:MAX_NAME_WORDS]
    named = (word for raw in of_names for word, _ in analyze_terms(raw)[0])
    return list(dict.fromkeys(chain(stored.terms, named)))


def _page_term(snapshot: Snapshot, page: int, word: str) -> PageTerm:
    variants = Variants((word,))
    postings = VariantPostings(variants, snapshot)
    fields = [(form.field.value, int(postings.frequencies[row])) for form, row in postings.lists_of(page)]
    if snapshot.whole is not None:
        spread = snapshot.whole.spread(variants)
        pages = 0 if spread.in_template else spread.pages
    else:
        having = np.zeros(snapshot.size, np.bool_)
        for field, rows in postings.fields.items():
            if field is not IndexField.TEMPLATE:  # as in the score: templates do not count
                having[postings.pages[rows]] = True
        pages = int((having & snapshot.live).sum())
    frequency = sum(count for field, count in fields if field != IndexField.TEMPLATE)
    weight = (1 + math.log(frequency)) * inverse_document_frequency(snapshot.pages, pages) if frequency else 0.0
    return PageTerm(word, round(weight, 4), pages, tuple(sorted(fields, key=lambda pair: -pair[1])))


@dataclass(frozen=True, slots=True)
class LinkStanding:
    """PageRank of a page as a multiple of the mean, and its place among `pages` by that."""

    pagerank: float
    inlinks: int  # other pages that link to its page
    place: int  # 1: none has more
    pages: int

    def __str__(self) -> str:
        links = counted(self.inlinks, "page links", "pages link")
        return (
            f"By links it is number {self.place:,} of {self.pages:,}: its PageRank is {self.pagerank:.2f} times the "
            f"mean, and {links} to it, as the index knows them."
        )


def link_standing(snapshot: Snapshot, page: int) -> LinkStanding | None:
    """Return the place of a page by PageRank; None if the links to it are unknown."""
    return link_standing_among(snapshot, page, (each.pagerank[each.live] for each in snapshot.views), snapshot.pages)


def link_standing_among(
    snapshot: Snapshot, page: int, ranks: Iterable[NDArray[np.float32]], pages: int
) -> LinkStanding | None:
    """Return the same among `pages` that have these PageRanks."""
    view, document = snapshot.place_of(page)
    rank, inlinks = float(view.pagerank[document]), int(view.inlinks[document])
    if rank == MEAN and not inlinks:
        return None
    place = sum(int((each > rank).sum()) for each in ranks) + 1
    return LinkStanding(round(rank, 4), inlinks, place, max(pages, place))
