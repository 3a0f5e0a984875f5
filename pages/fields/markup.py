"""What does the markup say of a page beside its text? Its trail, its pictures' words, its translations, and its dates.

All are read from the one tree of the page, within bounds, and only where a cheap look at the markup shows that they may
be there. A trail (breadcrumbs) is microdata, or what a `nav` or a list calls itself. A picture's `alt` stands
for the picture: it is read where the picture is content, and not in menus, headers, footers and links.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pages.fields.dates import Said
from pages.fields.structured_data import MAX_CRUMB_CHARS, MAX_CRUMBS, MAX_TYPES
from pages.visible_text import UNSEEN, lines_within, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pages.links.reference import BaseUrl

MAX_ALTERNATES = 200  # translations of a page that are kept; the largest sites have some 150
MAX_LANGUAGE_CHARS = 35  # of a language tag (RFC 5646, 4.4.1)
MAX_PICTURES = 300  # of a page that are looked at
MAX_ALT_CHARS = 200  # of the words of one picture
MAX_DATED = 20  # elements with a date that are looked at
MAX_MARKED = 100  # elements with a `lang` that are looked at
MAX_MARKED_CHARS = 100_000  # of their text, together
MAX_PARENTS = 64  # that are asked whether a picture is part of a menu

_TRAILS = (
    '[itemtype$="BreadcrumbList"]', 'nav[aria-label*="breadcrumb" i]',
    '[role="navigation"][aria-label*="breadcrumb" i]',
    '[class~="breadcrumbs"]', '[class~="breadcrumb"]', '[id="breadcrumbs"]', '[id="breadcrumb"]',
)  # fmt: skip
_BETWEEN_STEPS = re.compile("\\s*[\u203a\u00bb\u2192/>|]+\\s*")
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)$", re.IGNORECASE)
_LOGO = re.compile(r"\blogo\b", re.IGNORECASE)  # it stands on every page of its site
_MENUS = UNSEEN | {"nav", "header", "footer", "aside"}


def breadcrumb_steps(tree: LexborHTMLParser, lowered: bytes) -> tuple[str, ...]:
    """Return the steps of the page's breadcrumbs; `lowered` is its markup in lower case."""
    if b"breadcrumb" not in lowered:
        return ()
    for selector in _TRAILS:
        found = tree.css_first(selector)
        steps = _steps(found) if found is not None else ()
        if steps:
            return steps
    return ()


def _steps(node: LexborNode) -> tuple[str, ...]:
    parts = node.css('[itemprop="name"]') or node.css("li")
    texts = [words(part) for part in parts[: MAX_CRUMBS + 1]] if parts else _BETWEEN_STEPS.split(words(node))
    cleaned = (_BETWEEN_STEPS.sub(" ", f" {text} ").strip()[:MAX_CRUMB_CHARS] for text in texts)
    return tuple(filter(None, cleaned))[:MAX_CRUMBS]


def microdata_dates(tree: LexborHTMLParser, lowered: bytes, name: str) -> list[Said]:
    """Return what `itemprop` elements of that name say, such as datePublished."""
    if name.lower().encode() not in lowered:
        return []
    nodes = tree.css(f'[itemprop="{name}"]')[:MAX_DATED]
    return [Said(_dated_text(node), f"microdata {name}") for node in nodes]


def microdata_types(tree: LexborHTMLParser, lowered: bytes) -> tuple[str, ...]:
    """Return what the microdata of a page describes, as it is shown."""
    if b"itemtype" not in lowered:
        return ()
    kinds = (node.attributes.get("itemtype") or "" for node in tree.css("[itemtype]")[:MAX_DATED])
    names = (kind.strip().rpartition("/")[2][:MAX_LANGUAGE_CHARS] for kind in kinds)
    return tuple(f"microdata {name}" for name in dict.fromkeys(filter(None, names)))[:MAX_TYPES]


def time_elements(tree: LexborHTMLParser) -> list[Said]:
    """Return the `<time>` in the head of an article, or marked as its date of publication."""
    nodes = tree.css("time[pubdate], article header time[datetime], main header time[datetime]")[:MAX_DATED]
    return [Said(_dated_text(node), "a time element in the head of its article") for node in nodes]


def _dated_text(node: LexborNode) -> str:
    attributes = node.attributes
    return attributes.get("datetime") or attributes.get("content") or words(node)


def marked_lines(tree: LexborHTMLParser, lowered: bytes) -> tuple[tuple[str, str], ...]:
    """Return the lines of text in elements with a `lang` of their own, with that; of two around it, the inner one's."""
    count = lowered.count(b"lang=")
    if count <= 1 or count <= lowered.count(b"hreflang=") + 1:  # that of the html element
        return ()
    found: dict[str, str] = {}
    chars_left = MAX_MARKED_CHARS
    for node in tree.css("body [lang]")[:MAX_MARKED]:
        said = (node.attributes.get("lang") or "")[:MAX_LANGUAGE_CHARS]
        lines = lines_within(node) if chars_left > 0 else ()
        chars_left -= sum(map(len, lines))
        found |= dict.fromkeys(filter(None, lines), said)
    return tuple(found.items())


def pictures(images: Iterable[LexborNode]) -> tuple[str, ...]:
    """Return the distinct words of pictures outside menus, in the order of the page."""
    found: dict[str, None] = {}
    for node in list(images)[:MAX_PICTURES]:
        alt = " ".join((node.attributes.get("alt") or "")[: 2 * MAX_ALT_CHARS].split())[:MAX_ALT_CHARS]
        if alt and alt not in found and not _LOGO.search(alt) and not _is_decoration(node):
            found[alt] = None
    return tuple(found)


def _is_decoration(node: LexborNode) -> bool:
    """Return whether a picture is part of a menu or a link: a logo, an arrow. One that links to itself in large is not.

    The words of a picture in a link are the link's, and tell of the page that it leads to.
    """
    parent = node.parent
    for _ in range(MAX_PARENTS):
        if parent is None:
            return False
        if parent.tag in _MENUS or (parent.tag == "a" and not _PICTURE.search(parent.attributes.get("href") or "")):
            return True
        parent = parent.parent
    return True  # nobody sees what is buried so deep


def alternates(links: Iterable[LexborNode], base: BaseUrl) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return (language, URL) of each translation that the head names, the first of a language, and a warning."""
    found: dict[str, str] = {}
    cut = 0
    for node in links:
        attributes = node.attributes
        language = (attributes.get("hreflang") or "").strip()
        if not language or "alternate" not in (attributes.get("rel") or "").lower().split():
            continue
        target = base.resolve(attributes.get("href") or "")
        if not isinstance(target, str) or len(language) > MAX_LANGUAGE_CHARS or language in found:
            continue
        if len(found) >= MAX_ALTERNATES:
            cut += 1
        else:
            found[language] = target
    warnings = (f"more than {MAX_ALTERNATES} translations are named: {cut} were left aside",) if cut else ()
    return tuple(found.items()), warnings
