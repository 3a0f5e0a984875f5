"""Which name does a robots.txt call the sender of a whole User-Agent string by?

A User-Agent line is products, `name/version`, with comments in brackets (RFC 9110, 10.1.5). A robot's product token is
somewhere in it (RFC 9309, 2.2.1), and rarely in front. Most robots present themselves as browsers and name themselves
in a comment, by custom after the word `compatible`. A string that is a single word is the token itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from robots.dialect import Naming
from robots.group import name_in_file, our_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_COMMENT: Final = re.compile(r"\(([^()]*)\)")
_TOKEN: Final = re.compile(r"[A-Za-z0-9._-]*[A-Za-z][A-Za-z0-9._-]*")
_VERSIONED: Final = re.compile(rf"({_TOKEN.pattern})(?:/\S*)?")
# What browsers, and robots that look like them, say of the browser and the machine.
_BROWSERS: Final = frozenset(
    "mozilla applewebkit khtml gecko chrome chromium headlesschrome safari version mobile firefox opera presto".split()  # noqa: SIM905
    + "trident edge edg msie windows macintosh linux x11 android iphone ipad compatible u wow64 win64 x64 like".split()  # noqa: SIM905
)
_COMPATIBLE: Final = "compatible"
FAMILY_ENDS: Final = b"-"  # googlebot-images is a robot of the family googlebot
MAX_FAMILIES: Final = 8  # names that are tried: a robot's own has one or two hyphens


def product_token(user_agent: str) -> str:
    """Return the product token within a User-Agent string; what holds none comes back as it is, stripped."""
    text = user_agent.strip()
    if _TOKEN.fullmatch(text):
        return text
    comments = [_items(comment) for comment in _COMMENT.findall(text)]
    after_compatible = (
        item for items in comments if _COMPATIBLE in items for item in items[items.index(_COMPATIBLE) + 1 :]
    )
    products = _COMMENT.sub(" ", text).split()
    # Apple's robot is a comment of its own: (Applebot/0.1; +http://…).
    in_comments = (item for items in comments for item in items if "/" in item)
    for items in (after_compatible, products, in_comments):
        for name in _names(items):
            if name.lower() not in _BROWSERS:
                return name
    return next(_names(products), text)


def _items(comment: str) -> list[str]:
    return [item.strip() for item in comment.split(";")]


def _names(items: Iterable[str]) -> Iterator[str]:
    """Yield of each item the first word that is a name, with a version or without: of "Yahoo! Slurp" it is Slurp."""
    for item in items:
        if name := next(filter(None, map(_VERSIONED.fullmatch, item.split())), None):
            yield name[1]


def families_of(agent: str) -> tuple[str, ...]:
    """Return the families of a robot, the most specific first: of googlebot-news-x2, googlebot-news-x and so on.

    Google, 2019: the group counts whose user agent is the most specific that still matches. The example is
    googlebot-images, which goes by the group of googlebot where none is its own. A name in a file ends at the first
    character that is no letter, - or _. So no group can be named hedwig-news2, and that robot goes by hedwig-news.
    """
    name = our_name(agent, Naming.LETTERS)
    readable = name_in_file(name, Naming.LETTERS)
    families = [readable.decode("ascii")] if readable not in {b"", name} else []
    name = readable
    while len(families) < MAX_FAMILIES and FAMILY_ENDS in name:
        name = name.rpartition(FAMILY_ENDS)[0]
        families.append(name.decode("utf-8", "surrogatepass"))
    return tuple(families)
