"""Can a reader see these letters? Their colour beside that of their ground, as far as the markup itself tells.

What an element says inline, or with the attributes of the old web, is read: `style`, `color` of font, `bgcolor`, `text`
of body. Where nothing is said, letters are black and the ground is white. A picture as a ground has any colour.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from selectolax.lexbor import LexborNode

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


def colour(written: str) -> Colour | None:
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


def is_unreadable(element: LexborNode, ancestors: Iterable[LexborNode], *, styled: bool) -> tuple[bool, bool]:
    """Return whether letters have the colour of their ground, and whether nothing but the markup decides about it.

    `ancestors` begin with the parent. `styled`: the page has a stylesheet, so that what says nothing may have a colour.
    """
    attributes = element.attributes
    found = _TEXT.search((attributes.get("style") or "").lower())
    written = found[1] if found else attributes.get("color") or ""
    if is_clear(written):
        return True, True
    letters = colour(written)
    if letters is None:
        return False, False
    sure = True
    for node in (element, *ancestors):
        said = _ground_of(node)
        if said:
            ground = colour(said)
            return ground is not None and _is_same(letters, ground), sure
        if node.tag != "html" and ("class" in node.attributes or "id" in node.attributes):
            sure = False
    return _is_same(letters, WHITE), sure and not styled


def _ground_of(node: LexborNode) -> str:
    attributes = node.attributes
    found = _GROUND.search((attributes.get("style") or "").lower())
    if found:
        return found[1].split("!")[0]
    if attributes.get("background"):
        return "a picture"
    return attributes.get("bgcolor") or ""


def _is_same(one: Colour, other: Colour) -> bool:
    return all(abs(first - second) <= NEARLY for first, second in zip(one, other, strict=True))
