"""How far can one count? A page a number, each with a link to the next: the plainest trap there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.answer import FOUNDED, Answer
from demo.gateways.missing import honest
from demo.layout import framed, paragraphs

if TYPE_CHECKING:
    from demo.request import Visit

MOST_DIGITS = 12  # of a number; a longer one is no reading
_STEPS = (1, 10, 100)


def reading(visit: Visit) -> Answer:
    """Answer with one reading of the water meter, and the links to later ones."""
    number = visit.path.removeprefix("/reading/")
    if not number.isdecimal() or len(number) > MOST_DIGITS:
        return honest(visit.path)
    body = paragraphs(f"The meter of Seedville shows {number} buckets. It has never been known to stop.")
    links = " · ".join(f'<a href="/reading/{int(number) + step}">{step} on</a>' for step in _STEPS)
    return Answer(
        200, framed(f"Reading {number}", f"{body}\n<p>{links}</p>", site="The Waterworks", hue=190), modified=FOUNDED
    )
