"""What does a stylesheet in a file say of how text shows? Its rules for that, without the rest, and what it imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages import encoding
from pages.disguise.hiding_styles import SCREENS
from pages.disguise.linked_sheets import MAX_NAMED, own_sheet
from pages.disguise.stylesheet import condensed, imported_sheets, is_whole
from pages.links.reference import BaseUrl
from robots.freshness import first_header, validator
from robots.page.controls import declared_type
from urls.stylesheet_record import Stylesheet

if TYPE_CHECKING:
    from pages.http_headers import FetchedBody
    from urls.records import CanonicalUrl

MAX_SHEET_BYTES = 200 * 1024  # of a file: Bootstrap 4 has 160,000
_TYPE = "text/css"


def read_sheet(fetched: FetchedBody) -> Stylesheet:
    """Read one answer as a stylesheet."""
    css, imports, reason = _read(fetched)
    return Stylesheet(
        fetched.url,
        css,
        reason,
        imports,
        fetched_at=fetched.fetched_at,
        status=fetched.status,
        etag=validator(fetched.headers, "etag"),
        last_modified=validator(fetched.headers, "last-modified"),
        seconds=fetched.seconds,
        size=len(fetched.body),
    )


def _read(fetched: FetchedBody) -> tuple[str | None, tuple[CanonicalUrl, ...], str]:
    content_type = first_header(fetched.headers, "content-type")
    declared = declared_type(content_type)
    if declared != _TYPE:
        return None, (), f"the server says {declared or 'no type'} and not {_TYPE}"
    css = encoding.decode(fetched.body[: MAX_SHEET_BYTES + 1], content_type=content_type, markup=False).text
    if len(fetched.body) > MAX_SHEET_BYTES or not is_whole(css):
        return None, (), "it is too large to be read"
    base = BaseUrl.of(fetched.url)
    imports = [own_sheet(name, base, base) if media in SCREENS else None for name, media in imported_sheets(css)]
    own = tuple(dict.fromkeys(url for url in imports if url and url != fetched.url))
    if None in imports or len(own) > MAX_NAMED:
        return None, (), "it imports sheets that are not read: of other sites, for some screens, or too many"
    return condensed(css), own, ""
