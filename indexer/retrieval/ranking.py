"""How well does a page answer? BM25 over one combined field, with Lucene's idf: every number of it stands here.

    idf(t)   = ln(1 + (N - n + 0.5) / (n + 0.5))        N pages, n of them with the term in any field
    f(t, d)  = sum over fields of weight x frequency    a word in a title counts more than one in the body, and
    L(d)     = sum over fields of weight x length       the fields together saturate once, not each by itself
    score    = sum over terms of  w(t) x idf(t) x f / (f + K1 x (1 - B + B x L / mean L))

(Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.5: BM25F in its
simple form, with one B for all fields.) Deleted pages count neither in N and n nor in the mean length: what an update
leaves behind in the files changes no score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.segments.document import Field

if TYPE_CHECKING:
    from collections.abc import Mapping

# TITLE, URL, K1 and B were picked among 15 settings on the development collections, where they differ by hundredths; no
# collection there has headings, anchors, descriptions or keywords, so that those weights are set by hand.
WEIGHTS: Mapping[Field, float] = {
    Field.BODY: 1.0,  # the unit
    Field.TITLE: 4.0,  # light, as a title has ten words; most of them stand in the body as well
    Field.HEADINGS: 0.5,  # they are part of the body's text already, and so count one and a half times
    Field.ANCHORS: 2.0,  # what others call the page
    Field.URL: 2.0,  # its words are few and chosen; the host's name is not among them
    Field.DESCRIPTION: 0.5,  # written for search engines, and often the same on every page of a site
    Field.KEYWORDS: 0.1,  # the same, and worse
}


@dataclass(frozen=True, slots=True)
class Formula:
    """The numbers of the ranking. Change one and watch `bench/relevance`."""

    k1: float = 1.2  # how soon more of the same word stops counting
    b: float = 0.75  # how much a long page must say a word more often
    weights: Mapping[Field, float] = field(default_factory=lambda: WEIGHTS)


def inverse_document_frequency(pages: int, pages_with_term: int) -> float:
    """Return how much a term says: next to nothing where every page has it, and never less than nothing."""
    return math.log(1 + (pages - pages_with_term + 0.5) / (pages_with_term + 0.5))


def saturation(frequency: float, length: float, mean_length: float, formula: Formula) -> float:
    """Return what a weighted frequency is worth in a page of this weighted length, from 0 to 1."""
    if not frequency:
        return 0.0
    relative = length / mean_length if mean_length else 1.0
    return frequency / (frequency + formula.k1 * (1 - formula.b + formula.b * relative))
