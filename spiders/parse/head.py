"""What does a document say about itself? Its base, its canonical address, its refresh, and its named metas.

Controls count wherever they stand (the book: even outside HEAD); only `rel=canonical` must be in the head, because in
the body it may be a reader's comment (Google). Two different canonicals say nothing at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spiders.parse.address import MAX_BASE_CHARS, Base

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from selectolax.lexbor import LexborNode

MAX_DESCRIPTION_CHARS = 1000  # results pages show 160 to 300
MAX_KEYWORDS = 100  # a page; real lists have 5 to 20, stuffed ones thousands
MAX_KEYWORD_CHARS = 100
MAX_REFRESH_CHARS = 4096  # a refresh is a number and a URL

# HTML, shared declarative refresh steps: digits, a separator, perhaps `url=`, perhaps quotes.
_REFRESH = re.compile(r"\s*([0-9]{1,9})(?:\.[0-9.]*)?(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
_COMMAS = re.compile("[,\uff0c\u3001]")  # ASCII, full width, ideographic


def named_metas(metas: Iterable[LexborNode]) -> tuple[tuple[str, str], ...]:
    """Return (name, content) of each `<meta name>` in document order."""
    pairs = ((node.attributes.get("name"), node.attributes.get("content")) for node in metas)
    return tuple((name.strip(), content or "") for name, content in pairs if name)


def first_base(bases: Iterable[LexborNode], address: Base) -> Base | None:
    """Return the first `<base href>` that is http(s); it holds for what stands before it too."""
    for node in bases:
        target = address.resolve(node.attributes.get("href") or "")
        if isinstance(target, str) and node.attributes.get("href") and len(target) <= MAX_BASE_CHARS:
            return Base.of(target.partition("#")[0], is_page=False)
    return None


def canonical(links: Iterable[LexborNode], base: Base) -> tuple[str | None, tuple[str, ...]]:
    """Return the canonical address that the head names, if it names one, and a warning if it names several."""
    targets = {
        base.resolve(node.attributes.get("href") or "")
        for node in links
        if "canonical" in (node.attributes.get("rel") or "").lower().split()
        and node.parent is not None
        and node.parent.tag == "head"
        and node.attributes.get("href")
    }
    named = {target for target in targets if isinstance(target, str)}
    if len(named) > 1:
        return None, (f"{len(named)} different canonical addresses: none is believed",)
    return (named.pop() if named else None), ()


def first_refresh(metas: Iterable[LexborNode], base: Base) -> tuple[int, str] | None:
    """Return the first `http-equiv=refresh` that leads somewhere."""
    for node in metas:
        if (node.attributes.get("http-equiv") or "").strip().lower() == "refresh":
            refresh = refresh_target(node.attributes.get("content") or "", base)
            if refresh:
                return refresh
    return None


def refresh_target(value: str, base: Base) -> tuple[int, str] | None:
    """Read `1; URL=index.html`: seconds and an absolute http(s) URL. A page that only reloads itself goes nowhere."""
    match = _REFRESH.fullmatch(value[:MAX_REFRESH_CHARS])
    if not match:
        return None
    seconds, target = match.groups()
    if target[:1] in ("'", '"'):
        target = target[1:].partition(target[0])[0]
    resolved = base.resolve(target) if target.strip() else None
    return (int(seconds), resolved) if isinstance(resolved, str) else None


def keywords(content: str) -> tuple[str, ...]:
    """Split at commas (the book), without repeats."""
    words: Sequence[str] = [" ".join(part.split())[:MAX_KEYWORD_CHARS] for part in _COMMAS.split(content)]
    return tuple(dict.fromkeys(filter(None, words)))[:MAX_KEYWORDS]
