"""What is written for a redirect? Its target enters the frontier; where it ends nowhere, the journal says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.credentials import hidden_in
from crawldb.frontier.canonical import canonicalize
from crawldb.frontier.discovery import Origin
from crawldb.state import State
from crawldb.tables.removal import take_out

if TYPE_CHECKING:
    from crawldb.ended.ledger import Ledger
    from crawldb.page import Outcome

MAX_HOPS = 10  # redirects in a row; browsers give up at 20, RFC 9110 names no number


def store_move(ledger: Ledger, url: int, outcome: Outcome, depth: int, hops: int) -> None:
    """End the lease of a URL that leads elsewhere, and take what was stored under it out of the results."""
    take_out(ledger.database, ledger.journal, url, ledger.links)
    rule, reason, target = outcome.rule, outcome.reason, None
    if hops >= MAX_HOPS:
        rule, reason = "redirect-limit", f"it is the {hops + 1}th redirect in a row; {MAX_HOPS} are followed"
    else:
        shown = hidden_in(outcome.target or "")
        found = ledger.discovery.discover([outcome.target or ""], Origin("redirect", url, depth, hops + 1))
        target = found.ids.get(outcome.target or "")
        if found.off_site:
            rule, reason = "off-site", f"it redirects to {shown}, which is not on a seed's site"
        elif found.handed_over:
            reason += f"; another part of the crawl has its host, and was told of {shown}"
        elif target is None:
            rule, reason = "bad-location", f"it redirects to {shown!r}, which is refused"
        elif leads_back(ledger, target, url):
            rule, reason = "redirect-loop", f"its redirect to {shown} leads back to it"
            reason += _by_an_option(ledger, outcome.target or "")
    failed = rule in {"redirect-limit", "redirect-loop", "bad-location"}
    ledger.journal.write(url, rule, reason, [outcome.target or ""])
    ledger.end(url, State.FAILED if failed else State.DONE, rule, moved_to=target)


def _by_an_option(ledger: Ledger, target: str) -> str:
    """Return which option of the site makes a redirect's target the URL that was asked for, or nothing."""
    refusal = ledger.discovery.policy.options.refusal(canonicalize(target))
    return f": {refusal.reason}; ./breadcrumb suggest --off switches an option off" if refusal else ""


def leads_back(ledger: Ledger, target: int, url: int) -> bool:
    """Return whether the redirects from `target` on come to `url` again."""
    here: object = target
    for _ in range(MAX_HOPS + 1):
        if here == url:
            return True
        here = ledger.database.value("SELECT moved_to FROM url WHERE id = ?", here)
    return False
