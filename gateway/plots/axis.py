"""Which numbers stand at an axis? Round ones: 1, 2 or 5 times a power of ten, some five of them, the ends among them.

Paul Heckbert, "Nice Numbers for Graph Labels", *Graphics Gems*, 1990.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

STEPS = 4  # between the ends, about
MAX_TICKS = 12
LEAST_STEP = 1e-300  # below it a float has no digits to spare
_NICE = (1, 2, 5, 10)
_UNITS = ((1e9, "G"), (1e6, "M"), (1e4, "k"))  # 10,000 is 10k, 9,000 is 9,000
_LETTER = {"G": 1e9, "M": 1e6, "k": 1e3}
_PLAIN = (1e-4, 1e15)  # what is smaller or larger is written with an exponent


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale between two round numbers."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """Return where a value stands: 0 at the low end, 1 at the high one."""
        width = self.high / 2 - self.low / 2  # halves: the difference of two floats may be beyond all floats
        return min(max((value / 2 - self.low / 2) / width, 0.0), 1.0) if width > 0 else 0.0


def axis_over(values: Iterable[float], *, from_zero: bool = False) -> Axis:
    """Return a scale on which all values have their place. Raises ValueError for what is no finite number."""
    found = list(values)
    if odd := [value for value in found if not math.isfinite(value)]:
        raise ValueError(f"{odd[0]} has no place on an axis: a plot is made of finite numbers")
    low, high = min(found, default=0.0), max(found, default=0.0)
    if from_zero or low == high:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        high = 1.0
    step = _step(high / STEPS - low / STEPS)
    if all(value == int(value) for value in found):
        step = max(step, 1.0)  # there is no half page
    first, last = math.floor(low / step), math.ceil(high / step)
    ends = sys.float_info.max
    ticks = [min(max(number * step, -ends), ends) for number in range(first, min(last, first + MAX_TICKS) + 1)]
    return Axis(min(low, ticks[0]), max(high, ticks[-1]), tuple(ticks))


def _step(width: float) -> float:
    power = 10.0 ** math.floor(math.log10(max(width, LEAST_STEP)))
    return max(next(nice * power for nice in _NICE if nice * power >= width * (1 - 1e-9)), LEAST_STEP)


def figure(value: float) -> str:
    """Return a number in few characters: 2,500, 25k, 1.5M, 0.25, 2e+20."""
    size = abs(value)
    if size and not _PLAIN[0] <= size < _PLAIN[1]:
        return f"{value:.3g}"
    for least, letter in _UNITS:
        if size >= least:
            return f"{value / _LETTER[letter]:.4g}{letter}"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3g}"
