"""At which character of a text is the word at a known position? The index keeps checkpoints.

A checkpoint is the number of a character between two words, and the position of the word that follows. A text has one
for every few hundred characters. So the place of a word is found by reading only these, not the whole text.
"""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeGuard

CHECKPOINT_CHARS = 256  # from one checkpoint to the next, at least
# No word has one of these: blanks, and the marks between sentences of scripts without blanks.
_BETWEEN_WORDS = re.compile(r"[\s\u3000-\u3002\uff0c\uff0e\uff1f\uff01]")
_MAX_VALUE = 1 << 30  # of a character or position

Checkpoints = tuple[tuple[int, ...], tuple[int, ...]]  # ascending characters, and the position after each


def text_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Split a text between words into blocks of at least `CHECKPOINT_CHARS` characters; yield each with its start."""
    start = 0
    while start < len(text):
        cut = _BETWEEN_WORDS.search(text, start + CHECKPOINT_CHARS)
        end = cut.start() if cut else len(text)
        yield start, text[start:end]
        start = end


def pack_checkpoints(checkpoints: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Return checkpoints as the differences from each to the next: characters and positions in turn."""
    steps = [(after[0] - before[0], after[1] - before[1]) for before, after in pairwise([(0, 0), *checkpoints])]
    return tuple(step for pair in steps for step in pair)


def unpack_checkpoints(packed: tuple[int, ...]) -> Checkpoints:
    """Return the checkpoints that `pack_checkpoints` packed."""
    return tuple(accumulate(packed[0::2])), tuple(accumulate(packed[1::2]))


def validated_checkpoints(packed: Iterable[object]) -> tuple[int, ...]:
    """Return the packed checkpoints of a record. Raises ValueError if they are invalid."""
    found = tuple(packed)
    if not _are_whole(found) or len(found) % 2 or min(found, default=0) < 0 or sum(found) > _MAX_VALUE:
        raise ValueError("invalid checkpoints")
    return found


def _are_whole(steps: tuple[object, ...]) -> TypeGuard[tuple[int, ...]]:
    return set(map(type, steps)) <= {int}
