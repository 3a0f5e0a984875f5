"""What if the session stands in the path? Then three rooms are new rooms for each visitor, and every link makes one.

Each page shows the number of the slip, so that none is a copy of another. The slip in the path is the sign: a token
that is never the same, before names that always are.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from demo.answer import FOUNDED, Answer
from demo.gateways.missing import honest
from demo.layout import framed, paragraphs

if TYPE_CHECKING:
    from demo.request import Visit

_ROOMS = {
    "coats": "Forty pegs, thirty-nine coats, and a cat who has taken the last one and will not be moved.",
    "hats": "Hats are kept by size of head, opinions by size of hat. A top hat at the back is believed to be occupied.",
    "umbrellas": "Umbrellas come in with the rain and go out with whoever comes first. Nobody has owned one for years.",
}
TOKEN_LENGTH = 24


def room(visit: Visit) -> Answer:
    """Answer with one room of the cloakroom; each of its links has a slip that nobody has seen before."""
    slip, _, name = visit.path.removeprefix("/slip/").partition("/")
    if name not in _ROOMS or len(slip) > TOKEN_LENGTH:
        return honest(visit.path)
    links = "\n".join(f'<li><a href="/slip/{_next(slip, name, other)}/{other}">{other}</a></li>' for other in _ROOMS)
    body = paragraphs(_ROOMS[name], f"Your slip has the number {slip}. Please keep it.")
    page = framed(f"The room of {name}", f"{body}\n<ul>\n{links}\n</ul>", site="The Cloakroom", hue=320)
    return Answer(200, page, modified=FOUNDED)


def _next(slip: str, here: str, there: str) -> str:
    return sha256(f"{slip} {here} {there}".encode()).hexdigest()[:TOKEN_LENGTH]
