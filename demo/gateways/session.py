"""How many pages are three pages? As many as there are visitors, where each link carries a session of its own.

The shop has a counter and two shelves. A link without a session gets one, and every link gets a new one: the URLs
never come to an end while the texts never change. Fingerprints end it: the links of a known page are not followed.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from demo.answer import FOUNDED, Answer
from demo.gateways.missing import honest
from demo.layout import framed, paragraphs

if TYPE_CHECKING:
    from demo.request import Visit

_SHELVES = {
    "/shop": (
        "The Almanac shop",
        (
            "Wooden calendars, moon charts, jars and seeds. The shopkeeper remembers everybody by a number on a paper "
            "slip, hands you a fresh slip at each step, and forgets the one before."
        ),
    ),
    "/shop/jam": (
        "The shelf of jam",
        (
            "Plum, damson, gooseberry, and a jar without a label that nobody has dared to open since the flood. Jam is "
            "sold on days with an R in their name, and given away on the others."
        ),
    ),
    "/shop/seeds": (
        "The drawer of seeds",
        (
            "Poppies for forgetting, peas for remembering, pumpkins for those who have a wheelbarrow. Sow when the "
            "blackbird begins, says the almanac, and blame the blackbird."
        ),
    ),
}


def counter(visit: Visit) -> Answer:
    """Answer with the counter or a shelf; every link carries a session id that nobody has seen before."""
    if visit.path not in _SHELVES:
        return honest(visit.path)
    title, text = _SHELVES[visit.path]
    session = visit.query.get("sid", "")
    links = [
        f'<li><a href="{path}?sid={_next_session(session, visit.path, path)}">{name}</a></li>'
        for path, (name, _) in _SHELVES.items()
        if path != visit.path
    ]
    body = paragraphs(text) + "\n<ul>\n" + "\n".join(links) + "\n</ul>"
    return Answer(200, framed(title, body, site="The Almanac", hue=265), modified=FOUNDED)


def _next_session(session: str, here: str, there: str) -> str:
    return sha256(f"{session} {here} {there}".encode()).hexdigest()[:16]
