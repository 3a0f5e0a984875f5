"""How do bytes become one `Page`? Look at the type, decode once, bound the markup, parse once, collect, decide.

`parse_page` never raises, whatever the bytes. `Page.warnings` lists what was cut or repaired. Bytes that are no text
become a page with a refusal and no words.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from pages import encoding, language, metadata
from pages.documents import page_of_document
from pages.html_document import MAX_TITLE_CHARS, made_safe, read_html, truncated
from pages.http_headers import (
    NOT_TEXT,
    DocumentKind,
    FetchedBody,
    binary_format,
    document_kind,
    header_warnings,
    kept_lines,
)
from pages.links import BaseUrl, collect_links, escaped_octets
from pages.metadata import with_fields
from pages.structured_data import read_structured_data
from pages.text.layout import with_lines
from pages.text.visible_text import cut_text
from robots import controls_from
from robots.freshness import first_header, validator
from robots.page_controls import declared_type
from urls.records import Page, Refusal, revised
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pages.documents import DocumentReaders


def parse_page(fetched: FetchedBody, *, agent: str = "Breadcrumb", documents: DocumentReaders | None = None) -> Page:
    """Read one answer; `agent` is the token by which a page may name us, `documents` reads PDF and office files."""
    with _uncollected():
        page = _parsed(fetched, agent, documents)
    page = revised(page, title=metadata.inert(page.title).strip())
    # Of a part nobody asks whether it is current (RFC 9111, 3.3), and it is out of date at once.
    cut = {"cut_off": True, "etag": "", "last_modified": "", "outdated_at": fetched.fetched_at}
    return replace(page, **cut) if fetched.cut_off else page  # type: ignore[arg-type]  # a dict of several types


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep Python's collector of cycles off: it would go through thousands of lines again and again, and find none."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _parsed(fetched: FetchedBody, agent: str, documents: DocumentReaders | None) -> Page:
    body, headers = fetched.body, fetched.headers
    declared = declared_type(first_header(headers, "content-type"))
    canonical, warnings = metadata.only_one(metadata.canonical_targets(headers, BaseUrl.of(fetched.url)))
    bare = Page(
        fetched.url,
        title="",
        text="",
        canonical=canonical,
        controls=controls_from(headers, (), agent=agent),
        warnings=(*warnings, *header_warnings(headers)),
        fetched_at=fetched.fetched_at,
        status=fetched.status,
        content_type=declared,
        etag=validator(headers, "etag"),
        last_modified=validator(headers, "last-modified"),
        body=body,
        headers=kept_lines(headers),
        seconds=fetched.seconds,
    )
    kind, disguise = document_kind(body, declared), binary_format(body, headers)
    if disguise and kind not in NOT_TEXT:
        reason = f"the server says {declared or 'no type'}, but the bytes are {disguise}"
        return replace(bare, refusals=(Refusal(Rule.BINARY, reason),))
    match kind:
        case DocumentKind.HTML:
            return _read_html(bare, headers, agent, fetched.sheets)
        case DocumentKind.TEXT:
            return _read_text(bare, headers)
        case DocumentKind.XML:
            from pages.feed import page_of_feed  # lxml, which most crawls don't need

            return page_of_feed(bare)
        case DocumentKind.DOCUMENT:
            return page_of_document(bare, documents)
        case DocumentKind.OTHER:
            return bare


def _read_html(bare: Page, headers: Sequence[tuple[str, str]], agent: str, sheets: Mapping[str, str]) -> Page:
    content_type = first_header(headers, "content-type")
    body, cut = truncated(bare.body)
    decoded = encoding.decode(body, content_type=content_type)
    markup, bounded = made_safe(decoded.text)
    structured = read_structured_data(decoded.text)
    warned = (*cut, *decoded.warnings, *bounded, *structured.warnings)
    is_flat = markup is not decoded.text
    decoded = replace(decoded, text="")  # up to 40 MB, which the parser can use
    document = read_html(markup, BaseUrl.of(bare.url, codec=encoding.query_codec(decoded.encoding)), sheets)
    if not document.text and not is_flat:  # a flat page has kept all words
        from pages.tolerant_parser import parse_again  # 0.1 s to load, for one page in thousands

        document = parse_again(document, bare.body, decoded.encoding)
    named = {address for address in (bare.canonical, document.canonical) if address}
    canonical, several = metadata.only_one(named)
    # The server may send a refresh, and so may the page: the tag is a substitute for the header, which goes first.
    refresh = (
        metadata.refresh_target(escaped_octets(first_header(headers, "refresh")), document.base) or document.refresh
    )
    said_language = metadata.one_language(first_header(headers, "content-language"))
    controls = controls_from(headers, document.metas, agent=agent)
    collected = collect_links(document.anchors, document.base, follow=controls.follow, cut=document.anchors_cut)
    fields = replace(document.fields, structured=structured)
    declared, marked = document.language or said_language, dict(fields.marked)
    spoken = language.languages(document.lines.text, declared=declared, marked=marked)
    described = with_fields(bare, fields, title=document.title, description=document.description)
    return revised(
        with_lines(described, document.lines),
        headings=document.headings,
        keywords=document.keywords,
        language=spoken[0][0],
        languages=spoken if len(spoken) > 1 else (),
        links=collected.links,
        links_cut=collected.cut,
        base="" if document.base.is_page else document.base.url,
        canonical=canonical,
        refresh=refresh,
        outdated_at=metadata.in_future(document.expires, bare.fetched_at),
        disguise=document.disguise,
        sheets=document.sheets,
        controls=controls,
        content_type=bare.content_type or "text/html",
        encoding=decoded.encoding,
        encoding_reason=decoded.reason,
        warnings=(*warned, *bare.warnings, *document.warnings, *several, *collected.warnings),
    )


def _read_text(bare: Page, headers: Sequence[tuple[str, str]]) -> Page:
    body, cut = truncated(bare.body)
    decoded = encoding.decode(body, content_type=first_header(headers, "content-type"), markup=False)
    text, shortened = cut_text(decoded.text)
    lines = [line for line in (" ".join(raw.split()) for raw in text.splitlines()) if line]
    return replace(
        bare,
        title=lines[0][:MAX_TITLE_CHARS] if lines else "",
        text="\n".join(lines),
        language=language.identify("\n".join(lines)),
        content_type=bare.content_type or "text/plain",
        encoding=decoded.encoding,
        encoding_reason=decoded.reason,
        warnings=(*bare.warnings, *cut, *decoded.warnings, *shortened),
    )
