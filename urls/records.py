"""What travels from a fetch to the index? A `Page`, or an `Outcome`, a `Sitemap` or a `Stylesheet` in its place.

Every lease of a URL ends in exactly one of the four. All of them are frozen: a stage that adds something makes a new
record, so no stage can change what another stage has already checked.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NewType

from robots import PageControls, Wish
from urls.rules import Rule
from urls.signals import NO_DISGUISE, Disguise
from urls.wording import ExplainedWord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from urls.signals import Signal

__all__ = [
    "MAX_HOPS",
    "NO_SHEETS",
    "NO_SUCH_PAGE",
    "REDIRECTS",
    "CanonicalUrl",
    "FoundBy",
    "LeaseEnd",
    "Link",
    "NamedSheet",
    "Outcome",
    "Page",
    "Refusal",
    "Sitemap",
    "SitemapEntry",
    "Stylesheet",
    "reason_hidden",
    "refusal_of_controls",
    "revised",
]

CanonicalUrl = NewType("CanonicalUrl", str)  # a URL in the one form under which it is known


class FoundBy(ExplainedWord):
    """How was a URL found? The word of the column `url.found_by`, and a sentence; {page} is where it was found."""

    SEED = "seed", "It is a seed"
    SUBMIT = "submit", "A person submitted it"
    LINK = "link", "Linked from {page}"
    REDIRECT = "redirect", "Redirected to by {page}"
    REFRESH = "refresh", "Refreshed to by {page}"
    CANONICAL = "canonical", "Named as the canonical address by {page}"
    SITEMAP = "sitemap", "It is in the sitemap {page}"
    SITEMAP_LINE = "sitemap-line", "A robots.txt names it as a sitemap"
    SITEMAP_INDEX = "sitemap-index", "It is in the sitemap index {page}"
    ALIAS = "alias", "It is the name, by an option of the site, of {page}"
    ARCHIVE = "archive", "An archive that was imported holds it"
    PROBE = "probe", "Breadcrumb made it up, to see whether there is a page for any name, after {page}"
    STYLESHEET = "stylesheet", "Named as a stylesheet by {page}"

    @property
    def is_root_set(self) -> bool:
        """Whether a person named the URL: it is where a crawl begins."""
        return self in {FoundBy.SEED, FoundBy.SUBMIT}


class Link(NamedTuple):
    """A link as a page shows it: `url` is absolute (resolved against the base), not yet canonical.

    A page has some hundred of them: a tuple is made, and sent to another process, in a third of a record's time.
    """

    url: str
    text: str = ""
    nofollow: bool = False
    around: str = ""  # where its text says nothing ("here"): the same between the words beside it

    @property
    def words(self) -> str:
        """The text that describes its target."""
        return self.around or self.text


@dataclass(frozen=True, slots=True)
class Refusal:
    """A decision against a page or a URL: the `rule` is a short fixed word, the `reason` a sentence."""

    rule: Rule
    reason: str


def refusal_of_controls(controls: PageControls, at: datetime) -> Refusal | None:
    """Return why the controls of a page keep it out of an index at that moment, or None. Rules: noindex, expired."""
    if not controls.index:
        asked_by = controls.asked_by("noindex", "none") or "a robots meta element or an X-Robots-Tag header"
        return Refusal(Rule.NOINDEX, f"{asked_by} says noindex")
    if controls.expires is not None and controls.expires <= at:
        date, by = f"{controls.expires:%Y-%m-%d %H:%M} UTC", controls.expiry_asked_by
        return Refusal(Rule.EXPIRED, f"unavailable_after {date} has passed{f', from {by}' if by else ''}")
    return None


def reason_hidden(refusals: Sequence[Refusal], controls: PageControls, at: datetime) -> Refusal | None:
    """Return why a stored page is no result at that moment, or None: what it was refused for, or a date since passed.

    A search decides the same from what it can ask of a thousand pages: the refusals alone, and the dates in the index.
    """
    return refusals[0] if refusals else refusal_of_controls(controls, at)


@dataclass(frozen=True, slots=True)
class Page:
    """A page on its way to the index: each stage fills its part of the fields, and copies the others.

    It is one record and no chain of three, because an index or a filter accepts a page of any stage, and the parts that
    it lacks have their defaults.

    `text` is the main text, with one blank between words and a line break between blocks; `snippet_text` is the same
    without what `data-nosnippet` hides, or None when nothing is hidden. `template_text` is the rest of what a reader
    sees: menus, header, footer. `layout` says how the lines of both follow each other (pages/text/layout.py).
    `fetched_at` is in seconds since the epoch. `body` holds the decoded bytes as they came from the server.
    """

    url: CanonicalUrl
    title: str
    text: str

    # The response:
    fetched_at: float = 0.0
    status: int = 200
    content_type: str = ""
    etag: str = ""
    last_modified: str = ""
    seconds: float = 0.0  # how long the fetch took
    cut_off: bool = False  # its connection was cut: it may be the beginning of a longer page
    headers: tuple[tuple[str, str], ...] = ()  # the header lines that a second parse needs
    body: bytes = b""
    received: int | None = None  # bytes of the response, where `body` is what its scripts have made of it

    # The parse:
    encoding: str = ""
    encoding_reason: str = ""  # a clause after "because"
    headings: tuple[str, ...] = ()
    description: str = ""
    keywords: tuple[str, ...] = ()  # of its meta: shown, and counted nowhere
    site_name: str = ""  # as the page states it; it is not part of the title
    published: float | None = None  # seconds since the epoch, as the page states it
    published_by: str = ""  # the source of that, such as "JSON-LD datePublished"
    modified: float | None = None
    modified_by: str = ""
    breadcrumbs: tuple[str, ...] = ()  # the path to it, as the page shows it
    pictures: tuple[str, ...] = ()  # their alternative texts
    alternates: tuple[tuple[str, str], ...] = ()  # (language tag, URL) of its translations, as the page states them
    data_types: tuple[str, ...] = ()  # what its structured data describes, such as Article
    added_fields: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of extensions: name and values
    language: str = ""  # ISO 639-1, of most of the text; empty: not known
    languages: tuple[tuple[str, float], ...] = ()  # if its blocks use several: each with its share of the text
    links: tuple[Link, ...] = ()
    links_cut: int = 0  # links beyond the limit a page, which were counted and not kept
    base: str = ""
    canonical: str | None = None
    refresh: tuple[int, str] | None = None  # seconds, absolute URL
    outdated_at: float | None = None  # seconds since the epoch: until then the page states that it does not change
    snippet_text: str | None = None
    template_text: str = ""
    layout: str = ""
    withheld: tuple[tuple[int, str], ...] = ()  # number of a line, and what `data-nosnippet` leaves of it
    sections: tuple[tuple[int, int, str], ...] = ()  # number of its first line, level and id (pages/text/layout.py)
    controls: PageControls = field(default_factory=PageControls)
    disguise: Disguise = NO_DISGUISE  # the text in its markup that no reader sees
    sheets: tuple[NamedSheet, ...] = ()  # the stylesheets of its own site that it names, if they may hide text
    warnings: tuple[str, ...] = ()  # what the parse cut or repaired, a sentence each

    # The filters; a parser may refuse a page, too:
    refusals: tuple[Refusal, ...] = ()  # why it is not indexed; empty: it is
    site_template: int = 0  # version of the template of its site that divided the lines; 0: none was known
    fingerprint: bytes = b""
    signature: bytes = b""  # MinHash of the text (pages/content/similarity.py); empty: too short to be compared
    duplicate_of: CanonicalUrl | None = None
    own_menu: bool = False  # a duplicate in another template, whose links may lead elsewhere
    signals: tuple[Signal, ...] = ()  # of spoofing
    residue: int = 0  # a key of its text without the words of its name, which doorways share; 0: none
    lead: str = ""  # the one other host that it links to

    # The crawl database, where the page is read from it:
    anchors: tuple[str, ...] = ()  # distinct texts of the links to it
    not_fetched: str = ""  # why there was no fetch, a clause: then only its anchors are known
    cluster: int | None = None  # near duplicates share one (crawldb/pages/clusters.py)
    near_duplicate_of: CanonicalUrl | None = None  # canonical of its cluster; when read, another one
    resemblance: float = 0.0  # to the centre of its cluster, if that has other pages

    @property
    def size(self) -> int:
        """Bytes of the response."""
        return len(self.body) if self.received is None else self.received

    @property
    def visible_text(self) -> str:
        """All that a reader sees, main text or not."""
        return "\n".join(filter(None, (self.text, self.template_text)))


_FIELDS = tuple(each.name for each in fields(Page))
_field_values = attrgetter(*_FIELDS)
_SETTERS = {name: getattr(Page, name).__set__ for name in _FIELDS}  # of its slots

if TYPE_CHECKING:  # with the types of what it replaces
    from dataclasses import replace as revised
else:

    def revised(page: Page, **changes: Any) -> Page:
        """Return a copy of a page with these fields changed, or the page itself if nothing changes.

        It does what `dataclasses.replace` does in a third of the time: that one calls the constructor with each of the
        fifty fields by name, and a page passes a dozen stages.
        """
        if all(getattr(page, name) is value for name, value in changes.items()):
            return page
        copy = object.__new__(Page)
        for set_field, value in zip(_SETTERS.values(), _field_values(page), strict=True):
            set_field(copy, value)
        for name, value in changes.items():
            _SETTERS[name](copy, value)
        return copy


class LeaseEnd(Enum):
    """How a lease can end without a page."""

    NOT_MODIFIED = "not modified"
    MOVED = "moved"
    GONE = "gone"
    REFUSED = "refused"
    DEFERRED = "deferred"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a lease ended without a page. `rule` is a short fixed word that the journal keeps, `reason` a sentence."""

    url: CanonicalUrl
    fate: LeaseEnd
    rule: Rule
    reason: str
    status: int | None = None  # the HTTP status code, None when there was no answer
    target: str | None = None  # MOVED: the absolute URL it leads to
    retry_after: float | None = None  # DEFERRED: seconds to wait
    fetched_at: float = 0.0
    seconds: float = 0.0
    size: int = 0  # bytes of the body that came
    wishes: tuple[Wish, ...] | None = None  # NOT_MODIFIED: what its X-Robots-Tag lines ask; None: it has none
    conditional: bool = False  # NOT_MODIFIED: the request named the stored copy, to which the answer refers
    requested: bool = True  # False: the URL was refused before any request was sent
    whole_origin: bool = False  # DEFERRED: every queued URL of its scheme, host and port has to wait as well


REDIRECTS = frozenset({301, 302, 303, 307, 308})  # status codes with the URL in Location (RFC 9110, 15.4)
NO_SUCH_PAGE = range(400, 500)  # status codes: what was requested is not there, or not for us
MAX_HOPS = 10  # redirects in a row; browsers give up at 20, RFC 9110 names no number


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """An address as a sitemap lists it: absolute if all is well, not yet canonical."""

    url: str
    lastmod: float | None = None  # when it changed, in seconds since the epoch; None: nothing usable was said


@dataclass(frozen=True, slots=True)
class Sitemap:
    """A fetched sitemap file after its parse: the third way in which a lease can end.

    `entries` are pages, `children` the sitemaps that an index lists; only one of the two is ever there.
    """

    url: CanonicalUrl
    form: str  # urlset, index, text, rss, atom; empty: it is no sitemap at all
    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[SitemapEntry, ...] = ()
    beyond: int = 0  # entries beyond the limit a file, which were counted and not kept
    warnings: tuple[str, ...] = ()  # what is wrong with the file, a sentence each
    fetched_at: float = 0.0
    status: int = 200
    etag: str = ""
    last_modified: str = ""
    seconds: float = 0.0  # how long the fetch took
    size: int = 0  # bytes as they came


NO_SHEETS: Mapping[str, str] = MappingProxyType({})  # none is known


class NamedSheet(NamedTuple):
    """A stylesheet of its own site that a page names; `is_read`: the page was read with it."""

    url: CanonicalUrl
    is_read: bool


@dataclass(frozen=True, slots=True)
class Stylesheet:
    """A fetched stylesheet after its parse: the fourth way in which a lease can end."""

    url: CanonicalUrl
    css: str | None  # the rules that say how text shows; None: it can't be used
    reason: str = ""  # why not, a clause
    imports: tuple[CanonicalUrl, ...] = ()  # the sheets that it imports
    fetched_at: float = 0.0
    status: int = 200
    etag: str = ""
    last_modified: str = ""
    seconds: float = 0.0  # how long the fetch took
    size: int = 0  # bytes as they came
