"""How many pages has a shop with twelve lamps? As many as there are ways to tick its boxes: here 625.

Each filter adds itself to the query that stands there already. Every page lists some of the same twelve lamps, so that
none is a copy of another and none says anything new: only what the pages bring gives it away.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from demo.answer import FOUNDED, Answer
from demo.layout import framed, paragraphs

if TYPE_CHECKING:
    from demo.request import Visit

_FILTERS = {
    "colour": ("amber", "green", "milk", "smoke"),
    "foot": ("brass", "clay", "oak", "stone"),
    "light": ("bright", "dim", "soft", "warm"),
    "sort": ("maker", "name", "price", "year"),
}
_LAMPS = (
    "The heron: stands on one leg and looks at your book.", "The miner: to be hung from a nail, with a hood.",
    "The moonstone: so dim that only moths have complained.", "The captain: swings, and keeps its flame upright.",
    "The aunt: fringed, upright, and never wrong.", "The firefly: goes out when one looks at it.",
    "The scholar: green above, white below, ink stains included.", "The baker: gives the light of four in the morning.",
    "The opera: eleven crystals, and room for a twelfth.", "The cellar: smells faintly of apples.",
    "The post: blue, for telegrams only.", "The visitor: leaves at ten.",
)  # fmt: skip
_SHOWN = 5


def lamps(visit: Visit) -> Answer:
    """Answer with the lamps that a choice of filters leaves, and the links that add one filter more."""
    chosen = {name: value for name, value in visit.query.items() if value in _FILTERS.get(name, ())}
    first = sum(_FILTERS[name].index(value) * 5**place for place, (name, value) in enumerate(sorted(chosen.items())))
    step = (1, 5, 7, 11)[len(chosen) % 4]
    listed = paragraphs(*(_LAMPS[(first + place * step) % len(_LAMPS)] for place in range(_SHOWN)))
    links = "\n".join(
        f'<li><a href="/lamps?{escape(urlencode(sorted((chosen | {name: value}).items())))}">{value}</a></li>'
        for name, values in _FILTERS.items()
        for value in values
    )
    return Answer(
        200, framed("Lamps", f"{listed}\n<ul>\n{links}\n</ul>", site="The Lamp Shop", hue=48), modified=FOUNDED
    )
