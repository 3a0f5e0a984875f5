"""What does a page say about itself? Its fields, each from the best source, and the statements of its head.

**Fields.** Structured data comes first, then metas, then markup. The title is that of the document. Where the document
has none that shows, or an editor's default, og:title, the headline of the structured data or the first h1 replaces it.
The name of the site is removed from it if the page states that name. A name that no page states is learnt from the
titles of the site (`pages/content/site_template.py`).

The markup of the body has breadcrumbs, alternative texts of images, translations and dates. They are read from the one
tree, within bounds, and only where a cheap look at the bytes shows that they may exist. Breadcrumbs are microdata, or a
`nav` or list whose class or label says so. An image's `alt` is read where the image is content, and not in menus,
headers, footers and links.

**Head.** Its base, canonical URL, refresh and named metas count anywhere in the document (the book: even outside HEAD).
Only `rel=canonical` must be in the head, because in the body it may be a reader's comment (Google). Two different
canonical URLs count as none. The server may name the canonical URL too: `Link: <https://…>; rel="canonical"` (RFC 8288,
RFC 6596). That works for files of any type. For HTML it counts like the link element. References in it are relative to
the page's own URL, whatever its `<base>` says. A link with another context (`anchor`) is about another page.

An `http-equiv` replaces a header that the server did not send. Five of them count: refresh, content-type (its charset:
encoding.py), content-language, x-robots-tag and expires. docs/robots.md lists the others, with the reasons.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from unicodedata import category

from extension_points import added_fields, read_added_fields
from pages.content.site_template import without_name
from pages.links import MAX_BASE_CHARS, Anchor, BaseUrl, escaped_octets
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
from robots.freshness import http_date
from robots.page_controls import FOR_X_ROBOTS_TAG, X_ROBOTS_TAG
from urls.canonical import canonical_or_none
from urls.records import revised

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from urls.records import Page


MAX_METAS = 500  # of a page that are looked at; real ones have under 50
MAX_LINK_ELEMENTS = 2000  # of a head that are looked at; real ones have under 300
# What editors and tools write where nobody gave a title.
_NO_TITLES = frozenset({"untitled", "untitled document", "untitled page", "no title", "new page 1", "document"})

_ACTING = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")  # but no tab
_WITHOUT_INK = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and a symbol that show nothing


def has_ink(text: str) -> bool:
    """Return whether a text shows anything: a title of zero-width spaces would be a link that nobody sees."""
    return any(category(character)[0] in "LNPS" and character not in _WITHOUT_INK for character in text)


def inert(line: str) -> str:
    """Return a line without what would act on a terminal or on the text beside it: controls, turns of direction."""
    return line if line.isprintable() else _ACTING.sub("", line)


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
        others = (self.meta("og:title", "twitter:title"), self.structured.headline, self.first_heading)
        found = next(filter(has_ink, (usable, *others, written)), "")
        return without_name(found, self.site_name)

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
    added, untold = read_added_fields(tree) if added_fields() else ((), ())
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
MAX_READ_CHARS = 2_000  # of the text of a date or a step, with the blanks of its markup
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
    texts = (
        [words(part, MAX_READ_CHARS) for part in parts[: MAX_CRUMBS + 1]]
        if parts
        else _BETWEEN_STEPS.split(words(node, MAX_CRUMBS * MAX_READ_CHARS))
    )
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
    return attributes.get("datetime") or attributes.get("content") or words(node, MAX_READ_CHARS)


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


MAX_DESCRIPTION_CHARS = 1000  # results pages show 160 to 300
MANY_METAS = 1000  # of a page; real ones have under 50
MAX_KEYWORDS = 100  # a page; real lists have 5 to 20, stuffed ones thousands
MAX_KEYWORD_CHARS = 100
MAX_REFRESH_CHARS = 4096  # a refresh is a number and a URL
MAX_REFRESHES = 100  # a page, that are looked at
MAX_REFRESHES_TOLD = 3  # a page
MAX_REFRESH_SECONDS = 2**31 - 1  # longer than any browser waits
# HTML, shared declarative refresh steps: digits or a point, a separator, perhaps `url=`, perhaps quotes.
_REFRESH = re.compile(r"\s*(?=[0-9.])([0-9]*+)[0-9.]*+(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
# Annotations that tell of another version of the page, not of its one address (Google, canonical URLs).
_OF_A_VERSION = ("hreflang", "lang", "media", "type")
_COMMAS = re.compile("[,\uff0c\u3001]")  # ASCII, full width, ideographic
MAX_LINK_HEADER_CHARS = 8192  # of one header line; real ones have under 1,000
_LINK = re.compile(r'<([^<>]*)>((?:[^,"<]|"[^"]*(?:"|$))*)')
_PARAMETER = re.compile(r';\s*([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]*))')


def read_metas(metas: Iterable[LexborNode]) -> tuple[tuple[tuple[str, str], ...], list[LexborNode]]:
    """Return (name, content) of each `<meta name>`, and the elements that replace a header, both as in the document.

    A replacement of an X-Robots-Tag is among the names. Beyond MANY_METAS elements, repeated ones count once.
    """
    named, for_headers = [], []
    for node in metas:
        attributes = node.attributes
        name = attributes.get("name")
        if "http-equiv" in attributes:  # of most pages one or none, so that the others are looked at once
            for_headers.append(node)
            name = FOR_X_ROBOTS_TAG if _equivalent(attributes) == X_ROBOTS_TAG else name
        if name:
            named.append((name.strip(), attributes.get("content") or ""))
    return tuple(named if len(named) <= MANY_METAS else dict.fromkeys(named)), for_headers


def _equivalent(attributes: Mapping[str, str | None]) -> str:
    """Return the name of the header that a meta replaces, in lower case."""
    said = attributes.get("http-equiv")
    return said.strip().lower() if said else ""


def http_equiv_of(header: str, metas: Iterable[LexborNode]) -> str:
    """Return the content of the first `http-equiv` of that name, which replaces a header; the name is in lower case."""
    said = (node.attributes.get("content") or "" for node in metas if _equivalent(node.attributes) == header)
    return next(said, "").strip()


def one_language(content: str) -> str:
    """Return the language that a Content-Language names; empty where it names several (HTML, pragma-set default)."""
    return "" if "," in content else content.strip().partition(" ")[0]


def in_future(date: str, now: float) -> float | None:
    """Return the date of an `expires` in seconds since the epoch; None where it is none or over: "don't cache me"."""
    until = http_date(date)
    return until.timestamp() if until is not None and until.timestamp() > now else None


def first_base(bases: Iterable[LexborNode], address: BaseUrl) -> BaseUrl | None:
    """Return the first `<base href>`, which applies to earlier links too; None where it is no http(s) URL.

    HTML, 4.2.3: later ones don't count, even where the first is unusable; the page's own address then is the base.
    """
    href = next((node.attributes["href"] or "" for node in bases if "href" in node.attributes), "")
    target = address.resolve(href)
    if not href.strip() or not isinstance(target, str) or len(target) > MAX_BASE_CHARS:
        return None
    return BaseUrl.of(target.partition("#")[0], is_page=False, codec=address.codec)


def canonical(links: Iterable[LexborNode], base: BaseUrl) -> tuple[str | None, tuple[str, ...]]:
    """Return the canonical address that the head names, if it names one, and a warning if it names several."""
    targets = {
        base.resolve(node.attributes.get("href") or "")
        for node in links
        if "canonical" in (node.attributes.get("rel") or "").lower().split()
        and node.parent is not None
        and node.parent.tag == "head"
        and node.attributes.get("href")
        and not any(name in node.attributes for name in _OF_A_VERSION)
    }
    return only_one({target for target in targets if isinstance(target, str)})


def canonical_targets(headers: Sequence[tuple[str, str]], address: BaseUrl) -> set[str]:
    """Return the absolute http(s) URLs that Link headers call canonical; `address` is where the page was fetched."""
    found = (address.resolve(escaped_octets(reference)) for reference in _canonical_references(headers))
    return {target for target in found if isinstance(target, str)}


def _canonical_references(headers: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, value in headers:
        if name.lower() != "link":
            continue
        for reference, parameters in _LINK.findall(value[:MAX_LINK_HEADER_CHARS]):
            values: dict[str, str] = {}
            for key, quoted, bare in _PARAMETER.findall(parameters):
                values.setdefault(key.lower(), quoted or bare)  # RFC 8288, 3.3: only the first rel counts
            if "canonical" in values.get("rel", "").lower().split() and reference.strip() and "anchor" not in values:
                yield reference


def only_one(named: Collection[str]) -> tuple[str | None, tuple[str, ...]]:
    """Return the canonical URL if there is one, in any spellings, or a warning if there are several."""
    known = {_same_address(address): address for address in sorted(named)}
    if len(known) > 1:
        return None, (f"{len(known)} different canonical addresses: none is believed",)
    return next(iter(known.values()), None), ()


def _same_address(address: str) -> str:
    return canonical_or_none(address) or address


@dataclass(frozen=True, slots=True)
class Refreshes:
    """The content of each `http-equiv=refresh` of a document; `unscripted`: those in noscript.

    Browsers follow the scripts instead, so these are links and redirect no reader.
    """

    contents: tuple[str, ...] = ()
    unscripted: tuple[str, ...] = ()

    def first(self, base: BaseUrl) -> tuple[int, str] | None:
        """Return the first that leads somewhere."""
        return next(filter(None, (refresh_target(value, base) for value in self.contents)), None)

    def links(self, base: BaseUrl) -> tuple[Anchor, ...]:
        """Return where those in noscript lead."""
        targets = [target for _, target in filter(None, (refresh_target(value, base) for value in self.unscripted))]
        return tuple(map(Anchor, targets[:MAX_REFRESHES_TOLD]))


def refreshes(metas: Iterable[LexborNode]) -> Refreshes:
    """Return what each `http-equiv=refresh` says."""
    found: tuple[list[str], list[str]] = [], []
    said = (node for node in metas if _equivalent(node.attributes) == "refresh")
    for node in islice(said, MAX_REFRESHES):
        found[_is_in_noscript(node)].append(node.attributes.get("content") or "")
    return Refreshes(tuple(found[False]), tuple(found[True]))


def _is_in_noscript(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and parent.tag != "noscript":
        parent = parent.parent
    return parent is not None


def refresh_target(value: str, base: BaseUrl) -> tuple[int, str] | None:
    """Read `1; URL=index.html`: seconds and an absolute http(s) URL. A page that only reloads itself goes nowhere."""
    seconds, target = _refresh_parts(value)
    resolved = base.resolve(target) if target else None
    return (seconds, resolved) if isinstance(resolved, str) else None


def lost_refreshes(values: Iterable[str], base: BaseUrl) -> tuple[str, ...]:
    """Return warnings for the first few refreshes without an http(s) URL."""
    targets = [target for _, target in map(_refresh_parts, values) if target]
    lost = [target for target in targets if not isinstance(base.resolve(target), str)][:MAX_REFRESHES_TOLD]
    return tuple(f"its refresh to {target[:200]!r} is not followed: no http(s) address" for target in lost)


def _refresh_parts(value: str) -> tuple[int, str]:
    """Return seconds and target as they are written; the target is empty where there is none."""
    match = _REFRESH.fullmatch(value[:MAX_REFRESH_CHARS])
    if not match:
        return 0, ""
    seconds, target = match.groups()
    if target[:1] in ("'", '"'):
        target = target[1:].partition(target[0])[0]
    return min(int(seconds or 0), MAX_REFRESH_SECONDS), target.strip()


def keywords(content: str) -> tuple[str, ...]:
    """Split at commas (the book), without repeats."""
    words: Sequence[str] = [" ".join(part.split())[:MAX_KEYWORD_CHARS] for part in _COMMAS.split(content)]
    return tuple(dict.fromkeys(filter(None, words)))[:MAX_KEYWORDS]
