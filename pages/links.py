r"""Which links does a page have, with which text, and to which URLs?

A link is an `a` or `area` with an href, a `frame` (a robot that ignores framesets finds nothing there), or an `iframe`
that shows a page of the same site. `rel` is a list of tokens in any letter case. Only `nofollow` says not to follow;
`ugc` and `sponsored` say who wrote the link. A page whose controls say nofollow says it of all its links (Google; the
book, META tags).

A reference resolves against the base as RFC 3986 (5.2) says and browsers do (WHATWG URL, 4.4). Blanks around it and
line breaks inside it go, `\` becomes `/`, and `http:page` is relative. Letters in a query become octets in the encoding
of the page, because its server expects those. The result is an absolute http(s) URL, or the reason why there is none.
It is not canonical yet: the frontier does that. `urljoin` would take ten times as long, keep `\`, raise on some input
and accept broken hosts.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote_from_bytes, unquote

from urls.canonical import URL_BREAKS, URL_EDGES
from urls.records import Link
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable


MAX_BASE_CHARS = 2048  # of a base URL: each of 5,000 links repeats it, so a long one would fill the memory
MAX_PORT = 65535

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_PARTS = re.compile(r"([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(?:[^/]*@)?(\[[0-9A-Fa-f:.]+\]|[^:\[\]@]+)(?::([0-9]*))?")
_FORBIDDEN_HOST = re.compile(r"[\x00-\x20\x7f#/:<>?@\[\\\]^|]|%(?![0-9A-Fa-f]{2})")  # WHATWG URL, 3.1
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_OCTETS = re.compile(r"[\x80-\xff]+")
_DOTS = {"%2e": ".", ".%2e": "..", "%2e.": "..", "%2e%2e": ".."}  # WHATWG URL, 4.2


class Unusable(Enum):
    """Why a reference leads nowhere that Breadcrumb goes."""

    SCHEME = "another scheme than http or https"
    BROKEN = "not a URL"


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """A base URL, split once for all links of a page."""

    url: str
    scheme: str = ""
    origin: str = ""  # scheme://authority
    path: str = "/"
    query: str = ""
    is_page: bool = True  # False: it comes from a `<base>`, and may differ from the URL of the page
    codec: str = ""  # Python's, of the page that the references stand on; empty: UTF-8

    @classmethod
    def of(cls, url: str, *, is_page: bool = True, codec: str = "") -> BaseUrl:
        """Split an absolute http(s) URL. From any other base only absolute links resolve."""
        scheme, _, rest = url.partition("://")
        if scheme not in ("http", "https"):
            return cls(url, is_page=is_page, codec=codec)
        match = _PARTS.fullmatch(rest)
        authority, _, path = (match[1] if match else "").partition("/")
        query = (match and match[2]) or ""
        return cls(url, scheme, f"{scheme}://{authority}", f"/{path}", query, is_page, codec)

    def resolve(self, reference: str) -> str | Unusable:
        """Return the absolute URL of a reference, or the reason why it has none."""
        text = reference
        if not text.isprintable() or text.startswith(" ") or text.endswith(" "):  # most have nothing to be removed
            text = text.strip(URL_EDGES).translate(URL_BREAKS)
        if self.codec and "?" in text and not text.isascii():
            text = _with_query_in(self.codec, text)
        scheme = _SCHEME.match(text)
        if scheme:
            name = scheme[1].lower()
            if name not in ("http", "https"):
                return Unusable.SCHEME
            text = text[scheme.end() :]
            if name != self.scheme:
                return _absolute(name, text)
        return self._relative(text)

    def _relative(self, text: str) -> str | Unusable:
        if not self.origin:
            return Unusable.BROKEN
        before, sharp, fragment = text.partition("#")
        path, mark, query = before.partition("?")
        query, fragment = mark + query, sharp + fragment
        if "\\" in path:
            path = path.replace("\\", "/")
        if path.startswith("//"):
            return _absolute(self.scheme, path + query + fragment)
        if not path:
            return f"{self.origin}{self.path}{query or self.query}{fragment}"
        if not path.startswith("/"):
            path = self.path[: self.path.rindex("/") + 1] + path
        return f"{self.origin}{without_dots(path)}{query}{fragment}"


def escaped_octets(value: str) -> str:
    """Return a header value, which was read as Latin-1, with its octets beyond ASCII escaped.

    Escaped, the octets reach the server as it wrote them, UTF-8 or not, and none is taken for a blank: the second octet
    of `à` would be a no-break space (U+00A0).
    """
    return _OCTETS.sub(lambda run: quote_from_bytes(run[0].encode("latin-1"), safe=""), value)


def _with_query_in(codec: str, text: str) -> str:
    """Escape a query's characters beyond ASCII as octets of a codec, or as `&#…;` if it lacks them (URL, 1.3)."""
    before, mark, rest = text.partition("?")
    query, sharp, fragment = rest.partition("#")
    if "#" in before:
        return text  # the question mark is part of the fragment
    octets = _BEYOND_ASCII.sub(lambda run: quote_from_bytes(run[0].encode(codec, "xmlcharrefreplace"), safe=""), query)
    return before + mark + octets + sharp + fragment


def _absolute(scheme: str, rest: str) -> str | Unusable:
    match = _PARTS.fullmatch(rest)
    before, query, fragment = match.groups(default="") if match else ("", "", "")
    authority, slash, path = before.replace("\\", "/").lstrip("/").partition("/")
    if not _is_authority(authority):
        return Unusable.BROKEN
    return f"{scheme}://{authority}{without_dots(slash + path) or '/'}{query}{fragment}"


def _is_authority(authority: str) -> bool:
    match = _AUTHORITY.fullmatch(authority)
    if not match:
        return False
    host, port = match.groups(default="")
    if not host.startswith("[") and (_FORBIDDEN_HOST.search(host) or _FORBIDDEN_HOST.search(unquote(host))):
        return False
    digits = port.lstrip("0")  # 0080 is 80
    return not port or (0 < len(digits) <= len(str(MAX_PORT)) and int(digits) <= MAX_PORT)


def without_dots(path: str) -> str:
    """Remove `.` and `..` segments (RFC 3986, 5.2.4), escaped or not; `..` at the top stays at the top."""
    if "/." not in path and "/%2" not in path:
        return path
    kept: list[str] = []
    segments = [_DOTS.get(segment.lower(), segment) if "%" in segment else segment for segment in path.split("/")[1:]]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


MAX_LINKS = 5000  # distinct pages linked from one; the largest real index pages have about 3,000 (hostile ones 200,000)
MAX_ANCHOR_CHARS = 200  # of a link's text: longer ones are whole paragraphs inside a link
MAX_BROKEN = 10  # references that are no URLs, each in a warning of its own; all are counted
_BEFORE_BROKEN, _AFTER_BROKEN = "the link ", f" leads nowhere: {Unusable.BROKEN.value}"


class Anchor(NamedTuple):
    """A link as it is in the markup."""

    href: str
    text: str = ""
    rel: str = ""
    around: str = ""  # with the words beside it, where its own say nothing


@dataclass(frozen=True, slots=True)
class Outlinks:
    """The links of a page; `cut` is how many were beyond the limit, `warnings` counts those that lead nowhere."""

    links: tuple[Link, ...] = ()
    cut: int = 0
    warnings: tuple[str, ...] = ()


def collect_links(anchors: Iterable[Anchor], base: BaseUrl, *, follow: bool = True, cut: int = 0) -> Outlinks:
    """Resolve the anchors in document order; `cut` were never read. The same link with the same words counts once."""
    resolved: dict[str, str | Unusable] = {}  # navigation repeats itself: each distinct href is resolved once
    kept: dict[tuple[str, str, bool, str], None] = {}  # as tuples, which are hashed faster than records
    targets: set[str] = set()
    nowhere: Counter[Unusable] = Counter()
    for anchor in anchors:
        if anchor.href.startswith("#") and base.is_page:
            continue  # it leads to a place on the page itself
        target = resolved.get(anchor.href)
        if target is None:
            target = base.resolve(anchor.href)
            if not isinstance(target, Unusable):
                target = target.partition("#")[0]  # one page, however many of its places are linked
            resolved[anchor.href] = target
        if isinstance(target, Unusable):
            nowhere[target] += 1
            continue
        if target not in targets:
            if len(targets) >= MAX_LINKS:
                cut += 1
                continue
            targets.add(target)
        nofollow = not follow or (bool(anchor.rel) and "nofollow" in anchor.rel.lower().split())
        words = " ".join(anchor.text.split())[:MAX_ANCHOR_CHARS]
        around = " ".join(anchor.around.split())[:MAX_ANCHOR_CHARS] if anchor.around else ""
        kept[target, words, nofollow, around] = None
    broken = [href for href, target in resolved.items() if target is Unusable.BROKEN] if nowhere else []
    shown = dict.fromkeys(" ".join(href.split())[:MAX_ANCHOR_CHARS] for href in broken[:MAX_BROKEN])
    warnings = [f"{counted(count, 'link leads', 'links lead')} nowhere: {why.value}" for why, count in nowhere.items()]
    warnings += [f"{_BEFORE_BROKEN}{reference}{_AFTER_BROKEN}" for reference in shown]
    if cut:
        warnings.append(f"more than {MAX_LINKS} links: {counted(cut, 'was', 'were')} counted and not kept")
    return Outlinks(tuple(map(Link._make, kept)), cut, tuple(warnings))


def broken_references(warnings: Iterable[str]) -> list[str]:
    """Return the references of a page's links that are no URLs, which its warnings name."""
    named = (each for each in warnings if each.startswith(_BEFORE_BROKEN) and each.endswith(_AFTER_BROKEN))
    return [each.removeprefix(_BEFORE_BROKEN).removesuffix(_AFTER_BROKEN) for each in named]
