"""How do bytes become one `Page`? Look, decode once, bound, parse once, take out, decide.

`parse_page` never raises, whatever the bytes: what had to be cut or repaired is told in `Page.warnings`,
and bytes that are nobody's text come back as a page with a refusal and no words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from robots import controls_from
from spiders.parse import bounds, encoding, head, language, visible_text
from spiders.parse import html_document as document
from spiders.parse import http_headers as media
from spiders.parse import outlinks as links
from spiders.parse.head import canonical_targets
from spiders.parse.http_headers import header_warnings
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
    declared = media.declared_type(media.first_header(headers, "content-type"))
    canonical, confused = head.only_one(canonical_targets(headers, BaseUrl.of(url)))
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
        etag=media.validator(headers, "etag"),
        last_modified=media.validator(headers, "last-modified"),
        body=body,
        seconds=seconds,
    )
    disguise = media.unmask(body, headers)
    if disguise and media.document_kind(body, declared) is not media.DocumentKind.OTHER:
        label = declared or "no type"
        reason = f"the server says {label}, but the bytes are {disguise}"
        return replace(bare, refusals=(Refusal("binary", reason),))
    match media.document_kind(body, declared):
        case media.DocumentKind.HTML:
            return _read_html(bare, headers, agent)
        case media.DocumentKind.TEXT:
            return _read_text(bare, headers)
        case media.DocumentKind.OTHER:
            return bare


def _read_html(bare: Page, headers: Sequence[tuple[str, str]], agent: str) -> Page:
    content_type = media.first_header(headers, "content-type")
    body, cut = bounds.truncated(bare.body)
    decoded = encoding.decode(body, content_type=content_type)
    markup, bounded = bounds.made_safe(decoded.text)
    decoded = replace(decoded, text="")  # up to 40 MB, which the parser can use meanwhile
    paper = document.read_html(markup, BaseUrl.of(bare.url, codec=encoding.query_codec(decoded.encoding)))
    named = {address for address in (bare.canonical, paper.canonical) if address}
    canonical, confused = head.only_one(named)
    # A page may say when to leave it, and so may the server: the header is the original, the tag its substitute.
    refresh = head.refresh_target(escaped_octets(media.first_header(headers, "refresh")), paper.base) or paper.refresh
    controls = controls_from(headers, paper.metas, agent=agent)
    outlinks = links.collect(paper.anchors, paper.base, follow=controls.follow, cut=paper.anchors_cut)
    return replace(
        bare,
        title=paper.title,
        text=paper.text,
        headings=paper.headings,
        description=paper.description,
        keywords=paper.keywords,
        language=language.identify(paper.text, declared=paper.language),
        links=outlinks.links,
        links_cut=outlinks.cut,
        base="" if paper.base.is_page else paper.base.url,
        canonical=canonical,
        refresh=refresh,
        snippet_text=paper.snippet_text,
        controls=controls,
        content_type=bare.content_type or "text/html",
        encoding=decoded.encoding,
        warnings=(*cut, *decoded.warnings, *bounded, *bare.warnings, *paper.warnings, *confused, *outlinks.warnings),
    )


def _read_text(bare: Page, headers: Sequence[tuple[str, str]]) -> Page:
    body, cut = bounds.truncated(bare.body)
    decoded = encoding.decode(body, content_type=media.first_header(headers, "content-type"), markup=False)
    text, shortened = visible_text.cut_text(decoded.text)
    lines = [line for line in (" ".join(raw.split()) for raw in text.splitlines()) if line]
    return replace(
        bare,
        title=lines[0][: document.MAX_TITLE_CHARS] if lines else "",
        text="\n".join(lines),
        language=language.identify("\n".join(lines)),
        content_type=bare.content_type or "text/plain",
        encoding=decoded.encoding,
        warnings=(*bare.warnings, *cut, *decoded.warnings, *shortened),
    )
