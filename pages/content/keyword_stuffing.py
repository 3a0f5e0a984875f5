"""How often does a text repeat one word? Its commonest word, compared with what a text of that length would have.

In scripts without blanks each character is a word, so repetition is found there too.
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
    """Return the words of a text in lower case, without numbers and single characters."""
    return _TOKENS.findall(text.lower())


def commonest(words: Sequence[str]) -> tuple[str, int]:
    """Return the commonest of some words, and its count; ("", 0) for no words."""
    return Counter(words).most_common(1)[0] if words else ("", 0)


def is_stuffed(words: Sequence[str]) -> bool:
    """Return whether these words, which are no text for a reader, mostly repeat one of them, and few others."""
    if len(words) < MIN_TOKENS or len(set(words)) > DISTINCT_SHARE * len(words):
        return False
    return commonest(words)[1] >= STUFFED_SHARE * len(words)
