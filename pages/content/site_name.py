"""Which part of a title is the name of its site? The part behind (or before) a separator that its titles share.

"Rye bread | The Bakery" tells a reader of results "Rye bread"; which site it is stands above it. A page may say the
name (og:site_name, the WebSite of its JSON-LD); else it is learnt from the titles of the site. A title is never cut
where nothing with a letter or digit remains, and a name is learnt only from titles that differ in the rest: what all
pages of a small site say may be its subject.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

MIN_TITLES = 8  # distinct titles from which a name can be learnt
SHARE = 0.6  # of the titles that have to show it
DIFFERENT = 0.9  # of the titles have to differ in the rest
MAX_NAME_CHARS = 80  # longer ones are sentences
_SEPARATOR = re.compile(r"\s+(?:[|\u2013\u2014\u00b7\u2022\u00bb\u00ab\u203a\u2039/\u2192-]|::)\s+|\s*[\uff5c]\s*")
# Two letters, or one that is a word: "Release notes - 3.8" must not become "3.8".
_SAYS_SOMETHING = re.compile("[^\\W\\d_]{2}|[\u3041-\u9fff\uac00-\ud7a3]")


class SiteName(NamedTuple):
    """A name as the titles of a site show it, and of how many distinct titles it was learnt."""

    name: str
    shown_by: int
    titles: int


def without_name(title: str, name: str) -> str:
    """Return a title without the name of its site; the whole title where the name is not a part of its own."""
    if not name:
        return title
    for separator in reversed(list(_SEPARATOR.finditer(title))):
        if _same(title[separator.end() :], name) and _SAYS_SOMETHING.search(title[: separator.start()]):
            return title[: separator.start()].rstrip()
    for separator in _SEPARATOR.finditer(title):
        if _same(title[: separator.start()], name) and _SAYS_SOMETHING.search(title[separator.end() :]):
            return title[separator.end() :].lstrip()
    return title


def learnt_name(titles: Iterable[str]) -> SiteName | None:
    """Return the name that most of the distinct titles of a site show, or None.

    The longest part counts that as many titles show: of "Rye - Breads - The Bakery" it is "The Bakery" where there are
    cakes too, and "Breads - The Bakery" where there is nothing but breads.
    """
    distinct = set(titles)
    if len(distinct) < MIN_TITLES:
        return None
    counted = Counter(part for title in distinct for part in _outer_parts(title))
    enough = [(times, len(name), name) for name, times in counted.items() if times >= SHARE * len(distinct)]
    if not enough:
        return None
    most = max(enough)[0]
    times, _, name = max((entry for entry in enough if entry[0] == most), key=lambda entry: entry[1:])
    rests = {without_name(title, name) for title in distinct}
    return SiteName(name, times, len(distinct)) if len(rests) >= DIFFERENT * len(distinct) else None


def _outer_parts(title: str) -> set[str]:
    """Return what stands before and what stands behind each separator."""
    parts = set()
    for separator in _SEPARATOR.finditer(title):
        parts |= {title[: separator.start()].strip(), title[separator.end() :].strip()}
    return {part for part in parts if _SAYS_SOMETHING.search(part) and len(part) <= MAX_NAME_CHARS}


def _same(part: str, name: str) -> bool:
    return " ".join(part.split()).casefold() == " ".join(name.split()).casefold()
