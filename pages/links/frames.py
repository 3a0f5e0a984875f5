"""Which pages does a page show inside itself? The `iframe`s of its own site are links like any other.

Others are advertisements, players and maps of other sites. What stands in the element is for browsers without frames.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.links.outlinks import Anchor

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from pages.links.reference import BaseUrl

MAX_IFRAMES = 50  # of a page that are looked at


def frames_of_the_site(nodes: list[LexborNode], base: BaseUrl, address: BaseUrl) -> tuple[Anchor, ...]:
    """Return the iframes that show a page of the site of `address`, as links with their titles as words."""
    frames = [(node.attributes.get("src") or "", node.attributes.get("title") or "") for node in nodes[:MAX_IFRAMES]]
    return tuple(Anchor(source, title) for source, title in frames if source and _is_of_the_site(source, base, address))


def _is_of_the_site(source: str, base: BaseUrl, address: BaseUrl) -> bool:
    target = base.resolve(source)
    return isinstance(target, str) and target.startswith(f"{address.origin}/")
