"""Which priority has a URL for a topic before it is fetched, and how relevant is a fetched page?

A crawl with a topic is *best first*: the URL with the highest priority is next. A link is scored by its place, its
anchor text and its page, as in Hersovici et al., *The Shark-Search Algorithm* (WWW7, 1998). That paper also has the
decay of an inherited score and the text around a link. A page on the topic links to others on it. A part of a site that
has brought many brings more: Chakrabarti, van den Berg and Dom, *Focused Crawling* (WWW8, 1999). Cho, Garcia-Molina and
Page (WWW7, 1998) use the words of a URL as well. The weights are ours; they add up to 1:

    priority = ANCHOR · anchor text + AROUND · text around the link + NAME · words of the URL
             + PARENT · what its page hands on + YIELD · relevant pages of its folder so far.

Each of the five is from 0 to 1. A text matches by the topic's terms in it, each by its weight (tf-idf, Salton and
Buckley 1988). A term that the topic stresses and few pages of this crawl have weighs most. The two heaviest terms are a
full match. A page is relevant from RELEVANT up. The topic's own description would get 1.
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
FULL = 2  # terms, the heaviest, that make a full match together
TITLE = 5  # occurrences that one in the title counts for
LENGTH = 500.0  # words of a page to which one more occurrence is expected, as in BM25's norm of length
FOLDER_PRIOR = 4.0  # pages of its site that count for a folder without fetched pages
STEP = 0.05  # change of a folder's yield after which its queued URLs get new priorities
FIRST_WEIGHING = 8  # pages after which the terms are weighed for the first time; then whenever they have doubled
PAGES_BEFORE = 20  # assumed pages without any term: a few pages alone can't make a term worthless
DIGITS = 4  # decimal places of a priority and its parts; with equal ones two priorities are the same
STEPS = 255  # into which the frequency of a term is rounded: a byte


@dataclass(frozen=True, slots=True)
class TopicTerm:
    """A term of a topic: how much the topic stresses it (tf), and its saturation in the description."""

    word: str
    stress: float = 1.0
    said: float = 1.0  # 0 to 1, `term_saturation` in the description; 1 for a word that was given alone


@dataclass(frozen=True, slots=True)
class Topic:
    """The topic of a crawl: as it was `given`, and its terms, at most MAX_TERMS, in falling order of stress."""

    given: str
    terms: tuple[TopicTerm, ...]

    @property
    def digest(self) -> bytes:
        """A hash of the terms: two topics with the same digest give the same order, whatever their wording."""
        return blake2b(repr(self.terms).encode(), digest_size=16).digest()


class PriorityParts(NamedTuple):
    """The parts of a priority, each with its weight in it: they add up to the priority."""

    anchor: float = 0.0
    around: float = 0.0
    name: float = 0.0
    parent: float = 0.0
    folder: float = 0.0

    @property
    def total(self) -> float:
        """The priority: 0 to 1, and the sum of its parts to the last digit shown."""
        return round(math.fsum(self), DIGITS)


@dataclass(frozen=True, slots=True)
class TermWeights:
    """The weight of each term of a topic, after a number of pages of a crawl. The weights add up to 1."""

    weights: tuple[float, ...]
    full: float  # the weight of a full match
    own: float  # the score of the description itself

    @classmethod
    def of(cls, topic: Topic, pages: int, having: Sequence[int]) -> TermWeights:
        """Weigh the terms after `pages` pages, of which `having[n]` have term n."""
        seen = pages + PAGES_BEFORE
        tf_idf = [
            term.stress * math.log(seen / (count + 1)) / math.log(seen)
            for term, count in zip(topic.terms, having, strict=True)
        ]
        together = math.fsum(tf_idf)
        weights = tuple(each / together for each in tf_idf)
        own = math.fsum(weight * term.said for weight, term in zip(weights, topic.terms, strict=True))
        return cls(weights, math.fsum(sorted(weights)[-FULL:]), own)

    def match(self, terms: int) -> float:
        """Return how well a text with these terms matches the topic, 0 to 1; bit n is term n."""
        return min(1.0, math.fsum(weight for n, weight in enumerate(self.weights) if terms >> n & 1) / self.full)

    def relevance(self, frequencies: bytes) -> float:
        """Return the relevance of a page, 0 to 1, from the frequencies of the terms in it (`term_frequencies`)."""
        found = math.fsum(weight * each for weight, each in zip(self.weights, frequencies, strict=True))
        return min(1.0, found / (STEPS * self.own))


def term_saturation(occurrences: float, words: int) -> float:
    """Return the saturation of a term in a text of so many words, 0 to 1: the second occurrence adds less."""
    return occurrences / (occurrences + 1 + words / LENGTH)


def term_frequencies(occurrences: Iterable[float], words: int) -> bytes:
    """Return the saturation of each term in a page, a byte a term. The page can then be weighed again."""
    return bytes(math.ceil(STEPS * term_saturation(each, words)) for each in occurrences)


def handed_on(relevance: float, inherited: float) -> float:
    """Return the score that a page hands on to its links: its relevance, or half of its inherited score."""
    return max(relevance, DECAY * inherited)


def folder_yield(relevant: int, fetched: int, site_relevant: int, site_fetched: int) -> float:
    """Return the expected share of relevant pages in a folder: its own, drawn to that of its site while it is new."""
    of_site = (site_relevant + 1) / (site_fetched + 2)
    return (relevant + FOLDER_PRIOR * of_site) / (fetched + FOLDER_PRIOR)


def priority_parts(anchor: float, around: float, name: float, parent: float, folder: float) -> PriorityParts:
    """Return a priority from its five signals, each from 0 to 1, rounded to the digits shown."""
    parts = (ANCHOR * anchor, AROUND * around, NAME * name, PARENT * parent, YIELD * folder)
    return PriorityParts(*(round(part, DIGITS) for part in parts))
