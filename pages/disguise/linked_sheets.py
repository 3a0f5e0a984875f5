"""Which stylesheets does a page name, and which of them can it be read with? Those of its own site, as far as known.

A script may show what a sheet hides: so the sheets in files of a page with scripts are neither asked for nor used.
Another page is read with them once all of its own site are known, with what they import: one that is missing might show
what another one hides. Sheets of other sites are never asked for; they leave colours unsure, as any sheet does that was
not read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pages.disguise.hiding_styles import SCREENS, is_for_screens
from pages.disguise.stylesheet import AT_TIMES, MAX_SHEET_CHARS, imported_sheets
from urls.canonical import UnusableUrl, canonicalize
from urls.site import site_of
from urls.stylesheet_record import NamedSheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pages.links.reference import BaseUrl
    from urls.records import CanonicalUrl

MAX_NAMED = 3  # sheets in files of a page: with more of them, none is read
MAX_LINK_ELEMENTS = 1_000  # of a page, among which sheets are looked for
SHEET_ENDING = ".css"  # of a path: else whoever writes on a site could have its other pages taken for sheets


@dataclass(frozen=True, slots=True)
class PageSheets:
    """The stylesheets of a page."""

    texts: tuple[str, ...] = ()  # that it is read with, in their order
    named: tuple[NamedSheet, ...] = ()  # those in files of its own site
    unread: bool = False  # whether it has others


@dataclass(frozen=True, slots=True)
class _SheetLink:
    """A link to a sheet, or an import of one."""

    url: CanonicalUrl | None  # None: it is of another site
    at_times: bool = False  # it is for paper, or for some screens

    def text(self, used: Mapping[CanonicalUrl, str]) -> str:
        css = used.get(self.url, "") if self.url else ""
        return f"{AT_TIMES}{{{css}}}" if css and self.at_times else css


def sheets_of(
    tree: LexborHTMLParser,
    links: Sequence[LexborNode],
    styles: Sequence[LexborNode],
    where: tuple[BaseUrl, BaseUrl],
    known: Mapping[str, str],
    *,
    scripted: bool,
) -> PageSheets:
    """Return the sheets of a page; `links` and `styles` are its elements, `known` the sheets of its site, by URL.

    `where` has the base of its links, and its own address.
    """
    linked = {node.mem_id: link for node in links[:MAX_LINK_ELEMENTS] if (link := _linked(node, *where))}
    inside = {node.mem_id: node.text() for node in styles if is_for_screens(node)}
    imported = {node: _imported(text, *where) for node, text in inside.items() if "@import" in text}
    named = [*linked.values(), *(each for imports in imported.values() for each in imports)]
    own = list(dict.fromkeys(each.url for each in named if each.url))
    used = {} if scripted else _used(own, known, sum(map(len, inside.values())))
    texts = {
        node: "\n".join([*(each.text(used) for each in imported.get(node, ())), text]) for node, text in inside.items()
    }
    if used:
        texts |= {node: link.text(used) for node, link in linked.items()}
        texts = {node.mem_id: texts[node.mem_id] for node in tree.css("link, style") if node.mem_id in texts}
    return PageSheets(
        tuple(filter(None, texts.values())),
        () if scripted else _named(own, known, used),
        unread=len(links) > MAX_LINK_ELEMENTS or any(each.url not in used for each in named),
    )


def _named(
    own: Sequence[CanonicalUrl], known: Mapping[str, str], used: Mapping[CanonicalUrl, str]
) -> tuple[NamedSheet, ...]:
    """Return the sheets that are worth a request: none where there are too many, or they are too long together."""
    if len(own) > MAX_NAMED or (not used and all(url in known for url in own)):
        return ()
    return tuple(NamedSheet(url, url in used) for url in own)


def _used(own: Sequence[CanonicalUrl], known: Mapping[str, str], taken: int) -> dict[CanonicalUrl, str]:
    """Return the sheets in files with which a page is read: all of its own site, or none; `taken` characters are."""
    if len(own) > MAX_NAMED or any(url not in known for url in own):
        return {}
    used = {url: known[url] for url in own}
    return used if taken + sum(map(len, used.values())) <= MAX_SHEET_CHARS else {}


def _linked(node: LexborNode, base: BaseUrl, address: BaseUrl) -> _SheetLink | None:
    """Return the sheet to which an element leads; None where it leads to none, or a reader has to choose it."""
    rel = (node.attributes.get("rel") or "").lower().split()
    if "stylesheet" not in rel or "alternate" in rel:
        return None
    at_times = not is_for_screens(node) or "disabled" in node.attributes
    return _SheetLink(own_sheet(node.attributes.get("href") or "", base, address), at_times)


def _imported(css: str, base: BaseUrl, address: BaseUrl) -> list[_SheetLink]:
    return [_SheetLink(own_sheet(name, base, address), media not in SCREENS) for name, media in imported_sheets(css)]


def own_sheet(name: str, base: BaseUrl, address: BaseUrl) -> CanonicalUrl | None:
    """Return a sheet of the site of `address`, by its name there; None where it is none."""
    url = base.resolve(name)
    if not isinstance(url, str):
        return None
    url = url.partition("#")[0]
    if not url.partition("?")[0].lower().endswith(SHEET_ENDING):
        return None
    try:
        sheet = canonicalize(url)
        return sheet if site_of(sheet) == site_of(canonicalize(address.url)) else None
    except UnusableUrl:
        return None
