"""What does the markup say that a block is for? Its element and its role, and as a mild sign the words in its class.

The elements of HTML for the parts of a page (WHATWG HTML, 4.3) and the landmark roles (WAI-ARIA 1.2, 5.3.4) were made
for this, and say it outright. Authors choose the words of `class` and `id` freely; most choose the same few. Such a
word only makes a block suspect, and main_text.py looks at what is in it.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Sign(StrEnum):
    """What a block is by its markup; its value is the letter of its mark in a text (visible_text.py)."""

    NONE = "D"  # a container that says nothing
    LIST = "L"
    TABLE = "T"
    CELL = "C"
    TEMPLATE = "N"  # navigation, search, a dialog
    EDGE = "E"  # the header or footer of the page, or of an article in it
    ASIDE = "U"
    MAIN = "M"
    ARTICLE = "A"
    SUSPECT = "S"  # by the words in its class


_ELEMENTS = {
    **dict.fromkeys(("nav", "search", "dialog", "select"), Sign.TEMPLATE),
    **dict.fromkeys(("header", "footer"), Sign.EDGE),
    **dict.fromkeys(("ul", "ol", "dl", "menu", "dir"), Sign.LIST),
    "aside": Sign.ASIDE,
    "main": Sign.MAIN,
    "article": Sign.ARTICLE,
    "table": Sign.TABLE,
    "td": Sign.CELL,
    "th": Sign.CELL,
}
_CONTAINERS = "blockquote center details div fieldset figure form hgroup section"
_ROLES = {
    **dict.fromkeys(("navigation", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar"), Sign.TEMPLATE),
    **dict.fromkeys(("banner", "contentinfo"), Sign.EDGE),
    "complementary": Sign.ASIDE,
    "main": Sign.MAIN,
    "article": Sign.ARTICLE,
}
_SUSPICIOUS = re.compile(
    r"nav(?!y|al|ig?ator)|menu|side-?_?bar|foot(?!note|age)|header(?!link)|\bhead\b|masthead|banner|bread-?_?crumb|crumbs"
    r"|topic-?path|cookie|consent|gdpr|tool-?_?bar|top-?_?bar|bottom|pager\b|paginat|social|share\b|sharing|related"
    r"|copyright|newsletter|subscri|log-?in|search|widget|promo|advert|sponsor|\bads?\b|\bskip|langs?\b|language"
    r"|quick-?_?(?:links|view)|tags?\b|\bprev\b|\bnext\b|colophon|disclaimer|\blegal|popup|modal|overlay"
    r"|kopf|fu(?:ss|\xdf)|bandeau|pied|\bg?lnb\b|\bgnb\b",
    re.IGNORECASE,
)
SIGNED = frozenset({*_ELEMENTS, *_CONTAINERS.split()}) - {"select", "td", "th"}  # elements whose attributes are read
MAX_WORDS_CHARS = 300  # of a class or an id
MAX_SIGNED = 2000  # of a page: those of the others would be the rows of a list


def plain_sign(tag: str) -> Sign | None:
    """Return what the name of an element says; None where it contains nothing but text."""
    return _ELEMENTS.get(tag) or (Sign.NONE if tag in SIGNED else None)


def sign_of(tag: str, attributes: Mapping[str, str | None]) -> Sign:
    """Return what an element of SIGNED, or a cell, says that it is for."""
    by_name = _ELEMENTS.get(tag, Sign.NONE)
    if not attributes:
        return by_name
    role = attributes.get("role")
    if role and (by_role := _ROLES.get(role.strip().lower())):
        return by_role
    if by_name in _SPEAKING:
        return by_name
    words = (attributes.get("class") or "", attributes.get("id") or "")
    return Sign.SUSPECT if any(text and _is_suspicious(text[:MAX_WORDS_CHARS]) for text in words) else by_name


@lru_cache(maxsize=4096)
def _is_suspicious(words: str) -> bool:  # a site has some fifty classes, on thousands of its pages
    return _SUSPICIOUS.search(words) is not None


_SPEAKING = frozenset({Sign.TEMPLATE, Sign.EDGE, Sign.ASIDE, Sign.MAIN, Sign.ARTICLE})
