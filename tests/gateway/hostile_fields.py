"""Pages with an attack in every field, and a check whether any of it became markup.

Each value has the name FOREIGN in the place of an element, an attribute or a scheme. If an attack works, the name shows
in the tree of a browser's own parser.
"""

from __future__ import annotations

import hashlib
from itertools import cycle, islice
from typing import TYPE_CHECKING
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser

from urls.canonical import canonicalize
from urls.records import CanonicalUrl, Link, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

SITE = "http://hostile.localhost:8400"
FOREIGN = "xqz"
OF_URLS = frozenset({"href", "src", "action", "formaction", "data", "srcdoc", "poster", "xlink:href"})
ATTACKS = (
    "<xqz onxqz=1>", '"><xqz>', "'><xqz>", '" xqz="1', "' xqz='1", "` xqz=`1", "</title><xqz>", "</textarea><xqz>",
    "</script><xqz>", "--><xqz>", "]]><xqz>", "<svg><xqz/>", "<!--<xqz", "<xqz\t", "<xqz/xqz=1>", "&lt;xqz&gt;<xqz>",
    "&#60;xqz>", "\\u003cxqz>", "{{xqz}}", "{% xqz %}", "javascript:xqz", "data:text/html,<xqz>", "\r\nX-xqz: 1",
    "\x1b]0;xqz\x07", "\u202e<xqz>", "<\0xqz>", "\uff1cxqz\uff1e<xqz>",
    "<xqz style=xqz>", "</a><a href=javascript:xqz>", "\u2028<xqz>",
)  # fmt: skip


def hostile_values(site: int) -> Iterator[str]:
    """Yield values without end, no two alike: an attack, with a word by which it is found."""
    for number, attack in enumerate(cycle(ATTACKS)):
        yield f"bread {attack} w{site}x{number}"


def address(number: int) -> CanonicalUrl:
    """The URL of a page, with an attack in it as a page may write it."""
    return canonicalize(f"{SITE}/{number}?{quote(ATTACKS[number % len(ATTACKS)])}")


def hostile_pages(count: int, fields: int) -> Iterator[Page]:
    """Yield pages of so many hostile fields each: URL, title, description, headings, lines, words of links."""
    for number in range(count):
        values = hostile_values(number)
        title, description = islice(values, 2)
        each = max(1, (fields - 3) // 3)
        headings, lines, anchors = (tuple(islice(values, each)) for _ in range(3))
        text = "\n".join((*headings, *lines))
        links = tuple(Link(address((number + 1) % count), anchor) for anchor in anchors)
        kind = "text/plain" if number % 2 else "text/html"  # a copy of the one shows its words, of the other its markup
        yield Page(
            address(number), title, text, content_type=kind, headings=headings, description=description, links=links,
            language="en", fetched_at=1.0, body=text.encode(), fingerprint=hashlib.sha256(text.encode()).digest(),
        )  # fmt: skip


def foreign_markup(page: str) -> list[str]:
    """Return what in a page came of a hostile value; nothing where all of it is text."""
    found = []
    for node in LexborHTMLParser(page).css("*"):
        if FOREIGN in (node.tag or ""):
            found.append(f"<{node.tag}>")
        for name, value in node.attributes.items():
            scheme = (value or "").strip().lower().partition(":")[0]
            if FOREIGN in name or name.startswith("on") or name == "style":
                found.append(f"<{node.tag} {name}>")
            elif name in OF_URLS and scheme in {"javascript", "data", "vbscript"}:
                found.append(f"<{node.tag} {name}={scheme}:>")
    return found
