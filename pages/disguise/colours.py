"""Can a reader see these letters? Their colour beside that of their ground, as far as the markup itself tells.

An element says it in a stylesheet, inline, or with the attributes of the old web: `style`, `color` of font, `bgcolor`,
`text` of body. Where nothing is said, letters are black and the ground is white. A picture as a ground has any colour.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from selectolax.lexbor import LexborNode

    from pages.disguise.page_styles import PageStyles

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
    """Return whether letters have the colour of their ground, and whether nothing but what was read decides about it.

    `ancestors` begin with the parent. `styled`: the page has a stylesheet that was not read, so that what says nothing
    may have a colour. `styles` are the sheets that were.
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
    """Return the colour of an element's letters as it is written, and whether the element itself sets it."""
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
