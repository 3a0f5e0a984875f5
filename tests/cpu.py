"""How long does work take, whatever else the machine does? Two such times can be compared with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 3
Size = TypeVar("Size")


def least(seconds: Callable[[Size], float], size: Size) -> float:
    """Return the CPU seconds of the quickest run. Another process, or a look for garbage, can slow one, but not each.

    The first run also loads what later ones share.
    """
    return min(seconds(size) for _ in range(RUNS))
