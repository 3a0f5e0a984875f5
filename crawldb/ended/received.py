"""What is written for URLs that another part of a divided crawl hands over? They enter the frontier, judged like links.

That they were taken is noted in the same transaction. So a kill in between brings them once more, which does no harm.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.frontier.discovery import Found, Origin
from crawldb.frontier.site import site_of

if TYPE_CHECKING:
    from crawldb.ended.ledger import Ledger
    from crawldb.frontier.partition.exchange import Delivery
    from crawldb.frontier.policy import Policy

ROOT_SET = frozenset({"seed", "submit"})  # how the URLs of a person come


def receive(ledger: Ledger, policy: Policy, delivery: Delivery) -> Found:
    """Store a delivery and acknowledge it."""
    sites = {site_of(letter.url) for letter in delivery.letters if letter.by in ROOT_SET}
    if not sites <= policy.scope.sites:  # a person gave the address to another part
        ledger.discovery.obey(replace(policy, scope=replace(policy.scope, sites=policy.scope.sites | sites)))
    whole = Found()
    for letter in delivery.letters:
        found = ledger.discovery.discover([letter.url], Origin(letter.by, None, letter.depth))
        whole.new += found.new
        whole.off_site += found.off_site
        if letter.by in ROOT_SET:
            ledger.connection.executemany(
                "UPDATE url SET seed = 1, depth = 0 WHERE id = ?", [(identity,) for identity in found.ids.values()]
            )
        if found.off_site:
            reason = f"part {delivery.sender} handed it over, and it is not on a seed's site as this part knows them"
            ledger.journal.write(None, "off-site", reason, [letter.url])
    ledger.discovery.exchange.acknowledge(delivery)
    return whole
