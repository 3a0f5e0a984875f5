"""May this page be indexed, its links followed, a copy shown? What X-Robots-Tag headers and robots metas ask.

All that is asked adds up and the most restrictive wish wins, wherever it stands: a page cannot lift what its server
said, nor a meta for one robot what a meta for all said. They act after the page was fetched: a robot that robots.txt
keeps out never sees them, so a page that must stay out of an index may not be disallowed there. All of it is advice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from robots.dialect import Naming
from robots.page.dates import date_of
from robots.page.directives import UNAVAILABLE_AFTER, directives_for
from robots.page.metas import metas_of
from robots.rules.group import our_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

HEADER: Final = "x-robots-tag"
ALL_ROBOTS: Final = "robots"  # the name in a meta that is for everybody
HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
PREVIEWS: Final = ("none", "standard", "large")  # max-image-preview, the most restrictive first

_NO_LIMIT: Final = "-1"
_Limit = TypeVar("_Limit", int, "datetime")
_MAX_DIGITS: Final = 9  # of a length: more than any page has characters or any video seconds


@dataclass(frozen=True, slots=True)
class PageControls:
    """What may be done with a page. Nobody said anything: everything may be done."""

    index: bool = True
    follow: bool = True
    archive: bool = True  # a cached copy may be shown
    snippet: int | None = None  # characters; 0: none at all; None: no limit
    expires: datetime | None = None  # in UTC; from then on the page may not be in the results
    image_preview: str | None = None  # one of PREVIEWS; None: no limit
    video_preview: int | None = None  # seconds; None: no limit
    indexifembedded: bool = False  # not to be indexed by itself, but as a part of another page


def page_controls(
    headers: Sequence[tuple[str, str]],
    html: bytes,
    *,
    agent: str,
    url: str,  # noqa: ARG001  # the signature promises it; no directive in use depends on the address
    now: datetime | None = None,
) -> PageControls:
    """Read the controls of a page that nobody has parsed. Markup under a Content-Type that is not HTML is silent."""
    content_type = next((value for name, value in headers if name.lower() == "content-type"), "text/html")
    is_html = content_type.partition(";")[0].strip().lower() in HTML_TYPES
    return controls_from(headers, metas_of(html) if is_html else (), agent=agent, now=now)


def controls_from(
    headers: Sequence[tuple[str, str]],
    metas: Sequence[tuple[str, str]],
    *,
    agent: str,
    now: datetime | None = None,
) -> PageControls:
    """Add up what is asked of `agent` by `headers` and by `metas`, which are pairs of name and content.

    `index` minds the date of `expires` only where `now`, which has a time zone, is given.
    """
    ours = our_name(agent, Naming.TOKEN).decode("ascii")
    found: list[tuple[str, str]] = []
    for name, value in headers:
        if name.lower() == HEADER:
            found.extend(directives_for(value, ours, scoped=True))
    for name, content in metas:
        if name.strip().lower() in {ALL_ROBOTS, ours} - {""}:
            found.extend(directives_for(content, ours, scoped=False))
    return _most_restrictive(found, now)


def _most_restrictive(found: Sequence[tuple[str, str]], now: datetime | None) -> PageControls:
    names = {name for name, _ in found}
    noindex = bool(names & {"noindex", "none"})
    expires = _least(date_of(value) for name, value in found if name == UNAVAILABLE_AFTER)
    expired = now is not None and expires is not None and expires <= now
    preview = _least(_preview(value) for name, value in found if name == "max-image-preview")
    return PageControls(
        index=not noindex and not expired,
        follow=not names & {"nofollow", "none"},
        archive=not names & {"noarchive", "nocache"},
        snippet=0 if "nosnippet" in names else _least(_length(value) for name, value in found if name == "max-snippet"),
        expires=expires,
        image_preview=None if preview is None else PREVIEWS[preview],
        video_preview=_least(_length(value) for name, value in found if name == "max-video-preview"),
        indexifembedded=noindex and "indexifembedded" in names,
    )


def _least(values: Iterable[_Limit | None]) -> _Limit | None:
    return min((value for value in values if value is not None), default=None)


def _length(value: str) -> int | None:
    if value == _NO_LIMIT or not (value.isascii() and value.isdigit()):
        return None
    return int(value[:_MAX_DIGITS])


def _preview(value: str) -> int | None:
    return PREVIEWS.index(value.lower()) if value.lower() in PREVIEWS else None
