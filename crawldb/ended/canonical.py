"""What follows from a page's canonical address? It enters the frontier, and the page stands aside for it.

The address is judged like a link: off-site ones are told in the journal and no more, private ones and ports fall under
the same rules. A row of pages of which each names the next ends like a row of redirects.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.ended.moved import MAX_HOPS
from crawldb.page import Refusal
from crawldb.tables.canonicals import CANONICAL, reason, stands
from crawldb.visited.lookup import find

if TYPE_CHECKING:
    from crawldb.ended.ledger import Ledger
    from crawldb.frontier.discovery import Origin
    from crawldb.page import Page


def find_canonical(ledger: Ledger, page: Page, origin: Origin) -> int | None:
    """Return the id of the other URL in scope that a page names as its canonical address, which may be a new one."""
    named = page.canonical
    if not named or named == page.url:
        return None
    if origin.hops > MAX_HOPS and find(ledger.connection, named) is None:
        why = f"the canonical address is not followed: it is the {origin.hops}th in a row"
        ledger.journal.write(origin.source, CANONICAL, why, [named])
        return None
    found = ledger.discovery.discover([named], origin)
    if found.off_site:
        why = f"the page names {named[:200]} as its canonical address, which is not on a seed's site"
        ledger.journal.write(origin.source, "warning", why)
    if found.handed_over:
        why = f"the page names {named[:200]} as its canonical address, which is in another part: both stay in the index"
        ledger.journal.write(origin.source, "warning", why)
    target = found.ids.get(named)
    return None if target == origin.source else target


def aside(ledger: Ledger, page: Page, canonical: int | None) -> Page:
    """Return the page as it is to be stored: refused where it is a copy by its own word, of a page in the index."""
    if canonical is None or page.refusals or not stands(ledger.database, canonical):
        return page
    return replace(page, refusals=(Refusal(CANONICAL, reason(page.canonical or "")),))
