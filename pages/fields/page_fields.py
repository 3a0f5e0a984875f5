"""What does a page say about itself? Each field from the source that knows best: structured data, metas, then markup.

The title is that of the document; where it has none, or only what an editor put there, og:title, the headline or the
first h1. The name of the site is cut off where the page says it; a name that no page says is learnt from the titles of
the site (`pages/content/site_name.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from extension_points import added_fields, read_added_fields
from pages.content.site_name import without_name
from pages.fields import dates, markup
from pages.fields.structured_data import MAX_NAME_CHARS, NOTHING, StructuredData
from pages.head import MAX_DESCRIPTION_CHARS
from pages.visible_text import words
from urls.revised_page import revised

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pages.links.reference import BaseUrl
    from urls.records import Page

MAX_METAS = 500  # of a page that are looked at; real ones have under 50
MAX_LINK_ELEMENTS = 2000  # of a head that are looked at; real ones have under 300
# What editors and tools write where nobody gave a title.
_NO_TITLES = frozenset({"untitled", "untitled document", "untitled page", "no title", "new page 1", "document"})


@dataclass(frozen=True, slots=True)
class PageFields:
    """What the markup says about its page; `metas` are (name or property in lower case, content), of each the first."""

    metas: tuple[tuple[str, str], ...] = ()
    first_heading: str = ""
    published: tuple[dates.Said, ...] = ()  # by microdata and time elements
    modified: tuple[dates.Said, ...] = ()
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
        """What its structured data is, in words that are shown."""
        social = ("Open Graph",) if any(name.startswith("og:") for name, _ in self.metas) else ()
        return (*(f"JSON-LD {kind}" for kind in self.structured.types), *self.microdata, *social)

    def published_at(self, fetched_at: float) -> dates.Dated:
        """Return when it was published; `fetched_at` is in seconds since the epoch."""
        said = [*self.structured.published, *dates.in_metas(self.metas, dates.PUBLISHED), *self.published]
        return dates.first_date(said, fetched_at)

    def modified_at(self, fetched_at: float) -> dates.Dated:
        """Return when it was last changed, by its own word."""
        said = [*self.structured.modified, *dates.in_metas(self.metas, dates.MODIFIED), *self.modified]
        return dates.first_date(said, fetched_at)


def read_fields(
    tree: LexborHTMLParser, lowered: bytes, found: dict[str, list[LexborNode]], base: BaseUrl
) -> PageFields:
    """Read a tree before anything is removed from it; `found` has its elements by the job that they do."""
    links = found["link"][:MAX_LINK_ELEMENTS]
    has_microdata = b"itemprop" in lowered
    alternates, warnings = markup.alternates(links, base)
    added, untold = read_added_fields(tree) if _is_extended() else ((), ())
    if len(found["link"]) > len(links):
        warnings += (f"{len(found['link'])} link elements: only the first {MAX_LINK_ELEMENTS} were looked at",)
    return PageFields(
        metas=_named(found["meta"][:MAX_METAS]),
        first_heading=next((words(node)[:MAX_NAME_CHARS] for node in found["headings"] if node.tag == "h1"), ""),
        published=(
            *(markup.microdata_dates(tree, lowered, "datePublished") if has_microdata else ()),
            *(markup.time_elements(tree) if found["time"] else ()),
        ),
        modified=tuple(markup.microdata_dates(tree, lowered, "dateModified")) if has_microdata else (),
        breadcrumbs=markup.breadcrumb_steps(tree, lowered),
        microdata=markup.microdata_types(tree, lowered),
        pictures=markup.pictures(found["images"]),
        alternates=alternates,
        marked=markup.marked_lines(tree, lowered),
        added=added,
        warnings=(*warnings, *untold),
    )


@cache
def _is_extended() -> bool:
    """Return whether an extension adds fields. It is asked at the first page: while modules load, none is complete."""
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
