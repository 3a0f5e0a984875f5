"""What if a site has a cheerful page for everything? The Wharf Exchange sells whatever it is asked for.

Its boats are pages like any other. Of a boat that was sold long ago, or never was, it says no word of apology: it
praises the name in the address, with status 200. No list of customary sentences knows that page. Only who asks for a
name that cannot be there learns what the site says where it has nothing.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from demo.answer import FOUNDED, Answer
from demo.layout import framed, paragraphs

if TYPE_CHECKING:
    from demo.request import Visit

SITE, HUE = "Wharf Exchange", 200
SHOWN = 60  # characters of a name that a page repeats
_BOATS: dict[str, str] = tomllib.loads((Path(__file__).parent / "wharf.toml").read_text("utf-8"))  # by name


def boats(visit: Visit) -> Answer:
    """Answer with the list of boats, with one of them, or with praise for whatever was asked for."""
    name = visit.path.removeprefix("/boats/")
    if not name:
        items = "".join(f'<li><a href="/boats/{boat}">{boat.title()}</a></li>\n' for boat in _BOATS)
        body = paragraphs("Whatever floats and has an owner who would rather it floated elsewhere.")
        return _page("Boats on offer", f"{body}\n<ul>\n{items}</ul>")
    told = _BOATS.get(name)
    return _page(f"The {name.title()}", paragraphs(told)) if told else praise(visit.path)


def praise(path: str) -> Answer:
    """Answer for a page that is not there as if it were the pride of the house."""
    name = path.rstrip("/").rpartition("/")[2][:SHOWN]
    body = paragraphs(
        f"You have chosen {name}, and you have chosen well. Nobody on this coast has a finer one, at a fairer price.",
        "Our agents row out at dawn to bring it in. Leave a deposit with the harbour master, mention the parrot, and "
        "bring a rope that you will not need again.",
    )
    return _page(f"{name}, fresh from the quay", body)


def _page(title: str, body: str) -> Answer:
    menu = '<p><a href="/boats/">All boats</a></p>'
    return Answer(200, framed(title, f"{body}\n{menu}", site=SITE, hue=HUE), modified=FOUNDED)
