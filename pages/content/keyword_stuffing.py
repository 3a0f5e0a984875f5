"""How often does a text say the same word? Its commonest one, beside what a text of that length would.

In scripts without blanks a word is a letter: what is repeated is found all the same.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


MIN_TOKENS = 20  # in fewer a word that stands there twice or three times says nothing
DISTINCT_SHARE = 1 / 3  # of a text, that is new: a menu of twenty names that begin alike has more
STUFFED_SHARE = 0.2  # of a text that nobody is meant to read: the commonest word of any language has 0.08
_TOKENS = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[^\\W\\d_]{2,}")


def tokens(text: str) -> list[str]:
    """Return the words of a text in small letters, without numbers and single letters."""
    return _TOKENS.findall(text.lower())


def commonest(words: Sequence[str]) -> tuple[str, int]:
    """Return the commonest of some words, and how often it stands there; ("", 0) for no words."""
    return Counter(words).most_common(1)[0] if words else ("", 0)


def is_stuffed(words: Sequence[str]) -> bool:
    """Return whether these words, which are no text for a reader, mostly repeat one of them, and few others."""
    if len(words) < MIN_TOKENS or len(set(words)) > DISTINCT_SHARE * len(words):
        return False
    return commonest(words)[1] >= STUFFED_SHARE * len(words)
