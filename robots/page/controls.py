"""May this page be indexed, its links followed, a copy shown? X-Robots-Tag headers and robots metas tell.

All wishes add up, and the most restrictive one wins wherever it stands: a page cannot lift what its server said, nor a
meta for one robot what a meta for all said. They act after the page was fetched. A robot that robots.txt keeps out
never sees them, so a page that must stay out of an index may not be disallowed there. All of it is advice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from robots.freshness import first_header
from robots.page.directives import MAX_WISHES, UNAVAILABLE_AFTER, Wish, date_of, wishes_from
from robots.page.metas import metas_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

MAX_MEDIA_TYPE_CHARS: Final = 255  # two names of up to 127 (RFC 6838, 4.2)
HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
PREVIEWS: Final = ("none", "standard", "large")  # max-image-preview, the most restrictive first

_NO_LIMIT: Final = "-1"
_Limit = TypeVar("_Limit", int, "datetime")
_MAX_LENGTH: Final = 10**9  # more than any page has characters or any video seconds
_MAX_DIGITS: Final = 20  # of a length; Python takes its time over numbers of thousands


@dataclass(frozen=True, slots=True)
class PageControls:
    """What may be done with a page. Where nobody said anything, everything may be done."""

    index: bool = True
    follow: bool = True
    archive: bool = True  # a cached copy may be shown
    snippet: int | None = None  # characters; 0: none at all; None: no limit
    expires: datetime | None = None  # in UTC; from then on the page may not be in the results
    image_preview: str | None = None  # one of PREVIEWS; None: no limit
    video_preview: int | None = None  # seconds; None: no limit
    indexifembedded: bool = False  # not to be indexed by itself, but as a part of another page
    wishes: tuple[Wish, ...] = field(default=(), compare=False)  # from which all of this follows

    def asked_by(self, *directives: str) -> str:
        """Return where one of `directives` stands first: a header line or a meta; empty where nobody asked for it."""
        return next((wish.source for wish in self.wishes if wish.directive in directives), "")

    @property
    def expiry_asked_by(self) -> str:
        """Where the date of `expires` stands: of several dates the earliest holds."""
        dated = ((date_of(wish.value), wish.source) for wish in self.wishes if wish.directive == UNAVAILABLE_AFTER)
        return next((source for date, source in dated if date == self.expires), "")


def page_controls(
    headers: Sequence[tuple[str, str]],
    html: bytes,
    *,
    agent: str,
    url: str,  # noqa: ARG001 - the signature promises it; no directive in use depends on the address
    now: datetime | None = None,
) -> PageControls:
    """Read the controls of a page that nobody has parsed. Markup under a Content-Type that is not HTML is silent."""
    declared = declared_type(first_header(headers, "content-type"))
    is_html = declared in HTML_TYPES or not declared  # a server that names no type may well mean HTML
    return controls_from(headers, metas_of(html) if is_html else (), agent=agent, now=now)


def declared_type(content_type: str) -> str:
    """Return the bare type in lower case: no parameters, and the first where a proxy joined two with a comma."""
    return content_type.split(";", 1)[0].split(",", 1)[0].strip()[:MAX_MEDIA_TYPE_CHARS].lower()


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
    return controls_of(wishes_from(headers, metas, agent=agent), now=now)


def renewed_controls(stored: PageControls, of_header: Sequence[Wish]) -> PageControls:
    """Return the controls of an unchanged page (304) after new X-Robots-Tag lines, which replace the earlier ones.

    RFC 9111, 3.2: the fields of such an answer replace those that are stored. What the page itself said stays.
    """
    return controls_of((*of_header, *(wish for wish in stored.wishes if not wish.of_header)))


def controls_of(wishes: Sequence[Wish], *, now: datetime | None = None) -> PageControls:
    """Add up what is asked: the most restrictive wish wins."""
    found = [(wish.directive, wish.value) for wish in wishes]
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
        wishes=tuple(wishes[:MAX_WISHES]),
    )


def _least(values: Iterable[_Limit | None]) -> _Limit | None:
    return min((value for value in values if value is not None), default=None)


def _length(value: str) -> int | None:
    if value == _NO_LIMIT or not (value.isascii() and value.isdigit()):
        return None
    return min(int(value.lstrip("0")[:_MAX_DIGITS] or 0), _MAX_LENGTH)


def _preview(value: str) -> int | None:
    return PREVIEWS.index(value.lower()) if value.lower() in PREVIEWS else None
