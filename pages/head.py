"""Which statements does the head of a document make? Its base, its canonical URL, its refresh, and its named metas.

Controls count anywhere in the document (the book: even outside HEAD). Only `rel=canonical` must be in the head, because
in the body it may be a reader's comment (Google). Two different canonical URLs count as none.

The server may name the canonical URL too: `Link: <https://…>; rel="canonical"` (RFC 8288, RFC 6596). That works for
files of any type. For HTML it counts like the link element. References in it are relative to the page's own URL,
whatever its `<base>` says. A link with another context (`anchor`) is about another page.

An `http-equiv` replaces a header that the server did not send. Five of them count: refresh, content-type (its charset:
encoding/), content-language, x-robots-tag and expires. docs/robots.md lists the others, with the reasons.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from pages.links import MAX_BASE_CHARS, Anchor, BaseUrl, escaped_octets
from robots.freshness import http_date
from robots.page_controls import FOR_X_ROBOTS_TAG, X_ROBOTS_TAG
from urls.canonical import canonical_or_none

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from selectolax.lexbor import LexborNode


MAX_DESCRIPTION_CHARS = 1000  # results pages show 160 to 300
MANY_METAS = 1000  # of a page; real ones have under 50
MAX_KEYWORDS = 100  # a page; real lists have 5 to 20, stuffed ones thousands
MAX_KEYWORD_CHARS = 100
MAX_REFRESH_CHARS = 4096  # a refresh is a number and a URL
MAX_REFRESHES = 100  # a page, that are looked at
MAX_REFRESHES_TOLD = 3  # a page
MAX_REFRESH_SECONDS = 2**31 - 1  # longer than any browser waits
# HTML, shared declarative refresh steps: digits or a point, a separator, perhaps `url=`, perhaps quotes.
_REFRESH = re.compile(r"\s*(?=[0-9.])([0-9]*)[0-9.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
# Annotations that tell of another version of the page, not of its one address (Google, canonical URLs).
_OF_A_VERSION = ("hreflang", "lang", "media", "type")
_COMMAS = re.compile("[,\uff0c\u3001]")  # ASCII, full width, ideographic
MAX_LINK_HEADER_CHARS = 8192  # of one header line; real ones have under 1,000
_LINK = re.compile(r'<([^>]*)>((?:[^,"<]|"[^"]*(?:"|$))*)')
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
