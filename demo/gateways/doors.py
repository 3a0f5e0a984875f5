"""What if each page leads to one that did not exist before? A gateway that invents its own web.

The names have no number and no repetition, and no two pages have the same text: the only thing that grows is the
distance from the home page, so only a limit on depth ends the walk (*HTTP: The Definitive Guide*, 9.1.9).
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from demo.answer import FOUNDED, Answer
from demo.layout import framed, paragraphs

if TYPE_CHECKING:
    from demo.request import Visit

_MOODS = ("shy", "merry", "stern", "drowsy", "proud", "kind", "sly", "brave", "vain", "solemn", "gruff", "dreamy")
_WOODS = ("oak", "ash", "elm", "pear", "walnut", "cherry", "larch", "yew", "plum", "birch", "cedar", "willow")
_METALS = ("brass", "copper", "iron", "silver", "tin", "bronze", "pewter", "gold", "lead", "steel", "zinc", "nickel")
_THINGS = ("fox", "lantern", "beetle", "thistle", "raven", "kettle", "feather", "comet", "snail", "harp", "wren", "key")
_ROOMS = (
    "a pantry with one jar of moonlight", "a stair that smells of oranges", "a room where it rains upwards",
    "a shelf of maps of other shelves", "a clockmaker asleep at noon", "an orchestra of teaspoons",
    "a window onto last Tuesday", "a school for weathercocks", "a very small sea with one boat",
    "a wardrobe full of echoes", "a table laid for nine and a half", "a library of unsent postcards",
)  # fmt: skip
_SOUNDS = (
    "Somebody hums next door.", "The floor creaks in three-four time.", "It is quite silent, as if listening.",
    "A tap drips in another year.", "Far away a gate falls shut.", "You hear pages turning themselves.",
    "A bee has come in with you.", "There is applause, for no reason.", "A cat says your name, nearly.",
)  # fmt: skip


_WORDS = (_MOODS, _WOODS, _METALS, _THINGS)
DOORS = 12**4  # every name that the words make; after so many the corridor begins again, and nobody has seen it
_STRIDE, _STEP = 6421, 7919  # a full walk through all names: Knuth, The Art of Computer Programming, 3.2.1.2


def door(visit: Visit) -> Answer:
    """Answer with the room behind a door, and the one door that leads on."""
    number = _number(visit.path.removeprefix("/doors/"))
    name = " ".join(_name(number)) if number else "first"
    onward = _name((number * _STRIDE + _STEP) % DOORS)
    mood, wood, metal, thing = onward
    dice = sha256(name.encode()).digest()
    rooms = [_ROOMS[(dice[0] + place * 5) % len(_ROOMS)] for place in range(2)]
    sound = _SOUNDS[dice[1] % len(_SOUNDS)]
    body = paragraphs(
        f"Behind the {name} door you find {rooms[0]}, and beyond that {rooms[1]}. {sound}",
        f"There is one more door, and it looks {mood}. It is of {wood}, with a knocker of {metal} in the shape of a "
        f"{thing}. You may have read that all corridors end. Not this one: it is made while you walk.",
    )
    body += f'\n<p><a href="/doors/{"-".join(onward)}">Open it</a></p>'
    return Answer(200, framed(f"The {name} door", body, site="The Almanac", hue=265), modified=FOUNDED)


def _name(number: int) -> tuple[str, ...]:
    """Return the four words of a door: its number, written with twelve digits."""
    return tuple(words[number // 12**place % 12] for place, words in enumerate(_WORDS))


def _number(name: str) -> int:
    """Return the number of a door, 0 for a name that none of them has."""
    parts = name.split("-")
    if len(parts) != len(_WORDS) or any(part not in words for part, words in zip(parts, _WORDS, strict=True)):
        return 0
    return sum(words.index(part) * 12**place for place, (part, words) in enumerate(zip(parts, _WORDS, strict=True)))
