"""What has a raw token been? A number: the analysis cuts each distinct one once, and pages are lists of numbers.

A page of a thousand words brings perhaps fifty that were never met before. Everything that the analysis says of a raw
token (its words, where each stands, how many positions it takes) is kept in arrays by its number, so that what a
segment is made from is looked up for all its tokens at once.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.tokenizer import positioned_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint32]

MAX_KEPT = 1 << 16  # raw tokens that are kept from one segment to the next: some 15 MB; twice as many save no time
# Raw tokens and words, each counted once: of a segment. Pages of which each word is new make segments of fewer pages.
MAX_STRINGS = 1 << 19
# Words into which the tokens of a segment are cut. A token of Chinese or Japanese is a whole run, and cut into many
# words: a few long pages at once would take far more memory than as many in English.
MAX_CUT_WORDS = 1 << 20


@dataclass(frozen=True, slots=True)
class Cuts:
    """How raw tokens were cut: by the number of a token its width, its words in `words[start : start + count]`.

    `offsets` has of each of these words its position within the token.
    """

    widths: Numbers
    starts: Numbers
    counts: Numbers
    words: Numbers
    offsets: Numbers


class TokenNumbers(dict[str, int]):
    """Leads from raw tokens to their numbers; one that is missing is cut and gets the next number.

    `share` is the part of the bounds on a segment that holds, where several processes index at once.
    """

    share = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.clear()
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}
        self._widths, self._starts, self._counts = array("I"), array("I"), array("I")
        self._words, self._offsets = array("I"), array("I")

    def let_go(self) -> None:
        """Keep how all tokens were cut, and let go what further ones would need: a third of the memory."""
        self.clear()
        self._numbers = {}

    def __missing__(self, raw: str) -> int:
        words, width = positioned_terms(raw)
        start = len(self._words)
        self._widths.append(width)
        self._starts.append(start)
        for word, offset in words:
            number = self._numbers.setdefault(word, len(self.words))
            if number == len(self.words):
                self.words.append(word)
            self._words.append(number)
            self._offsets.append(offset)
        self._counts.append(len(self._words) - start)
        number = self[raw] = len(self)
        return number

    @property
    def is_full(self) -> bool:
        """Whether a segment has as many different raw tokens, or words of them, as it may have."""
        strings = len(self) + len(self.words)
        return strings >= self.share * MAX_STRINGS or len(self._words) >= self.share * MAX_CUT_WORDS

    @property
    def is_worth_keeping(self) -> bool:
        """Whether the next segment takes over the tokens of this one."""
        return len(self) <= MAX_KEPT and not self.is_full

    def cuts(self) -> Cuts:
        """Return how all tokens met so far were cut. No further token may come while it is used: nothing is copied."""
        columns = (self._widths, self._starts, self._counts, self._words, self._offsets)
        return Cuts(*(np.frombuffer(column, np.uint32) for column in columns))
