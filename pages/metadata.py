"""What does a page say about itself? Each field comes from the best source: structured data, then metas, then markup.

The title is that of the document. Where the document has none, or an editor's default, og:title, the headline of
the structured data or the first h1 replaces it. The name of the site is removed from it if the page states that name.
A name that no page states is learnt from the titles of the site (`pages/content/site_template.py`).

The markup of the body has breadcrumbs, alternative texts of images, translations and dates. They are read from the one
tree, within bounds, and only where a cheap look at the bytes shows that they may exist. Breadcrumbs are microdata, or a
`nav` or list whose class or label says so. An image's `alt` is read where the image is content, and not in menus,
headers, footers and links.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from extension_points import added_fields, read_added_fields
from pages.content.site_template import without_name
from pages.head import MAX_DESCRIPTION_CHARS
from pages.structured_data import (
    MAX_CRUMB_CHARS,
    MAX_CRUMBS,
    MAX_NAME_CHARS,
    MAX_TYPES,
    MODIFIED,
    NOTHING,
    PUBLISHED,
    PageDate,
    StatedDate,
    StructuredData,
    first_date,
    meta_dates,
)
from pages.text.visible_text import UNSEEN, lines_within, words
from urls.records import revised

if TYPE_CHECKING:
    from collections.abc import Iterable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pages.links import BaseUrl
    from urls.records import Page


MAX_METAS = 500  # of a page that are looked at; real ones have under 50
MAX_LINK_ELEMENTS = 2000  # of a head that are looked at; real ones have under 300
# What editors and tools write where nobody gave a title.
_NO_TITLES = frozenset({"untitled", "untitled document", "untitled page", "no title", "new page 1", "document"})


@dataclass(frozen=True, slots=True)
class PageFields:
    """The statements of the markup about its page; `metas` are the first (name or property, content) of each name."""

    metas: tuple[tuple[str, str], ...] = ()
    first_heading: str = ""
    published: tuple[StatedDate, ...] = ()  # by microdata and time elements
    modified: tuple[StatedDate, ...] = ()
    breadcrumbs: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    alternates: tuple[tuple[str, str], ...] = ()
    microdata: tuple[str, ...] = ()  # what its microdata describes
    marked: tuple[tuple[str, str], ...] = ()  # lines of text, with the `lang` of their element
    structured: StructuredData = NOTHING
    added: tuple[tuple[str, tuple[str, ...]], ...] = ()  # what extensions read: name and values of a field
    warnings: tuple[str, ...] = ()

    def meta(self, *names: str) -> str:
        """Return what the first of these metas that is there says, on one line."""
        said = dict(self.metas)
        return " ".join(next(filter(None, (said.get(name, "") for name in names)), "").split())

    @property
    def site_name(self) -> str:
        """The name of the site, by the page's own word."""
        return self.meta("og:site_name", "application-name")[:MAX_NAME_CHARS] or self.structured.site_name

    def title(self, written: str) -> str:
        """Return the title of the page, of which the document has `written` one, without the name of the site."""
        usable = "" if written.casefold() in _NO_TITLES else written
        found = usable or self.meta("og:title", "twitter:title") or self.structured.headline or self.first_heading
        return without_name(found or written, self.site_name)

    @property
    def data_types(self) -> tuple[str, ...]:
        """The types of its structured data, as people see them."""
        social = ("Open Graph",) if any(name.startswith("og:") for name, _ in self.metas) else ()
        return (*(f"JSON-LD {kind}" for kind in self.structured.types), *self.microdata, *social)

    def published_at(self, fetched_at: float) -> PageDate:
        """Return when it was published; `fetched_at` is in seconds since the epoch."""
        said = [*self.structured.published, *meta_dates(self.metas, PUBLISHED), *self.published]
        return first_date(said, fetched_at)

    def modified_at(self, fetched_at: float) -> PageDate:
        """Return when it was last changed, by its own word."""
        said = [*self.structured.modified, *meta_dates(self.metas, MODIFIED), *self.modified]
        return first_date(said, fetched_at)


def read_fields(
    tree: LexborHTMLParser, lowered: bytes, found: dict[str, list[LexborNode]], base: BaseUrl
) -> PageFields:
    """Read a tree before anything is removed from it; `found` has its elements by the job that they do."""
    links = found["link"][:MAX_LINK_ELEMENTS]
    has_microdata = b"itemprop" in lowered
    alternates, warnings = read_alternates(links, base)
    added, untold = read_added_fields(tree) if _is_extended() else ((), ())
    if len(found["link"]) > len(links):
        warnings += (f"{len(found['link'])} link elements: only the first {MAX_LINK_ELEMENTS} were looked at",)
    return PageFields(
        metas=_named(found["meta"][:MAX_METAS]),
        first_heading=next((words(node)[:MAX_NAME_CHARS] for node in found["headings"] if node.tag == "h1"), ""),
        published=(
            *(microdata_dates(tree, lowered, "datePublished") if has_microdata else ()),
            *(time_elements(tree) if found["time"] else ()),
        ),
        modified=tuple(microdata_dates(tree, lowered, "dateModified")) if has_microdata else (),
        breadcrumbs=breadcrumb_steps(tree, lowered),
        microdata=microdata_types(tree, lowered),
        pictures=pictures(found["images"]),
        alternates=alternates,
        marked=marked_lines(tree, lowered),
        added=added,
        warnings=(*warnings, *untold),
    )


@cache
def _is_extended() -> bool:
    """Return whether an extension adds fields. It runs at the first page: while modules load, none is complete."""
    return bool(added_fields())


def _named(metas: list[LexborNode]) -> tuple[tuple[str, str], ...]:
    named: dict[str, str] = {}
    for node in metas:
        attributes = node.attributes
        name = (attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or "").strip()
        if name:
            named.setdefault(name.lower(), attributes.get("content") or "")
    return tuple(named.items())


def with_fields(page: Page, fields: PageFields, *, title: str, description: str) -> Page:
    """Return the page with all that it says about itself; `title` and `description` are those of the document."""
    published, modified = fields.published_at(page.fetched_at), fields.modified_at(page.fetched_at)
    return revised(
        page,
        title=fields.title(title),
        description=description or fields.meta("og:description", "twitter:description")[:MAX_DESCRIPTION_CHARS],
        site_name=fields.site_name,
        published=published.at,
        published_by=published.where,
        modified=modified.at,
        modified_by=modified.where,
        breadcrumbs=fields.structured.breadcrumbs or fields.breadcrumbs,
        pictures=fields.pictures,
        alternates=fields.alternates,
        data_types=fields.data_types,
        added_fields=fields.added,
    )


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


def microdata_dates(tree: LexborHTMLParser, lowered: bytes, name: str) -> list[StatedDate]:
    """Return what `itemprop` elements of that name say, such as datePublished."""
    if name.lower().encode() not in lowered:
        return []
    nodes = tree.css(f'[itemprop="{name}"]')[:MAX_DATED]
    return [StatedDate(_dated_text(node), f"microdata {name}") for node in nodes]


def microdata_types(tree: LexborHTMLParser, lowered: bytes) -> tuple[str, ...]:
    """Return what the microdata of a page describes, as it is shown."""
    if b"itemtype" not in lowered:
        return ()
    kinds = (node.attributes.get("itemtype") or "" for node in tree.css("[itemtype]")[:MAX_DATED])
    names = (kind.strip().rpartition("/")[2][:MAX_LANGUAGE_CHARS] for kind in kinds)
    return tuple(f"microdata {name}" for name in dict.fromkeys(filter(None, names)))[:MAX_TYPES]


def time_elements(tree: LexborHTMLParser) -> list[StatedDate]:
    """Return the `<time>` in the head of an article, or marked as its date of publication."""
    nodes = tree.css("time[pubdate], article header time[datetime], main header time[datetime]")[:MAX_DATED]
    return [StatedDate(_dated_text(node), "a time element in the head of its article") for node in nodes]


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


def read_alternates(links: Iterable[LexborNode], base: BaseUrl) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
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
