"""What does a page say beside addresses? Lines of its own, and names of pages of another kind.

A search page says "Results for jam" for `?q=jam`, and a generator of names shows each name that it has just made up
as a link. Neither makes a page new (`novelty.py`). A list whose links lead to pages of another kind is another matter:
there each name is content; but a shop that shows the same goods in another order says nothing new.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawldb.frontier.canonical import UnusableUrl, canonicalize
from crawldb.frontier.traps.novelty import marks, words_of
from crawldb.frontier.traps.pattern import Pattern, path_and_query, patterns_of

if TYPE_CHECKING:
    from crawldb.page import Page

MAX_LINKS = 500  # of a page that are looked at: a list that has more has said enough
_MADE = re.compile(r"[#{?*]")  # where in a pattern's name the part that differs begins


def said(page: Page, pattern: Pattern) -> list[int]:
    """Return the marks of what `page` says: `pattern` is the widest that it is of, or a tree."""
    path, _, query = path_and_query(page.url)
    values = [pair.partition("=")[2] or pair for pair in query.split("&")]
    links = [link for link in page.links[:MAX_LINKS] if link.text]
    fixed = _MADE.split(pattern.name, maxsplit=1)[0]
    # Within a tree the names of folders and pages are content: somebody has given them.
    kin = set() if pattern.is_tree else {link.text for link in links if fixed in link.url and _is_of(link.url, pattern)}
    others = [text for text in dict.fromkeys(link.text for link in links) if text not in kin]
    echoes = words_of((path, *values, *kin))
    named = marks(page.title, "\n".join(others), echoes)
    return list(dict.fromkeys([*named, *marks("", page.text, echoes | words_of(others))]))


def _is_of(url: str, pattern: Pattern) -> bool:
    try:
        return pattern in patterns_of(canonicalize(url))
    except UnusableUrl:
        return False
