"""Which questions does a page lead to, and who takes the answer? One door to the three kinds of probes.

`trap_probe.py` asks whether a site makes up the pages of a pattern, `missing.py` what it says for a page that is not
there, `twice.py` what changes though nobody edits it (docs/decisions/0019-what-a-site-is-asked-about-itself.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from frontier.followers.missing_page import consider_asking, store_missing
from frontier.followers.second_fetch import consider_fetching_twice
from frontier.followers.trap_probe import consider_trap, store_made_up

if TYPE_CHECKING:
    from frontier.outcomes.lease import LeasedUrl, Ledger
    from urls.records import Outcome, Page


def consider_probing(ledger: Ledger, leased: LeasedUrl, page: Page, *, first: bool, news: bool) -> bool:
    """Ask what is to be asked after a page; return whether anything goes before all else now.

    `first`: the page was stored for the first time; `news`: it says something new.
    """
    asked = consider_asking(ledger, leased, page, fresh=first)
    asked = (news and consider_trap(ledger, leased, page)) or asked
    return (first and consider_fetching_twice(ledger, leased, page)) or asked


def store_answer(ledger: Ledger, leased: LeasedUrl, answer: Page | Outcome) -> None:
    """End the lease of an address that was made up, and draw the conclusion."""
    (store_missing if leased.purpose is Purpose.MISSING else store_made_up)(ledger, leased, answer)


def is_made_up(leased: LeasedUrl) -> bool:
    """Return whether Breadcrumb made up the address: what comes is an answer, and no page."""
    return leased.purpose in {Purpose.TRAP, Purpose.MISSING}
