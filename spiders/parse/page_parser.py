"""How do bytes become one `Page`? Look, decode once, bound, parse once, take out, decide.

`parse_page` never raises, whatever the bytes: what had to be cut or repaired is told in `Page.warnings`,
and bytes that are nobody's text come back as a page with a refusal and no words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from robots import controls_from
from robots.freshness import first_header, validator
from robots.page.controls import declared_type
from spiders.parse import bounds, encoding, head, language, outlinks, visible_text
from spiders.parse.html_document import MAX_TITLE_CHARS, read_html
from spiders.parse.http_headers import DocumentKind, document_kind, header_warnings, unmask
from spiders.parse.reference import BaseUrl, escaped_octets
from urls.records import CanonicalUrl, Page, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence


def parse_page(
    body: bytes,
    *,
    url: CanonicalUrl,
    headers: Sequence[tuple[str, str]],
    status: int = 200,
    fetched_at: float = 0.0,
    seconds: float = 0.0,
    agent: str = "Breadcrumb",
) -> Page:
    """Read one answer. `headers` are (name, value) in the order they came; `seconds` is how long the fetch took."""
    declared = declared_type(first_header(headers, "content-type"))
    canonical, confused = head.only_one(head.canonical_targets(headers, BaseUrl.of(url)))
    bare = Page(
        url,
        title="",
        text="",
        canonical=canonical,
        controls=controls_from(headers, (), agent=agent),
        warnings=(*confused, *header_warnings(headers)),
        fetched_at=fetched_at,
        status=status,
        content_type=declared,
        etag=validator(headers, "etag"),
        last_modified=validator(headers, "last-modified"),
        body=body,
        seconds=seconds,
    )
    disguise = unmask(body, headers)
    if disguise and document_kind(body, declared) is not DocumentKind.OTHER:
        label = declared or "no type"
        reason = f"the server says {label}, but the bytes are {disguise}"
        return replace(bare, refusals=(Refusal("binary", reason),))
    match document_kind(body, declared):
        case DocumentKind.HTML:
            return _read_html(bare, headers, agent)
        case DocumentKind.TEXT:
            return _read_text(bare, headers)
        case DocumentKind.OTHER:
            return bare


def _read_html(bare: Page, headers: Sequence[tuple[str, str]], agent: str) -> Page:
    content_type = first_header(headers, "content-type")
    body, cut = bounds.truncated(bare.body)
    decoded = encoding.decode(body, content_type=content_type)
    markup, bounded = bounds.made_safe(decoded.text)
    decoded = replace(decoded, text="")  # up to 40 MB, which the parser can use meanwhile
    document = read_html(markup, BaseUrl.of(bare.url, codec=encoding.query_codec(decoded.encoding)))
    named = {address for address in (bare.canonical, document.canonical) if address}
    canonical, confused = head.only_one(named)
    # A page may say when to leave it, and so may the server: the header is the original, the tag its substitute.
    refresh = head.refresh_target(escaped_octets(first_header(headers, "refresh")), document.base) or document.refresh
    controls = controls_from(headers, document.metas, agent=agent)
    collected = outlinks.collect(document.anchors, document.base, follow=controls.follow, cut=document.anchors_cut)
    return replace(
        bare,
        title=document.title,
        text=document.text,
        headings=document.headings,
        description=document.description,
        keywords=document.keywords,
        language=language.identify(document.text, declared=document.language),
        links=collected.links,
        links_cut=collected.cut,
        base="" if document.base.is_page else document.base.url,
        canonical=canonical,
        refresh=refresh,
        snippet_text=document.snippet_text,
        controls=controls,
        content_type=bare.content_type or "text/html",
        encoding=decoded.encoding,
        warnings=(
            *cut,
            *decoded.warnings,
            *bounded,
            *bare.warnings,
            *document.warnings,
            *confused,
            *collected.warnings,
        ),
    )


def _read_text(bare: Page, headers: Sequence[tuple[str, str]]) -> Page:
    body, cut = bounds.truncated(bare.body)
    decoded = encoding.decode(body, content_type=first_header(headers, "content-type"), markup=False)
    text, shortened = visible_text.cut_text(decoded.text)
    lines = [line for line in (" ".join(raw.split()) for raw in text.splitlines()) if line]
    return replace(
        bare,
        title=lines[0][:MAX_TITLE_CHARS] if lines else "",
        text="\n".join(lines),
        language=language.identify("\n".join(lines)),
        content_type=bare.content_type or "text/plain",
        encoding=decoded.encoding,
        warnings=(*bare.warnings, *cut, *decoded.warnings, *shortened),
    )
