"""What is true of all pages of an index, where only some of them are at hand? Numbers that a score is made of.

An engine elsewhere chooses the pages that a question is answered with (indexer/remote.py). How rare a word is, and how
long a field is on average, are true of all pages: with these numbers the pages at hand get the scores that they would
have among all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.query.terms import Variants
    from indexer.retrieval.facets import Facet
    from indexer.segments.schema import IndexField

    Amount = TypeVar("Amount", float, NDArray[Any])


@dataclass(frozen=True, slots=True)
class Spread:
    """On how many pages a word stands: outside their template, or, where no page has it there, in it."""

    pages: int
    in_template: bool = False


@dataclass(frozen=True, slots=True)
class Answering:
    """The pages that answer, where not all of them are at hand: how many, and how many stand under another one."""

    pages: int
    folded: int
    facets: Callable[[], tuple[Facet, ...]]


@dataclass(frozen=True, slots=True)
class WholeIndex:
    """All pages of an index. `answering` is None where all that answer are at hand."""

    pages: int
    mean_lengths: Mapping[IndexField, float]
    has_links: bool  # PageRank is known
    sites: Sequence[str]  # in order
    spread: Callable[[Variants], Spread]
    answering: Answering | None = None
    notice: str = ""  # what was not looked at, in sentences


def length_norm(length: Amount, mean: float, share: float) -> Amount:
    """Return by what a frequency is divided in a field of this length: 1 at the mean; `share` 0 leaves it there."""
    return 1 - share + share * length / (mean or 1.0)
