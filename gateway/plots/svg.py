"""What is a plot made of? Elements of SVG 1.1, whose text and attributes are escaped by markupsafe, in a fixed box.

The box is WIDTH units wide, and a browser draws it as wide as the page allows. So there is room for letters of
CHARACTER units, which is what a phone needs; on wider screens the style makes them smaller.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 360  # units: a phone of 320 pixels shows a unit as .8 of them
CHARACTER = 7.6  # units that one character takes, at most: 13 units high, as `inside.css` has it on a phone
LINE = 16  # units from one line of text to the next
COLOURS = 6  # that `inside.css` has for lines; a seventh has the first one again
# XML 1.0, 2.2: what no document may have, however it is escaped.
_NO_CHARACTERS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture, and its numbers as a table. Without any numbers the picture is a sentence."""

    title: str
    picture: Markup
    head: tuple[str, ...] = ()
    rows: Sequence[Sequence[str | Markup]] = field(default=())


def nothing_to_draw(title: str, sentence: str) -> Plot:
    """Return a plot without numbers: the sentence says why there are none."""
    return Plot(title, element("p", sentence, class_="quiet"))


def drawing(title: str, says: str, height: float, *parts: Markup, role: str = "img") -> Markup:
    """Return the whole picture. `says` tells who can't see it what it shows; one that has links is a `group`."""
    names = (element("title", title), element("desc", says))
    box = f"0 0 {WIDTH} {height:g}"
    return element("svg", *names, *parts, viewBox=box, role=role, class_="plot", focusable="false")


def element(tag: str, *content: str, **attributes: object) -> Markup:
    """Return an element; a name ends with _ where Python has the word, and - is written _."""
    inside = Markup("").join(escape(permitted(piece)) for piece in content)
    told = Markup("").join(
        Markup(' {}="{}"').format(_attribute(name), permitted(_figure(value))) for name, value in attributes.items()
    )
    return Markup("<{0}{1}>{2}</{0}>").format(tag, told, inside)


def permitted(text: str) -> str:
    """Return a text without what XML forbids; markup stays markup."""
    return text if isinstance(text, Markup) else _NO_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text)


def text(words: str, x: float, y: float, anchor: str = "start", kind: str = "label") -> Markup:
    """Return words at a place, with `anchor` (start, middle, end) there."""
    return element("text", words, x=x, y=y, text_anchor=anchor, class_=kind)


def fitting(words: str, units: float) -> str:
    """Return as much of some words as there is room for."""
    room = max(int(units / CHARACTER + 0.01), 1)  # 3 * 7.6 is a little less than 22.8, for a computer
    return words if len(words) <= room else words[: room - 1] + "…"


def linked(name: str, href: str) -> str | Markup:
    """Return a name as a link, if it leads somewhere."""
    return Markup('<a href="{}">{}</a>').format(href, permitted(name)) if href else permitted(name)


def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _figure(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
