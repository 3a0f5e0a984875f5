"""When was a page published, and when was it last changed? The strongest of what it says, and where it says so.

The order is that of trust. Structured data is written for machines about this very page; metas too, though templates
copy them; a `<time>` may belong to anything on the page, so only one in an article's head counts. Last-Modified is
often the time at which a server made its answer: it is told where a page says nothing itself, and nothing follows from
it. Dates that cannot be (before the web, or after the fetch) are left aside.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from robots.page.directives import date_of

if TYPE_CHECKING:
    from collections.abc import Iterable

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


class Dated(NamedTuple):
    """A date in seconds since the epoch, and the place that says so, as it is shown; None and nothing: not known."""

    at: float | None = None
    where: str = ""


class Said(NamedTuple):
    """A date as a document writes it, and where."""

    text: str
    where: str


def first_date(said: Iterable[Said], fetched_at: float) -> Dated:
    """Return the first that is a date and can be true; `fetched_at` is in seconds since the epoch, 0: not known."""
    for text, where in said:
        at = seconds_of(text)
        if at is not None and at >= FIRST_DATE and (not fetched_at or at <= fetched_at + TOLERANCE):
            return Dated(at, where)
    return Dated()


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


def in_metas(metas: Iterable[tuple[str, str]], names: tuple[str, ...]) -> list[Said]:
    """Return what metas say, (name or property, content), in the order of `names`."""
    found: dict[str, str] = {}
    for name, content in metas:
        found.setdefault(name.lower(), content)
    return [Said(found[name], f"the meta {name}") for name in names if found.get(name)]
