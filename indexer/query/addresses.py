"""Is a question the address of a page, pasted into the form? Then that page is asked for, not pages with its words.

`https://bakery.example/rye` is one whatever the index has; without a scheme (`bakery.example/rye`) a name and a path
can be words as well, and are an address where the index has that page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from indexer.query.lexicon import Lexicon

MAX_ADDRESS = 2_000  # characters: what is longer is text
_WHOLE = re.compile(r"https?://[^\s\"]+\Z", re.IGNORECASE)
_PART = re.compile(r"(?:[\w-]+\.)+[\w-]+(?::\d+)?(?:/[^\s\"]*)?\Z|localhost(?::\d+)?/[^\s\"]*\Z", re.IGNORECASE)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)


def addresses_in(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the pages that a question is the address of, or how that address is written; () where it is none."""
    given = text.strip()
    if len(given) > MAX_ADDRESS or not (_WHOLE.match(given) or _PART.match(given)):
        return ()
    candidates = tuple(_candidates(given))
    return lexicon.addresses(candidates) or (candidates[:1] if _WHOLE.match(given) else ())


def _candidates(given: str) -> dict[str, None]:
    """Return the canonical URLs that can be meant: with either scheme, with and without a slash at the end."""
    scheme = given[: len(given) - len(_SCHEME.sub("", given))]
    rest = given[len(scheme) :]
    found: dict[str, None] = {}
    for begin in dict.fromkeys((scheme.lower() or "https://", "https://", "http://")):
        for end in (rest, rest.removesuffix("/") if rest.endswith("/") else f"{rest}/"):
            try:
                found[canonicalize(begin + end)] = None
            except UnusableUrl:
                continue
    return found
