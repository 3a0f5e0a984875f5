"""Which page does an item of somebody else's project describe? The engine's parser reads it, once for all filters."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from pages import FetchedBody, parse_page
from robots import controls_from
from robots.freshness import first_header
from robots.page.controls import declared_type
from urls.canonical import UnusableUrl, canonicalize
from urls.document_types import DOCUMENT_TYPES
from urls.records import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

READ_AT_ONCE = 32  # pages that are kept in memory while an item goes from filter to filter
HTML = "text/html; charset=utf-8"

Lines = tuple[tuple[str, str], ...]


def page_of_item(item: Any, agent: str) -> Page | None:
    """Return the page of an item; None where it describes none. `agent` is the name by which a page may call us."""
    if not ItemAdapter.is_item(item):
        return None
    fields = ItemAdapter(item)
    url, title, text = (fields.get(name) for name in ("url", "title", "text"))
    content = fields.get("body") or fields.get("html")
    if not isinstance(url, str) or not (isinstance(content, (str, bytes)) or isinstance(text, str)):
        return None
    try:
        lines = tuple(_header_lines(fields.get("headers")))
        status = int(fields.get("status") or 200)
    except (TypeError, ValueError):
        return None
    content = content if isinstance(content, (str, bytes)) else ""
    return _read(url, content, _text(title), _text(text), lines, status, agent)


@lru_cache(maxsize=READ_AT_ONCE)
def _read(url: str, content: str | bytes, title: str, text: str, lines: Lines, status: int, agent: str) -> Page | None:
    try:
        canonical = canonicalize(url)
    except UnusableUrl:
        return None
    declared = declared_type(first_header(lines, "content-type"))
    if isinstance(content, str):  # it is decoded: whatever the server called its encoding, it is UTF-8 now
        others = tuple((name, value) for name, value in lines if name != "content-type")
        lines = (*others, ("content-type", f"{declared or 'text/html'}; charset=utf-8"))
        content = content.encode("utf-8", "replace")
    elif not declared:
        lines = (*lines, ("content-type", HTML))
    if text and (not content or declared in DOCUMENT_TYPES):
        controls = controls_from(lines, (), agent=agent)
        return Page(canonical, title, text, controls=controls, status=status, content_type="text/plain")
    if declared in DOCUMENT_TYPES:
        return None  # read in a process of its own, which belongs to a crawl
    return parse_page(FetchedBody(content, canonical, lines, status), agent=agent)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _header_lines(headers: Any) -> Iterator[tuple[str, str]]:
    """Yield header lines, names in lower case, of a mapping or of pairs. Raises TypeError and ValueError."""
    pairs = headers.items() if hasattr(headers, "items") else headers or ()
    for name, values in pairs:
        for value in values if isinstance(values, (list, tuple)) else (values,):
            yield _decoded(name).lower(), _decoded(value)


def _decoded(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
