"""How well does a page answer, and why? BM25 over one combined field, with Lucene's idf, and every number of it.

    idf(t)   = ln(1 + (N - n + 0.5) / (n + 0.5))        N pages, n of them with the term outside their template
    f(t, d)  = sum over fields of weight x frequency    a word in a title counts more than one in the body, and
    L(d)     = sum over fields of weight x length       the fields together saturate once, not each by itself
    score    = sum over terms of  w(t) x idf(t) x f / (f + K1 x (1 - B + B x L / mean L))

(Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.5: BM25F in its
simple form, with one B for all fields.) Deleted pages count neither in N and n nor in the mean length, though they stay
in the files for a while: an update changes no score of another page by what it leaves behind.

A score has parts, one for each term and field, and one below 0 for each sign of spoofing (demotion.py). They add up to
it, and so say why a result stands where it stands. It is shown with four digits. Parts rounded one by one would miss
the sum by a digit here and there; so the total is rounded once, and the parts share it by largest remainder (Hamilton's
method): they add up to the last digit shown.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from indexer.retrieval.demotion import Demotion, Penalty
from indexer.segments.schema import IndexField
from urls.counted import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# TITLE, URL, K1 and B were picked among 15 settings on the development collections, where they differ by hundredths. No
# collection there has headings, anchors or descriptions: those weights are set by hand.
WEIGHTS: Mapping[IndexField, float] = {
    IndexField.BODY: 1.0,  # the unit
    IndexField.TITLE: 4.0,  # no more than that: it has ten words, and most of them stand in the body as well
    IndexField.HEADINGS: 0.5,  # they are part of the body's text already, and so count one and a half times
    IndexField.ANCHORS: 2.0,  # what others call the page
    IndexField.URL: 2.0,  # its words are few and chosen; the host's name is not among them
    IndexField.DESCRIPTION: 0.5,  # it is written for search engines, and often the same on every page of a site
    IndexField.TEMPLATE: 0.5,  # it names what the site has, and in a list of contents what the page has
}


@dataclass(frozen=True, slots=True)
class Formula:
    """The numbers of the ranking. Change one and watch `bench/relevance`."""

    k1: float = 1.2  # how soon more of the same word stops counting
    b: float = 0.75  # how much a long page must say a word more often
    weights: Mapping[IndexField, float] = field(default_factory=lambda: WEIGHTS)
    penalty: Penalty = field(default_factory=Penalty)  # for spoofing


def inverse_document_frequency(pages: int, pages_with_term: int) -> float:
    """Return how much a term says: next to 0 where every page has it, and never less than 0."""
    return math.log(1 + (pages - pages_with_term + 0.5) / (pages_with_term + 0.5))


def saturation(frequency: float, length: float, mean_length: float, formula: Formula) -> float:
    """Return what a weighted frequency is worth in a page of this weighted length, from 0 to 1."""
    if not frequency:
        return 0.0
    relative = length / mean_length if mean_length else 1.0
    return frequency / (frequency + formula.k1 * (1 - formula.b + formula.b * relative))


# What is multiplied to a part, in this order: the field's term for it, and a plain word.
FACTORS: Mapping[str, tuple[str, str]] = {
    "term_weight": ("weight", "how often it was asked for"),
    "idf": ("idf", "how rare the word is"),
    "saturation": ("saturation", "how much the page says it"),
    "share": ("share", "how much of that this field says"),
}
FACTORS_IN_WORDS = "Each part is " + " x ".join(f"{term} ({plain})" for term, plain in FACTORS.values()) + "."

_IN_WORDS = {IndexField.TEMPLATE.value: "template (menus, header, footer)"}
DIGITS = 4
_UNIT = 10**DIGITS


@dataclass(frozen=True, slots=True)
class ScorePart:
    """What one term in one field gives: its share of `term_weight` x `idf` x `saturation` for the whole page."""

    term: str
    field: str
    value: float  # rounded to DIGITS
    frequency: int  # of the term in the field
    field_weight: float
    field_length: int  # positions in the field
    term_weight: float  # how often it was asked for
    idf: float
    saturation: float  # 0 to 1, of the term in all fields together
    share: float  # 0 to 1, of this field in that

    def __str__(self) -> str:
        factors = " x ".join(f"{name} {shown}" for name, shown in self.factors)
        return (
            f"{self.value:.{DIGITS}f}  {self.term} in {self.field_in_words}: {self.frequency} x {self.field_weight:g} "
            f"in {counted(self.field_length, 'word')}; {factors}"
        )

    @property
    def field_in_words(self) -> str:
        """The field's name as it is shown."""
        return _IN_WORDS.get(self.field) or self.field.replace("_", " ")

    @property
    def factors(self) -> tuple[tuple[str, str], ...]:
        """The factors as they are shown, each under its term."""
        return tuple(
            (term, f"{value:g}" if name == "term_weight" else f"{value:.3f}")
            for name, (term, _) in FACTORS.items()
            for value in (getattr(self, name),)
        )


@dataclass(frozen=True, slots=True)
class Score:
    """A score and its parts. `page_length` and `mean_length` are weighted numbers of positions."""

    total: float
    parts: tuple[ScorePart | Demotion, ...]
    page_length: float
    mean_length: float

    @property
    def value(self) -> Decimal:
        """The total as it is shown."""
        return Decimal(str(self.total))

    @property
    def words(self) -> tuple[ScorePart, ...]:
        """What each word in each field gives."""
        return tuple(part for part in self.parts if isinstance(part, ScorePart))

    @property
    def demotions(self) -> tuple[Demotion, ...]:
        """What signs of spoofing take."""
        return tuple(part for part in self.parts if isinstance(part, Demotion))

    @property
    def gained(self) -> float:
        """What the words give together."""
        return sum(part.value for part in self.words)

    def lines(self) -> list[str]:
        """Return the explanation as lines of text."""
        head = (
            f"{self.total:.{DIGITS}f}  = the sum of:" if self.parts else f"{self.total:.{DIGITS}f}  no word was ranked"
        )
        return [head, *(f"  {part}" for part in self.parts), f"  {self.lengths_in_words}"]

    @property
    def lengths_in_words(self) -> str:
        """How long the page is beside the others, which its saturations hang on."""
        return (
            f"The page is {self.page_length:.1f} weighted words long, the mean page {self.mean_length:.1f}: "
            "the same word counts for less in a longer page."
        )

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation for JSON."""
        return asdict(self) | {"parts": [asdict(part) for part in self.parts]}


def rounded_score(parts: Sequence[ScorePart | Demotion], length: float, mean: float) -> Score:
    """Return a score whose rounded parts add up to its rounded total, the greatest part first."""
    total, values = round_parts([part.value for part in parts])
    shown = [replace(part, value=value) for part, value in zip(parts, values, strict=True)]
    return Score(total, tuple(sorted(shown, key=lambda part: -part.value)), length, mean)


def round_parts(values: list[float]) -> tuple[float, list[float]]:
    """Round a sum and its parts so that the rounded parts add up to the rounded sum."""
    exact = [value * _UNIT for value in values]
    units = [math.floor(value) for value in exact]  # what spoofing takes is below 0
    total = round(sum(exact))
    by_remainder = sorted(range(len(exact)), key=lambda place: (units[place] - exact[place], place))
    for place in by_remainder[: total - sum(units)]:
        units[place] += 1
    return total / _UNIT, [unit / _UNIT for unit in units]
