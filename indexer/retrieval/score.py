"""Why does a result stand where it stands? Its score in parts, one for each term and field, which add up to it.

A score is shown with four digits. Parts rounded one by one would miss the sum by a digit here and there; so the total
is rounded once and the parts share it by largest remainder (Hamilton's method): they add up to the last digit shown.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

DIGITS = 4
_UNIT = 10**DIGITS


@dataclass(frozen=True, slots=True)
class Part:
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
        return (
            f"{self.value:.{DIGITS}f}  {self.term} in {self.field}: {self.frequency} x {self.field_weight:g} "
            f"in {self.field_length} words; weight {self.term_weight:g} x idf {self.idf:.3f} "
            f"x saturation {self.saturation:.3f} x share {self.share:.3f}"
        )


@dataclass(frozen=True, slots=True)
class Score:
    """A score and its parts. `page_length` and `mean_length` are weighted numbers of positions."""

    total: float
    parts: tuple[Part, ...]
    page_length: float
    mean_length: float

    @property
    def value(self) -> Decimal:
        """The total as it is shown."""
        return Decimal(str(self.total))

    def lines(self) -> list[str]:
        """Return the explanation as lines of text."""
        head = (
            f"{self.total:.{DIGITS}f}  = the sum of:" if self.parts else f"{self.total:.{DIGITS}f}  no word was ranked"
        )
        length = f"page length {self.page_length:.1f}, mean {self.mean_length:.1f} (weighted words)"
        return [head, *(f"  {part}" for part in self.parts), f"  {length}"]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation for JSON."""
        return asdict(self) | {"parts": [asdict(part) for part in self.parts]}


def round_parts(values: list[float]) -> tuple[float, list[float]]:
    """Round a sum and its parts so that the rounded parts add up to the rounded sum."""
    exact = [value * _UNIT for value in values]
    units = [int(value) for value in exact]  # none is negative
    total = round(sum(exact))
    by_remainder = sorted(range(len(exact)), key=lambda place: (units[place] - exact[place], place))
    for place in by_remainder[: total - sum(units)]:
        units[place] += 1
    return total / _UNIT, [unit / _UNIT for unit in units]
