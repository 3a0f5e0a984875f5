"""Which styles and colours hide text, and which elements do the stylesheets of a page hide? Each way has a name.

Another rule may show an element that a sheet hides: in a state (`:hover`, `:checked`), on another screen or on paper,
by an animation, or in its parts, which may have a size or a colour of their own. Then nothing is sure.

Text of the colour of its background is hidden too. A stylesheet, a style attribute, or the attributes of the old web
set colours: `color` of font, `bgcolor`, `text` of body. Without any of them, text is black on white. A background
image has any colour.
"""

from __future__ import annotations

import re
from colorsys import hls_to_rgb
from contextlib import suppress
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
_NEARLY_NONE = r"(?:0+(?:\.0\d*)?|\.0\d*)"  # under a tenth of what would be seen
_ALPHA = rf"(?:{_NEARLY_NONE}|\d(?:\.\d*)?%)"
_GONE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    rf"|opacity\s*(?::\s*{_ALPHA}\s*(?:;|!|$)|\(\s*{_ALPHA}\s*\))|zoom\s*:\s*{_NEARLY_NONE}\s*(?:;|!|$)"
)
# No value has a colon here: with one, a style of a megabyte would be read again from each place.
_FAR = re.compile(
    r"(?:text-indent|margin-left|margin-top|left|top|right|bottom|inset)\s*:\s*-\s*(?:\d{4,}|[5-9]\d\d|\d{2,3}r?em)"
    r"|(?:text-indent|left|right)\s*:\s*(?:-\s*\d{3,}(?:%|vw)|[3-9]\d{3}|\d{5,})|text-indent\s*:\s*\d{3,}%"
    r"|(?:margin|inset|translate)\s*:[^:;]*-\s*\d{4,}|translate(?:[xy3]d?)?\(\s*+(?:-\s*+)?(?:\d{4,}|(?<=-)\d{3,}(?:%|v[wh]))"
    rf"|scale(?:[xyz]|3d)?\(\s*{_NEARLY_NONE}\s*[,)]|(?:^|[;\s])scale\s*:\s*{_NEARLY_NONE}\s*(?:;|!|$)"
    r"|rotate[xy]\(\s*-?(?:90|270)deg|matrix(?:3d)?\(\s*0\s*,\s*0\s*,"
    r"|clip\s*:\s*rect\(\s*(?:[01](?:px)?[\s,]*){4}\)"
    r"|clip-path\s*:\s*(?:inset\(\s*(?:[5-9]\d|100)%|(?:circle|ellipse)\(\s*0|polygon\([^1-9:;]*\))"
    r"|(?:^|[;\s])(?:max-)?(?:height|width|block-size|inline-size)\s*:\s*"
    r"(?:0+(?:\.0*)?(?:[a-z]+|%)?|(?:0*\.\d+|1)(?:px)?)\s*(?:;|!|$)"
)
# Under a fifth of the letters around it, or under four pixels: `0.8em` is small, and not tiny.
TINY_LETTERS = re.compile(
    r"font-size\s*:\s*(?:(?:0++(?:\.0++)?|\.0++)(?:[a-z]+|%)?|(?:[1-3](?:\.\d+)?|0*\.\d+)p[xt]|0*\.[01]\d*(?:r?em|ex|ch|mm|v[a-z]+)"
    r"|1?\d(?:\.\d+)?%)\s*(?:;|!|$)"
)
# Without one of these a place moves nothing.
_TAKES_AWAY = "overflow", "position", "indent", "margin", "transform", "clip-path", "scale:", "translate:"


_SHOWS_LATER = re.compile(r"animation(?:-name)?:(?!none)")
_PADDED = re.compile(r"padding(?:-\w+)?:[^:;]*[1-9]")  # a padding makes a height of its own


def may_hide(style: str) -> bool:
    """Return whether declarations may hide words by themselves or with others, apart from their colour."""
    return any(pattern.search(style) for pattern in (_GONE, TINY_LETTERS, _FAR))


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
    if _SHOWS_LATER.search(style) or ("height:0" in style and _PADDED.search(style)):
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
    inside = islice((each for each in node.traverse() if each.mem_id != node.mem_id), MAX_PARTS)
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
    "ivory": (255, 255, 240), "whitesmoke": (245, 245, 245), "ghostwhite": (248, 248, 255), "azure": (240, 255, 255),
    "aliceblue": (240, 248, 255), "honeydew": (240, 255, 240), "mintcream": (245, 255, 250),
    "floralwhite": (255, 250, 240), "lavenderblush": (255, 240, 245),
}  # fmt: skip
_HEX = re.compile(r"#?(?:([0-9a-f]{6})([0-9a-f]{2})?|([0-9a-f]{3})([0-9a-f])?)")
_FUNCTION = re.compile(
    r"(rgb|hsl)a?\(\s*([\d.]{1,9})(?:deg)?(%?)(?:\s*+,|\s)\s*+([\d.]{1,9})%?(?:\s*+,|\s)\s*+([\d.]{1,9})%?\s*"
    r"(?:[,/]\s*[\d.]+%?\s*)?\)"
)
_CLEAR = re.compile(rf"transparent|#(?:[0-9a-f]{{3}}[01]|[0-9a-f]{{6}}[01].)|(?:rgb|hsl)a?\(.*[,/]\s*{_ALPHA}\s*\)")
_CLEAR_PARTS = 4  # of a colour that has an opacity: without one, the last is blue or the lightness
_TEXT = re.compile(r"(?:^|[;\s])color\s*:\s*([^;!]+)")
_FILL = re.compile(r"text-fill-color\s*:\s*([^;!]+)")  # wins over the other
_SHADOW = re.compile(r"text-shadow:(?!none)([^;]*)")
_GROUND = re.compile(r"(?:^|[;\s])background(?:-color)?\s*:\s*([^;!]+)")
_OVERLAID = re.compile(r"(?:^|;)(?:position:(?!static)|transform:(?!none)|margin(?:-\w+)?:[^:;]*-\d)")
# Letters through which the ground is seen, or that have a shadow.
_VISIBLE_ANYWAY = re.compile(r"background-clip:\s*text")
_GROUNDLESS = frozenset({"none", "0", "inherit", "initial", "unset", "revert"})
_INHERITED = frozenset({"inherit", "currentcolor", "unset", "initial", "revert"})


def read_colour(written: str) -> Colour | None:
    """Read a colour; None where it is none that is known here."""
    written = written.strip().lower()
    if written in _NAMES:
        return _NAMES[written]
    if match := _HEX.fullmatch(written):
        digits = match[1] or "".join(2 * digit for digit in match[3])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if match := _FUNCTION.fullmatch(written):
        with suppress(ValueError):  # such as two points
            one, two, three = (float(match[part]) for part in (2, 4, 5))
            if match[1] == "hsl":
                one, two, three = (255 * part for part in hls_to_rgb(one / 360, three / 100, two / 100))
            share = 2.55 if match[3] else 1
            return round(min(share * one, 255)), round(min(share * two, 255)), round(min(share * three, 255))
    return None


def is_clear(written: str) -> bool:
    """Return whether a colour lets nearly everything through."""
    written = written.strip().lower()
    parts = len(re.split(r"[,/\s]+(?!\))", written)) if "(" in written else _CLEAR_PARTS
    return parts >= _CLEAR_PARTS and _CLEAR.fullmatch(written) is not None


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
    if not letters or not (is_own or styles):
        return False, False
    sure = True
    for node in (element, *above):
        style = _style_of(node, styles)
        said = _ground_of(node, style)
        if said and not is_clear(said) and said.strip() not in _GROUNDLESS:
            ground = read_colour(said)
            if written and ground:
                return is_near(written, ground), sure
            return said.strip() in (letters.strip(), "currentcolor"), sure  # whatever colour that is
        if styles is not None and _OVERLAID.search(style):
            return False, False  # it may stand before a picture or another element
        if node.tag != "html" and (styled or styles is None) and not node.attributes.keys().isdisjoint(("class", "id")):
            sure = False
    return written is not None and is_near(written, WHITE), sure and not styled


def _letters_of(element: LexborNode, above: tuple[LexborNode, ...], styles: PageStyles | None) -> tuple[str, bool]:
    """Return the text colour of an element as it is written, and whether the element itself sets it."""
    for node in (element, *above) if styles else (element,):
        style = _style_of(node, styles)
        found, shadow = _FILL.search(style) or _TEXT.search(style), _SHADOW.search(style)
        if _VISIBLE_ANYWAY.search(style) or (shadow and not (found and found[1].strip() in shadow[1])):
            return "", False
        if found:
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
