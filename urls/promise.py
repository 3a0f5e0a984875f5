"""What does a URL promise for a topic before it is fetched, and how relevant is a page that was?

A crawl with a topic asks first for what promises most: *best-first* search. What a link promises is told by where it
stands, by its words and by what its page says: Hersovici et al., *The Shark-Search Algorithm* (WWW7, 1998). From there
come the decay of what is inherited and the words around a link. That a page on the topic leads to others of it, and
that a part of a site which has brought many brings more, is Chakrabarti, van den Berg and Dom, *Focused Crawling*
(WWW8, 1999). Cho, Garcia-Molina and Page (WWW7, 1998) take the words of a URL for a sign as well. The weights are ours
and stated: they add up to 1.

    promise = ANCHOR · words of the link + AROUND · words around it + NAME · words of the URL
            + PARENT · what its page hands on + YIELD · relevant pages of its folder so far

Each of the five is from 0 to 1. Words match by the terms of the topic among them, each as much as it tells: a term that
the topic stresses and few pages of this crawl have tells most (tf-idf, Salton and Buckley 1988). Two of the terms that
tell most are a full match.

A page is relevant from RELEVANT up, where 1 is what the description of the topic itself would get.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ANCHOR = 0.30
AROUND = 0.15
NAME = 0.20
PARENT = 0.20
YIELD = 0.15

RELEVANT = 0.4  # relevance from which on a page counts as relevant
DECAY = 0.5  # of what a page has inherited and hands on: Shark search's own value
MAX_TERMS = 40  # of a topic: each is a bit of a number that SQLite holds in 64
FULL = 2  # terms, those that tell most, which together are a full match
TITLE = 5  # occurrences that one in the title counts for
LENGTH = 500.0  # words of a page to which one more occurrence is expected, as in BM25's norm of length
FOLDER_PRIOR = 4.0  # pages of its site that speak for a folder of which nothing was fetched
STEP = 0.05  # change of a folder's yield after which its queued URLs are judged anew
FIRST_WEIGHING = 8  # pages after which the terms are weighed for the first time; then whenever they have doubled
PAGES_BEFORE = 20  # pages without any term that are taken for seen: a few pages alone can't make a term worthless
DIGITS = 4  # of a promise and its parts, behind the point: beyond, two promises are the same
STEPS = 255  # into which the frequency of a term is rounded: a byte


@dataclass(frozen=True, slots=True)
class TopicTerm:
    """A term of a topic: how much the topic stresses it (tf), and how much it says it itself, as of a page."""

    word: str
    stress: float = 1.0
    said: float = 1.0  # 0 to 1, `term_saturation` in the description; 1 for a word that was given alone


@dataclass(frozen=True, slots=True)
class Topic:
    """What a crawl looks for: as it was `given`, and the terms, at most MAX_TERMS, those of most stress first."""

    given: str
    terms: tuple[TopicTerm, ...]

    @property
    def digest(self) -> bytes:
        """What two topics share that order alike, in whatever words they were given."""
        return blake2b(repr(self.terms).encode(), digest_size=16).digest()


class Promise(NamedTuple):
    """The parts of a promise, each with its weight in it: they add up to the promise."""

    anchor: float = 0.0
    around: float = 0.0
    name: float = 0.0
    parent: float = 0.0
    folder: float = 0.0

    @property
    def total(self) -> float:
        """The promise: 0 to 1, and the sum of its parts to the last digit shown."""
        return round(math.fsum(self), DIGITS)


@dataclass(frozen=True, slots=True)
class Weighing:
    """How much each term of a topic tells, as of so many pages of a crawl. The weights add up to 1."""

    weights: tuple[float, ...]
    full: float  # the weight of a full match
    own: float  # what the description would get for its own words

    @classmethod
    def of(cls, topic: Topic, pages: int, having: Sequence[int]) -> Weighing:
        """Weigh the terms after `pages` pages, of which `having[n]` have term n."""
        seen = pages + PAGES_BEFORE
        telling = [
            term.stress * math.log(seen / (count + 1)) / math.log(seen)
            for term, count in zip(topic.terms, having, strict=True)
        ]
        together = math.fsum(telling)
        weights = tuple(each / together for each in telling)
        own = math.fsum(weight * term.said for weight, term in zip(weights, topic.terms, strict=True))
        return cls(weights, math.fsum(sorted(weights)[-FULL:]), own)

    def match(self, terms: int) -> float:
        """Return how well words match the topic, 0 to 1, that have these terms: bit n for term n."""
        return min(1.0, math.fsum(weight for n, weight in enumerate(self.weights) if terms >> n & 1) / self.full)

    def relevance(self, said: bytes) -> float:
        """Return the relevance of a page, 0 to 1, from what it says of each term (`frequencies`)."""
        told = math.fsum(weight * each for weight, each in zip(self.weights, said, strict=True))
        return min(1.0, told / (STEPS * self.own))


def term_saturation(occurrences: float, words: int) -> float:
    """Return how much a text of so many words says of a term, 0 to 1: the second time tells less than the first."""
    return occurrences / (occurrences + 1 + words / LENGTH)


def frequencies(occurrences: Iterable[float], words: int) -> bytes:
    """Return what a page says of each term: a byte a term, 0 where it has it not, so that it can be weighed anew."""
    return bytes(math.ceil(STEPS * term_saturation(each, words)) for each in occurrences)


def handed_on(relevance: float, inherited: float) -> float:
    """Return what a page hands on to those it links to: its relevance, or half of what was handed to it."""
    return max(relevance, DECAY * inherited)


def folder_yield(relevant: int, fetched: int, site_relevant: int, site_fetched: int) -> float:
    """Return the share of relevant pages to expect of a folder: its own, drawn to that of its site while it is new.

    Laplace's rule of succession for the site, and the site as the prior of the folder.
    """
    of_site = (site_relevant + 1) / (site_fetched + 2)
    return (relevant + FOLDER_PRIOR * of_site) / (fetched + FOLDER_PRIOR)


def promise(anchor: float, around: float, name: float, parent: float, folder: float) -> Promise:
    """Return a promise from its five signs, each from 0 to 1, to the digits that are shown."""
    parts = (ANCHOR * anchor, AROUND * around, NAME * name, PARENT * parent, YIELD * folder)
    return Promise(*(round(part, DIGITS) for part in parts))
