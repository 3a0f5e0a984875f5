"""Which links does a page offer, and with which words? The raw material of the crawl and of anchor text.

A link is an `a` or `area` with an href, a `frame` (a robot that does not look into framesets sees nothing there), or an
`iframe` that shows a page of the same site.
`rel` is a list of tokens in any letter case: only `nofollow` says not to follow; `ugc` and `sponsored` say who wrote
the link. A page whose controls say nofollow says it of all its links (Google; the book, META tags).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pages.links.reference import BaseUrl, Unusable
from urls.counted import counted
from urls.records import Link

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LINKS = 5000  # distinct pages linked from one; the largest real index pages have about 3,000 (hostile ones 200,000)
MAX_ANCHOR_CHARS = 200  # of a link's text: longer ones are whole paragraphs inside a link


class Anchor(NamedTuple):
    """A link as it stands in the markup."""

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


def collect(anchors: Iterable[Anchor], base: BaseUrl, *, follow: bool = True, cut: int = 0) -> Outlinks:
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
    warnings = [f"{counted(count, 'link leads', 'links lead')} nowhere: {why.value}" for why, count in nowhere.items()]
    if cut:
        warnings.append(f"more than {MAX_LINKS} links: {counted(cut, 'was', 'were')} counted and not kept")
    return Outlinks(tuple(map(Link._make, kept)), cut, tuple(warnings))
