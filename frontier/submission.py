"""How does a person's address enter the root set? Judged by the same policy as every link, and told what became of it.

Whoever runs the crawl hands in what they want: it takes its site into the crawl. A visitor of the search page does
not: only addresses of sites that the root set has already, a bounded number an hour, each noted in the journal. Else
anybody could send the robot to a machine that only this network reaches.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.journal import Journal
from crawldb.tables.seeds import seed_sites
from crawldb.tables.urls import State
from crawldb.visited import known_state
from frontier.rounds import add_seeds
from urls.canonical import UnusableUrl, canonicalize
from urls.records import CanonicalUrl, FoundBy, Refusal
from urls.rules import Rule
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from urls.policy import Policy

HOUR = 3600.0  # seconds


@dataclass(frozen=True, slots=True)
class Submission:
    """What became of one address that was handed in."""

    given: str
    url: str | None  # canonical; None: it can't be used
    accepted: bool
    state: str  # as in crawldb/tables/urls.py, in small letters; empty where the crawl keeps no row
    rule: str = ""
    reason: str = ""


class TooManySubmissionsError(Exception):
    """Visitors have handed in as much as an hour allows; the message says how much that is."""


def sites_of(urls: Sequence[str]) -> set[str]:
    """Return the sites of those URLs that can be used."""
    return {site_of(canonical) for url in urls if (canonical := _canonical(url))}


def submit(database: CrawlDatabase, policy: Policy, urls: Sequence[str]) -> list[Submission]:
    """Hand in URLs whose sites the policy has in its scope; return what became of each, in order."""
    usable = {url: canonical for url in urls if (canonical := _canonical(url))}
    found = add_seeds(database, policy, None, list(usable.values()), by=FoundBy.SUBMIT)
    refused = {url: (rule, reason) for rule, rows in found.refused.items() for url, reason, _ in rows}
    return [_judged(database, policy, url, refused) for url in dict.fromkeys(urls)]


def submit_as_visitor(parts: Parts, policy_of: Callable[[CrawlDatabase], Policy], url: str, an_hour: int) -> Submission:
    """Hand in a URL from the search page; raise `TooManySubmissionsError` when `an_hour` were handed in already.

    The URL goes to the part that has its host; all parts of a crawl share the hour.
    """
    with parts.home_to_write(url) as database:
        policy = policy_of(database)
        canonical = _canonical(url)
        if canonical is None:
            return _judged(database, policy, url, {})
        sites = {site_of(canonical), site_of(policy.options.canonical(canonical))}
        if not sites <= seed_sites(database):
            reason = f"{site_of(canonical)} is not among the sites that are crawled here; who runs the crawl can add it"
            return Submission(url, canonical, False, "", Rule.OFF_SITE, reason)
        with database.transaction():
            count = sum(map(handed_in, parts))
            if count >= an_hour:
                raise TooManySubmissionsError(
                    f"{count} addresses were handed in within the last hour, and {an_hour} may be"
                )
            Journal(database).write(None, Rule.SUBMITTED, "a visitor of the search page handed it in", [canonical])
        return submit(database, policy, [url])[0]


def handed_in(database: CrawlDatabase) -> int:
    """Return how many addresses visitors handed in within the last hour."""
    now = time.time()  # a later row was written before the clock was set back
    return Journal(database).counted_between(Rule.SUBMITTED, now - HOUR, now)


def did_you_mean(url: str) -> str:
    """Return what a person who left the scheme out probably meant, or nothing."""
    try:
        canonical = canonicalize(f"http://{url}")
    except UnusableUrl:
        return ""
    host = site_of(canonical).partition(":")[0]
    name_like = "." in host.strip(".") or host == "localhost" or host.startswith("[")
    return f"http://{url.strip()}" if name_like and "://" not in url and not url.startswith("/") else ""


def _canonical(url: str) -> CanonicalUrl | None:
    try:
        return canonicalize(url)
    except UnusableUrl:
        return None


def _judged(database: CrawlDatabase, policy: Policy, given: str, refused: dict[str, tuple[Rule, str]]) -> Submission:
    judgement = policy.judge(given)
    refusal = judgement.refusal
    if refusal and judgement.url is None and (meant := did_you_mean(given)):
        refusal = Refusal(refusal.rule, f"{refusal.reason}; did you mean {meant}?")
    if refusal:
        return Submission(given, judgement.url, False, "", refusal.rule, refusal.reason)
    url = judgement.url or given
    known = known_state(database.connection, url)
    if known is None:  # of a divided crawl: another part has its site
        return Submission(given, url, True, "")
    rule, reason = refused.get(url, (known.rule, ""))
    return Submission(given, url, known.state != State.SUPPRESSED, State(known.state).name.lower(), rule, reason)
