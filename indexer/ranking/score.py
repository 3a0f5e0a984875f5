"""How well does a page match, and why? The score is a sum, and each summand can be shown.

    score    = terms + neighbours + priors - demotions

    terms    = sum over terms t of  w(t) x idf(t) x (S(said) + NAME x S(called))
    idf(t)   = ln(1 + (N - n + 0.5) / (n + 0.5))           N pages, n of them with the term outside their template
    said     = sum over body, headings, description, template of  weight x frequency / norm
    called   = sum over title, anchors, words of the URL of        weight x frequency / norm
    NAME     the less, the more of a sentence the question is         (weights.py, for_question)
    norm     = 1 - b + b x length / mean length             each field by a b and a mean of its own
    S(f)     = f / (f + K)                                  more of the same counts less each time

Text and names saturate separately: in one sum, a title or the words of a link would hardly count next to a long text.
(Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6: BM25F, twice.) The
numbers stand in weights.py; neighbours in proximity.py, priors in prior.py, demotions in demotion.py. Deleted pages
count neither in N and n nor in a mean length, although they stay in the files until a merge.

A score is shown with four digits. If each part were rounded by itself, the sum could differ in the last digit. So the
total is rounded once, and the parts share it by largest remainder (Hamilton's method): they add up to it exactly.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from indexer.ranking.demotion import DEMOTION_IN_WORDS, Demotion
from indexer.segments.schema import IndexField
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Amount = TypeVar("Amount", float, NDArray[Any])

DIGITS = 4
_UNIT = 10**DIGITS
_IN_WORDS = {IndexField.TEMPLATE.value: "template (menus, header, footer)"}


def inverse_document_frequency(pages: int, pages_with_term: int) -> float:
    """Return how rare a term is: near 0 where every page has it, and never less than 0."""
    return math.log(1 + (pages - pages_with_term + 0.5) / (pages_with_term + 0.5))


def saturation(frequency: Amount, half: float) -> Amount:
    """Return a weighted frequency as a number from 0 to 1; at `half` it is 0.5."""
    return frequency / (frequency + half)


# The factors of a part, in this order: the term of the field for it, and plain words.
FACTORS: Mapping[str, tuple[str, str]] = {
    "term_weight": ("weight", "1 for a word that was typed once, else with its reasons"),
    "idf": ("idf", "how rare the word is"),
    "most": ("cap", "the most that text or name can add"),
    "saturation": ("saturation", "how often text or name has it, from 0 to 1"),
    "share": ("share", "this field's part of that"),
}
FACTORS_IN_WORDS = (
    f"In each field, a query term adds {' x '.join(f'{term} ({plain})' for term, plain in FACTORS.values())}. "
    "The same word counts for less in a field that is longer than the mean. "
    "A length counts each part of a name, and each pair of characters where a script has no blanks."
)
OTHERS_IN_WORDS = (
    "Query words that are near each other, what the best section has beyond its page, "
    "and evidence beyond the words, are separate parts."
)
WHOOSH_IN_WORDS = (
    "Whoosh ranks by BM25F: in each field a term adds idf x w x 2.2 / (w + 1.2 x (0.25 + 0.75 x length / mean)), "
    "where w is its frequency times the boost of the field."
)


def field_in_words(field: str) -> str:
    """Return a field's name as it is shown."""
    return _IN_WORDS.get(field) or field.replace("_", " ")


@dataclass(frozen=True, slots=True)
class ScorePart:
    """The part of one term in one field: `term_weight` x `idf` x `most` x `saturation` x `share`."""

    term: str
    field: str
    called: bool  # it counts as a name of the page, not as its text
    value: float  # rounded to DIGITS
    frequency: int  # of the term in the field
    other_forms: int  # so many of these are other forms of the word
    field_weight: float
    field_length: int  # positions in the field
    mean_length: float  # of that field, on the pages that have it
    term_weight: float  # indexer/query/terms.py, Term
    idf: float
    most: float  # the cap: 1 for text, another one for names
    saturation: float  # 0 to 1, of the term in all fields of this kind together
    share: float  # 0 to 1, of this field in that
    weight_reason: str = ""  # how the weight comes about; "" for a word that was typed once
    idf_of: str = ""  # the word of the query whose idf it has, since its own is higher

    def __str__(self) -> str:
        factors = " x ".join(f"{name} {shown}" for name, shown in self.factors)
        return f"{self.value:.{DIGITS}f}  {self.term} in {self.field_in_words}: {self.told}; {factors}"

    @property
    def told(self) -> str:
        """The frequency and the length of the field."""
        others = f" ({self.other_forms} in another form)" if self.other_forms else ""
        return (
            f"{self.frequency} x {self.field_weight:g}{others} in {counted(self.field_length, 'word')}, "
            f"mean {self.mean_length:.1f}"
        )

    @property
    def field_in_words(self) -> str:
        """The field's name as it is shown."""
        as_name = self.called and self.field == IndexField.TITLE  # which counts as text, too
        return field_in_words(self.field) + " as a name" * as_name

    @property
    def factors(self) -> tuple[tuple[str, str], ...]:
        """The factors as they are shown, each under its term."""
        reasons = {"term_weight": self.weight_reason, "idf": self.idf_of and f"that of “{self.idf_of}”"}
        return tuple(
            (term, shown + (f" ({reason})" if (reason := reasons.get(name)) else ""))
            for name, (term, _) in FACTORS.items()
            for value in (getattr(self, name),)
            for shown in (f"{value:g}" if name in {"term_weight", "most"} else f"{value:.3f}",)
        )


@dataclass(frozen=True, slots=True)
class DescribedPart:
    """A part whose factors are one text. Each kind is a subclass."""

    term: str
    field: str
    value: float
    told: str  # the factors

    def __str__(self) -> str:
        return f"{self.value:.{DIGITS}f}  {self.subject}: {self.told}"

    @property
    def subject(self) -> str:
        """The term and its place, as a line of text shows them."""
        return f"{self.term} in {self.field_in_words}"

    @property
    def field_in_words(self) -> str:
        """The field's name as it is shown."""
        return field_in_words(self.field)


class ProximityPart(DescribedPart):
    """The part of two words that are near each other as in the query; `term` has both."""

    @property
    def subject(self) -> str:
        """Both words, and their field."""
        return f"{self.term} near each other in {self.field_in_words}"


class SectionPart(DescribedPart):
    """The part of one term in the best section of a page; `field` is "section"."""

    @property
    def field_in_words(self) -> str:
        """The place of the term."""
        return "its best section"


class PriorPart(DescribedPart):
    """A part that depends on no single word, such as links to the page. `term` names it.

    `field` is "page", or that of link texts.
    """

    @property
    def subject(self) -> str:
        """Its name: it has no place in the page."""
        return self.term

    @property
    def field_in_words(self) -> str:
        """The thing that it describes."""
        return "the page"


class WhooshPart(DescribedPart):
    """The part of a term or a phrase in a field of an index that Whoosh wrote and scored."""

    @property
    def field_in_words(self) -> str:
        """The field's name in the schema."""
        return self.field


@dataclass(frozen=True, slots=True)
class AddedPart:
    """A part that an extension adds. Each is a subclass; JSON shows its fields, in their order."""

    term: str  # its name, and its key in the JSON of a result
    field: str
    value: float

    def __str__(self) -> str:
        return f"{self.value:.{DIGITS}f}  {self.term}: {self.told}"

    @property
    def field_in_words(self) -> str:
        """The thing that it describes."""
        return f"a {self.field}"

    @property
    def told(self) -> str:
        """The factors."""
        raise NotImplementedError

    @property
    def found_by(self) -> tuple[str, str]:
        """The reason why a page without any of the words is a result, and a quotation: "the meaning of", a passage."""
        raise NotImplementedError

    def of_result(self) -> dict[str, Any]:
        """Return its JSON at a result."""
        raise NotImplementedError


Part = ScorePart | DescribedPart | AddedPart | Demotion


@dataclass(frozen=True, slots=True)
class Score:
    """A score and its parts, the greatest first."""

    total: float
    parts: tuple[Part, ...]

    @property
    def value(self) -> Decimal:
        """The total as it is shown."""
        return Decimal(str(self.total))

    @property
    def words(self) -> tuple[ScorePart, ...]:
        """The parts of words in fields."""
        return tuple(part for part in self.parts if isinstance(part, ScorePart))

    @property
    def others(self) -> tuple[DescribedPart | AddedPart, ...]:
        """The parts of neighbours, sections, priors and extensions."""
        kinds = DescribedPart | AddedPart
        return tuple(part for part in self.parts if isinstance(part, kinds) and not isinstance(part, WhooshPart))

    @property
    def added(self) -> tuple[AddedPart, ...]:
        """The parts of extensions."""
        return tuple(part for part in self.parts if isinstance(part, AddedPart))

    @property
    def by_whoosh(self) -> tuple[WhooshPart, ...]:
        """The parts where Whoosh ranks."""
        return tuple(part for part in self.parts if isinstance(part, WhooshPart))

    @property
    def demotions(self) -> tuple[Demotion, ...]:
        """The parts of signals of spoofing."""
        return tuple(part for part in self.parts if isinstance(part, Demotion))

    @property
    def gained(self) -> float:
        """The sum of all parts above 0."""
        return sum(part.value for part in self.parts if part.value > 0)

    def lines(self) -> list[str]:
        """Return the explanation as lines of text."""
        head = (
            f"{self.total:.{DIGITS}f}  = the sum of:" if self.parts else f"{self.total:.{DIGITS}f}  no word was ranked"
        )
        return [head, *(f"  {part}" for part in self.parts)]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation for JSON."""
        return {"total": self.total, "parts": [asdict(part) for part in self.parts]}


def rounded_score(parts: Sequence[Part]) -> Score:
    """Return a score whose rounded parts add up to its rounded total, the greatest part first."""
    total, values = round_parts([part.value for part in parts])
    shown: list[Part] = [replace(part, value=value) for part, value in zip(parts, values, strict=True)]
    return Score(total, tuple(sorted(shown, key=lambda part: -part.value)))


def round_parts(values: list[float]) -> tuple[float, list[float]]:
    """Round a sum and its parts; the rounded parts add up to the rounded sum."""
    exact = [value * _UNIT for value in values]
    units = [math.floor(value) for value in exact]  # what spoofing takes is below 0
    total = round(sum(exact))
    by_remainder = sorted(range(len(exact)), key=lambda place: (units[place] - exact[place], place))
    for place in by_remainder[: total - sum(units)]:
        units[place] += 1
    return total / _UNIT, [unit / _UNIT for unit in units]


def parts_in_words(scores: Iterable[Score]) -> str:
    """Return what the kinds of parts in these scores mean."""
    several = list(scores)
    said = {
        FACTORS_IN_WORDS: any(score.words for score in several),
        OTHERS_IN_WORDS: any(score.others for score in several),
        WHOOSH_IN_WORDS: any(score.by_whoosh for score in several),
        DEMOTION_IN_WORDS: any(score.demotions for score in several),
    }
    return " ".join(words for words, holds in said.items() if holds)
