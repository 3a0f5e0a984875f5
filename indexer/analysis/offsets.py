"""At which character of a text does a word stand, whose position is known? Between two landmarks that are near.

A landmark is the number of a character between two words and the number of the position that follows it. There is one
for every few hundred characters, so that the place of a word is found by reading these few, and not the text.
"""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeGuard

CHECKPOINT_CHARS = 256  # from one landmark to the next, at least
# No word has one of these: blanks, and what stands between sentences where there are no blanks.
_BETWEEN_WORDS = re.compile(r"[\s\u3000-\u3002\uff0c\uff0e\uff1f\uff01]")
_MOST = 1 << 30  # a character or position

Checkpoints = tuple[tuple[int, ...], tuple[int, ...]]  # characters, ascending, and the position that follows each


def stretches(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text between words into stretches of at least `CHECKPOINT_CHARS`, each with where it begins."""
    start = 0
    while start < len(text):
        cut = _BETWEEN_WORDS.search(text, start + CHECKPOINT_CHARS)
        end = cut.start() if cut else len(text)
        yield start, text[start:end]
        start = end


def pack_checkpoints(landmarks: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Return landmarks as the steps from each to the next one: characters and positions in turns."""
    steps = [(after[0] - before[0], after[1] - before[1]) for before, after in pairwise([(0, 0), *landmarks])]
    return tuple(step for pair in steps for step in pair)


def unpack_checkpoints(packed: tuple[int, ...]) -> Checkpoints:
    """Read what `pack_checkpoints` has packed."""
    return tuple(accumulate(packed[0::2])), tuple(accumulate(packed[1::2]))


def validated_checkpoints(packed: Iterable[object]) -> tuple[int, ...]:
    """Return the landmarks of a record as they are kept. Raises ValueError for what can't be any."""
    found = tuple(packed)
    if not _are_whole(found) or len(found) % 2 or min(found, default=0) < 0 or sum(found) > _MOST:
        raise ValueError("landmarks that are none")
    return found


def _are_whole(steps: tuple[object, ...]) -> TypeGuard[tuple[int, ...]]:
    return set(map(type, steps)) <= {int}
