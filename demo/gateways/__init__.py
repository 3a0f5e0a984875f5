"""Which pages are made by a program at the moment they are asked for? Those below these paths.

The book calls such a program a gateway, and its pages a dynamic virtual web space: nothing in a URL tells that no
file stands behind it. All of ours make the same page again for the same URL, so that a trap can be walked twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.gateways import (
    calendar,
    cloakroom,
    doors,
    filters,
    footsteps,
    guestbook,
    ledger,
    meter,
    missing,
    session,
    ticket,
    wharf,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from demo.answer import Answer
    from demo.request import Visit

# By site and path; one that ends in a slash stands for everything below it.
GATEWAYS: dict[tuple[str, str], Callable[[Visit], Answer]] = {
    ("almanac", "/calendar"): calendar.month,
    ("almanac", "/doors/"): doors.door,
    ("almanac", "/shop"): session.counter,
    ("almanac", "/shop/"): session.counter,
    ("cloakroom", "/slip/"): cloakroom.room,
    ("lampshop", "/lamps"): filters.lamps,
    ("lighthouse", "/stairs/"): footsteps.stairs,
    ("lighthouse", "/lamp/"): footsteps.lamp,
    ("museum", "/guestbook"): guestbook.guestbook,
    ("station", "/ledger.txt"): ledger.ledger,
    ("station", "/ticket"): ticket.ticket,
    ("waterworks", "/reading/"): meter.reading,
    ("wharf", "/boats/"): wharf.boats,
}


def gateway_for(site: str, path: str) -> Callable[[Visit], Answer] | None:
    """Return the program that makes the page at `path`, or None where there is a file or nothing."""
    for (home, place), program in GATEWAYS.items():
        if home == site and (path == place or (place.endswith("/") and path.startswith(place))):
            return program
    return None


def missing_page(site: str, path: str) -> Answer:
    """Return what a site says of a page that it does not have: one is too friendly to say 404, one is too busy."""
    return {"gazette": missing.friendly, "wharf": wharf.praise}.get(site, missing.honest)(path)
