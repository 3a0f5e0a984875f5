"""Which style hides words, and which elements do the stylesheets of a page hide so? Each way has a name for people.

An element that a sheet hides may be shown by another rule: in a state (`:hover`, `:checked`), on another screen or on
paper, by an animation, or in its parts, which may have a size or a colour of their own. Then nothing is sure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from pages.disguise.colours import is_unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pages.disguise.page_styles import PageStyles

MAX_ANCESTORS = 48
MAX_PARTS = 500  # of an element, in which a style of their own is looked for
BY_STYLE, FAR_AWAY, TINY, COLOUR = "display or visibility", "a place off the screen", "tiny letters", "one colour"
_GONE = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*\.?0+\s*(?:;|!|$)")
_FAR = re.compile(
    r"(?:text-indent|margin-left|margin-top|left|top|right|bottom)\s*:\s*-\s*(?:\d{4,}|[5-9]\d\d|\d{2,3}r?em)"
    r"|translate(?:[xy3]d?)?\(\s*-\s*\d{4,}|scale[xy]?\(\s*0\s*[,)]|clip\s*:\s*rect\(\s*0|clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0)"
    r"|(?:^|[;\s])(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:;|!|$)"
)
# Under a fifth of the letters around it, or under four pixels: `0.8em` is small, and not tiny.
TINY_LETTERS = re.compile(
    r"font-size\s*:\s*(?:0*\.?0+(?:[a-z]+|%)?|(?:[1-3](?:\.\d+)?|0*\.\d+)p[xt]|0*\.[01]\d*(?:r?em|ex|ch|mm|v[a-z]+)"
    r"|1?\d(?:\.\d+)?%)\s*(?:;|!|$)"
)
# Without one of these a place moves nothing.
_TAKES_AWAY = "overflow", "position", "indent", "margin", "transform", "clip-path"
SCREENS = frozenset({"all", "screen", ""})


@dataclass(frozen=True, slots=True)
class Concealed:
    """An element that may hide its words; `sure`: nothing but what was read decides about it."""

    node: LexborNode
    way: str  # how, for people
    sure: bool
    by_sheet: bool = False  # a stylesheet decides, and not the element's own markup


@lru_cache(maxsize=1024)
def way_of(style: str) -> str:  # a drawing has some ten styles, on thousands of its lines
    """Return how a style hides words, COLOUR where colours decide it; "" where it doesn't."""
    if _GONE.search(style):
        return BY_STYLE
    if TINY_LETTERS.search(style):
        return TINY
    if _FAR.search(style) and any(word in style for word in _TAKES_AWAY):
        return FAR_AWAY
    return COLOUR if "color" in style else ""


def is_for_screens(sheet: LexborNode) -> bool:
    """Return whether a style element is for what readers mostly have."""
    return (sheet.attributes.get("media") or "all").lower() in SCREENS


def hidden_by_sheets(
    tree: LexborHTMLParser, lowered: bytes, styles: PageStyles, *, scripted: bool, unread: bool
) -> Iterator[Concealed]:
    """Yield the elements that the sheets of the page hide, and that they show in no state.

    `unread`: the page has other sheets, which were not read.
    """
    ways: dict[int, tuple[str, bool]] = {}
    for node in styles.may_hide(tree):
        if node.tag in ("html", "body"):
            continue
        kind = styles.kind_of(node)
        if kind not in ways:
            ways[kind] = _way_by_sheet(node, styles, unread=unread)
        way, sure = ways[kind]
        if way == COLOUR:
            shown = scripted or _is_seen_within(node, styles, ("color:", "background:"))
            yield Concealed(node, COLOUR, sure and not shown, by_sheet=True)
        elif way:
            shown = _is_shown_elsewhere(node, way, styles.style_of(node), styles) or (
                way == BY_STYLE and b"print" in lowered and unread
            )
            yield Concealed(node, way, not shown, by_sheet=True)


def _way_by_sheet(node: LexborNode, styles: PageStyles, *, unread: bool) -> tuple[str, bool]:
    """Return how the sheets hide elements of this kind, "" where they don't; and whether colours are sure."""
    style = styles.style_of(node)
    way = way_of.__wrapped__(style)
    if way == COLOUR or (not way and "background" in style):
        same, sure = is_unreadable(node, ancestors_of(node), styled=unread, styles=styles)
        return (COLOUR, sure) if same else ("", False)
    return way, True


def _is_shown_elsewhere(node: LexborNode, way: str, style: str, styles: PageStyles) -> bool:
    """Return whether an element that `style` hides is shown in another state, by an animation or in its parts."""
    if "animation" in style or ("height:0" in style and "padding" in style):  # a padding makes a height of its own
        return True
    if any(way_of.__wrapped__(other) != way for other in styles.other_styles_of(node)):
        return True
    if way == TINY:
        return _is_seen_within(node, styles, ("font-size:",))
    return _is_invisible(style) and _is_seen_within(node, styles, ("visibility:visible",))


def _is_invisible(style: str) -> bool:
    return "visibility:hidden" in style and "display:none" not in style


def _is_seen_within(node: LexborNode, styles: PageStyles, declared: tuple[str, ...]) -> bool:
    """Return whether an element inside has a size, a colour or a visibility of its own."""
    inside = islice((each for each in node.css("*") if each.mem_id != node.mem_id), MAX_PARTS)
    return any(part in styles.style_of(each) for each in inside for part in declared)


def ancestors_of(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the elements around an element, the innermost first."""
    for _ in range(MAX_ANCESTORS):
        parent = node.parent
        if parent is None:
            return
        yield parent
        node = parent
