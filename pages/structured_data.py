"""What do the JSON-LD and the dates of a page say? Words of schema.org, and when the page was published and changed.

JSON-LD is read only where the markup holds `ld+json`, and from the text before any parser, without comments. Python's
JSON reader reads a block, and a walk with its own stack follows, so neither depth nor size does harm. A block may
describe many things (comments, other articles, videos). Only those that are the page itself count.

The order of the sources of a date is that of trust. Structured data is written for programs, about this page. Metas are
too, but templates copy them. A `<time>` may belong to anything on the page, so only one in an article's head counts.
Last-Modified is often the time of the response: it is shown where a page has no date of its own, and has no effect.
Impossible dates (before the web, or after the fetch) are ignored.
"""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from robots.page_controls import date_of
from urls.wording import counted, whole_characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


MAX_BLOCKS = 20  # of JSON-LD a page; real pages have one to five
MAX_BLOCK_CHARS = 256 * 1024  # of all blocks of a page together; real ones have under 20 kB
MAX_ITEMS = 2000  # objects of a page that are looked at
MAX_TYPES = 10  # kinds of things that are told
MAX_CRUMBS = 20  # steps of a trail; real ones have two to six
MAX_CRUMB_CHARS = 100
MAX_NAME_CHARS = 200  # of a headline or the name of a site

_BLOCK = re.compile(
    r"<!--(?:-?>|.*?(?:-->|\Z))"
    r"|<script(?=[\s/>])(?P<attributes>(?:[^\"'>]|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+)(?:>|\Z)(?P<json>.*?)(?:</script|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_IS_JSON_LD = re.compile(r"""type\s*+=\s*+["']?\s*+application/ld\+json""", re.IGNORECASE)
# What these name is another thing than the page.
_OTHERS = frozenset(
    [
        "author",
        "comment",
        "comments",
        "review",
        "reviews",
        "itemlistelement",
        "haspart",
        "ispartof",
        "mentions",
        "citation",
        "isbasedon",
        "video",
        "image",
        "associatedmedia",
        "subjectof",
        "relatedlink",
        "logo",
        "potentialaction",
        "suggestedanswer",
        "acceptedanswer",
        "offers",
        "about",
    ]
)
_SITES = frozenset({"WebSite"})


@dataclass(frozen=True, slots=True)
class StructuredData:
    """The content of the JSON-LD of a page. `types` are such as Article; `warnings` are sentences."""

    types: tuple[str, ...] = ()
    headline: str = ""
    site_name: str = ""
    published: tuple[StatedDate, ...] = ()
    modified: tuple[StatedDate, ...] = ()
    breadcrumbs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


NOTHING = StructuredData()


def read_structured_data(markup: str) -> StructuredData:
    """Read the JSON-LD of a document as it came."""
    if "ld+json" not in markup:
        return NOTHING
    blocks, warnings = _blocks(markup)
    return _told([item for block in blocks for item in _items(block)][:MAX_ITEMS], tuple(warnings))


def _blocks(markup: str) -> tuple[list[object], list[str]]:
    found: list[object] = []
    broken = cut = 0
    left = MAX_BLOCK_CHARS
    for script in _BLOCK.finditer(markup):
        if script["json"] is None or not _IS_JSON_LD.search(script["attributes"]):
            continue
        left -= len(script["json"])
        if left < 0 or len(found) + broken >= MAX_BLOCKS:
            cut += 1
            break
        try:
            found.append(json.loads(script["json"], strict=False))  # line breaks in strings are common
        except (ValueError, RecursionError):
            broken += 1
    warnings = [f"{counted(broken, 'block')} of JSON-LD can't be read: left aside"] if broken else []
    if cut:
        bound = f"{MAX_BLOCKS} blocks or {MAX_BLOCK_CHARS} characters"
        warnings.append(f"its JSON-LD has more than {bound}: the rest was left aside")
    return found, warnings


def _items(block: object) -> Iterator[dict[str, object]]:
    """Yield the objects that may be the page or its site, those above before those within."""
    waiting: deque[object] = deque([block])
    for _ in range(MAX_ITEMS):
        if not waiting:
            return
        value = waiting.popleft()
        if isinstance(value, list):
            waiting += value[:MAX_ITEMS]
        elif isinstance(value, dict):
            yield value
            waiting += [inner for name, inner in value.items() if name.lower() not in _OTHERS and _may_hold(inner)]


def _may_hold(value: object) -> bool:
    return isinstance(value, (dict, list))


def _told(items: list[dict[str, object]], warnings: tuple[str, ...]) -> StructuredData:
    types = tuple(dict.fromkeys(kind for item in items for kind in _types(item)))
    pages, sites = (
        [item for item in items if bool(_SITES.intersection(_types(item))) is is_site] for is_site in (False, True)
    )
    trails = [_trail(item) for item in items if "BreadcrumbList" in _types(item)]
    return StructuredData(
        types=types[:MAX_TYPES],
        headline=next(filter(None, (_text(item.get("headline")) for item in pages)), ""),
        site_name=next(filter(None, (_text(item.get("name")) for item in sites)), ""),
        published=_dates(pages, "datePublished") + _dates(pages, "dateCreated") + _dates(pages, "uploadDate"),
        modified=_dates(pages, "dateModified"),
        breadcrumbs=next(filter(None, trails), ()),
        warnings=warnings,
    )


def _dates(items: list[dict[str, object]], name: str) -> tuple[StatedDate, ...]:
    texts = (item.get(name) for item in items)
    return tuple(StatedDate(text, f"JSON-LD {name}") for text in texts if isinstance(text, str))[:MAX_TYPES]


def _storable(text: str) -> str:
    return whole_characters(text).replace("\0", "\ufffd")


def _types(item: dict[str, object]) -> tuple[str, ...]:
    kind = item.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    names = (word.rpartition("/")[2][:50] for word in kinds[:MAX_TYPES] if isinstance(word, str))
    return tuple(_storable(name) for name in names)


def _trail(item: dict[str, object]) -> tuple[str, ...]:
    """Return the names of a BreadcrumbList in the order of their positions."""
    steps = item.get("itemListElement")
    steps = steps if isinstance(steps, list) else [steps]
    named: list[tuple[float, str]] = []
    for place, step in enumerate(steps[:MAX_CRUMBS]):
        if not isinstance(step, dict):
            continue
        inner = step.get("item")
        name = _text(step.get("name")) or (_text(inner.get("name")) if isinstance(inner, dict) else "")
        position = step.get("position")
        number = str(position)
        at = float(number) if number.isascii() and number.isdigit() and len(number) < MAX_CRUMBS else float(place)
        if name:
            named.append((at, name[:MAX_CRUMB_CHARS]))
    return tuple(name for _, name in sorted(named, key=lambda step: step[0]))


def _text(value: object) -> str:
    """Return a text on one line; JSON-LD may wrap it into an object with its language, or a list."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        value = value.get("@value")
    return " ".join(_storable(value[:MAX_NAME_CHARS]).split()) if isinstance(value, str) else ""


FIRST_DATE = datetime(1990, 1, 1, tzinfo=UTC).timestamp()  # the web began
TOLERANCE = 24 * 3600.0  # seconds by which a date may lie after the fetch: clocks and time zones
MAX_DATE_CHARS = 64

# Names of metas, in the order in which they are believed (Open Graph; Dublin Core; what publishers use).
PUBLISHED = (
    "article:published_time", "og:published_time", "datepublished", "dcterms.issued", "dcterms.created",
    "dc.date.issued", "dcterms.date", "dc.date", "dc.date.created", "citation_publication_date", "citation_date",
    "parsely-pub-date", "sailthru.date", "pubdate", "publish-date", "publish_date", "date",
)  # fmt: skip
MODIFIED = (
    "article:modified_time", "og:updated_time", "og:modified_time", "datemodified", "dcterms.modified",
    "dc.date.modified", "last-modified", "revised",
)  # fmt: skip


class PageDate(NamedTuple):
    """A date in seconds since the epoch, and the place that says so, as it is shown; None and nothing: not known."""

    at: float | None = None
    where: str = ""


class StatedDate(NamedTuple):
    """A date as a document writes it, and where."""

    text: str
    where: str


def first_date(said: Iterable[StatedDate], fetched_at: float) -> PageDate:
    """Return the first that is a date and can be true; `fetched_at` is in seconds since the epoch, 0: not known."""
    for text, where in said:
        at = seconds_of(text)
        if at is not None and at >= FIRST_DATE and (not fetched_at or at <= fetched_at + TOLERANCE):
            return PageDate(at, where)
    return PageDate()


def seconds_of(text: str) -> float | None:
    """Read a date in one of the forms of ISO 8601 and HTTP, or `3 May 2024`, or `May 3, 2024`; None for no date."""
    text = " ".join(text[: 4 * MAX_DATE_CHARS].split())
    if not text or len(text) > MAX_DATE_CHARS:
        return None
    date = _month_or_year(text) or date_of(text) or _in_words(text)
    return date.timestamp() if date is not None else None


def _month_or_year(text: str) -> datetime | None:
    """Read `2024-05`, as W3C's dates may be: its first day. A year alone is no date to show."""
    return _parsed(text, "%Y-%m") or _parsed(text, "%Y/%m/%d")


def _in_words(text: str) -> datetime | None:
    words = text.replace(",", " ").replace(".", " ")
    return next(filter(None, (_parsed(" ".join(words.split()), form) for form in _FORMS)), None)


_FORMS = ("%d %B %Y", "%B %d %Y", "%d %b %Y", "%b %d %Y")


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None


def meta_dates(metas: Iterable[tuple[str, str]], names: tuple[str, ...]) -> list[StatedDate]:
    """Return what metas say, (name or property, content), in the order of `names`."""
    found: dict[str, str] = {}
    for name, content in metas:
        found.setdefault(name.lower(), content)
    return [StatedDate(found[name], f"the meta {name}") for name in names if found.get(name)]
