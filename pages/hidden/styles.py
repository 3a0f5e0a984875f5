"""Which styles and colours hide text, and which elements do the stylesheets of a page hide? Each way has a name.

Another rule may show an element that a sheet hides: in a state (`:hover`, `:checked`), on another screen or on paper,
by an animation, or in its parts, which may have a size or a colour of their own. Then nothing is sure.

Text of the colour of its background is hidden too. A stylesheet, a style attribute, or the attributes of the old web
set colours: `color` of font, `bgcolor`, `text` of body. Without any of them, text is black on white. A background
image has any colour.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pages.hidden.page_styles import PageStyles


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
class HiddenElement:
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
) -> Iterator[HiddenElement]:
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
            yield HiddenElement(node, COLOUR, sure and not shown, by_sheet=True)
        elif way:
            shown = _is_shown_elsewhere(node, way, styles.style_of(node), styles) or (
                way == BY_STYLE and b"print" in lowered and unread
            )
            yield HiddenElement(node, way, not shown, by_sheet=True)


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


Colour = tuple[int, int, int]  # red, green, blue: 0 to 255
WHITE: Colour = (255, 255, 255)
NEARLY = 16  # a difference in each of the three that hardly any screen shows
_NAMES = {
    "white": WHITE, "black": (0, 0, 0), "silver": (192, 192, 192), "gray": (128, 128, 128), "grey": (128, 128, 128),
    "red": (255, 0, 0), "maroon": (128, 0, 0), "yellow": (255, 255, 0), "olive": (128, 128, 0), "lime": (0, 255, 0),
    "green": (0, 128, 0), "aqua": (0, 255, 255), "cyan": (0, 255, 255), "teal": (0, 128, 128), "blue": (0, 0, 255),
    "navy": (0, 0, 128), "fuchsia": (255, 0, 255), "purple": (128, 0, 128), "snow": (255, 250, 250),
    "ivory": (255, 255, 240), "whitesmoke": (245, 245, 245), "ghostwhite": (248, 248, 255),
}  # fmt: skip
_HEX = re.compile(r"#?(?:([0-9a-f]{6})(?:[0-9a-f]{2})?|([0-9a-f]{3})[0-9a-f]?)")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*(?:[,/]\s*([\d.]+%?)\s*)?\)")
_TEXT = re.compile(r"(?:^|[;\s])color\s*:\s*([^;!]+)")
_GROUND = re.compile(r"(?:^|[;\s])background(?:-color)?\s*:\s*([^;!]+)")
_OVERLAID = re.compile(r"(?:^|;)(?:position:(?!static)|transform:(?!none)|margin(?:-\w+)?:[^;]*-\d)")
# Letters through which the ground is seen, or that have a shadow.
_VISIBLE_ANYWAY = re.compile(r"text-fill-color|background-clip:\s*text|text-shadow:(?!none)")
_GROUNDLESS = frozenset({"none", "0", "inherit", "initial", "unset", "revert"})
_INHERITED = frozenset({"inherit", "currentcolor", "unset", "initial", "revert"})


def read_colour(written: str) -> Colour | None:
    """Read a colour; None where it is none that is known here."""
    written = written.strip().lower()
    if written in _NAMES:
        return _NAMES[written]
    if match := _HEX.fullmatch(written):
        digits = match[1] or "".join(2 * digit for digit in match[2])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if match := _RGB.fullmatch(written):
        return min(int(match[1]), 255), min(int(match[2]), 255), min(int(match[3]), 255)
    return None


def is_clear(written: str) -> bool:
    """Return whether a colour lets everything through."""
    match = _RGB.fullmatch(written.strip().lower())
    return written.strip().lower() == "transparent" or (match is not None and (match[4] or "1").strip("0.%") == "")


def is_unreadable(
    element: LexborNode, ancestors: Iterable[LexborNode], *, styled: bool, styles: PageStyles | None = None
) -> tuple[bool, bool]:
    """Return whether text has the colour of its background, and whether that is sure.

    `ancestors` begin with the parent. `styled`: the page has an unread stylesheet, so an element without a colour
    may have one. `styles` are the sheets that were.
    """
    above = tuple(ancestors)
    letters, is_own = _letters_of(element, above, styles)
    if is_clear(letters):
        return True, True
    written = read_colour(letters)
    if written is None or not (is_own or styles):
        return False, False
    sure = True
    for node in (element, *above):
        style = _style_of(node, styles)
        said = _ground_of(node, style)
        if said and not is_clear(said) and said.strip() not in _GROUNDLESS:
            ground = read_colour(said)
            return ground is not None and is_near(written, ground), sure
        if styles is not None and _OVERLAID.search(style):
            return False, False  # it may stand before a picture or another element
        if node.tag != "html" and (styled or styles is None) and not node.attributes.keys().isdisjoint(("class", "id")):
            sure = False
    return is_near(written, WHITE), sure and not styled


def _letters_of(element: LexborNode, above: tuple[LexborNode, ...], styles: PageStyles | None) -> tuple[str, bool]:
    """Return the text colour of an element as it is written, and whether the element itself sets it."""
    for node in (element, *above) if styles else (element,):
        style = _style_of(node, styles)
        if _VISIBLE_ANYWAY.search(style):
            return "", False
        if found := _TEXT.search(style):
            if found[1].strip() not in _INHERITED:
                return found[1], node is element
        elif written := node.attributes.get("color"):
            return written, node is element
    return ("black" if styles else ""), False


def _style_of(node: LexborNode, styles: PageStyles | None) -> str:
    return styles.style_of(node) if styles else (node.attributes.get("style") or "").lower()


def _ground_of(node: LexborNode, style: str) -> str:
    found = _GROUND.search(style)
    if found:
        return found[1].split("!")[0]
    if node.attributes.get("background"):
        return "a picture"
    return node.attributes.get("bgcolor") or ""


def is_near(one: Colour, other: Colour) -> bool:
    """Return whether hardly any screen shows a difference between two colours."""
    return all(abs(first - second) <= NEARLY for first, second in zip(one, other, strict=True))
