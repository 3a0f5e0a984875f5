"""Which requests do people send on the web? URLs for the root set, and proposals to block a site.

The operator submits any URL; its site then joins the crawl. A visitor of the search page submits only URLs of sites
that the root set already has, a limited number an hour. Otherwise, anybody could send the robot to a machine that only
this network reaches. Each URL passes the same policy as a link.

The owner of a site proposes a block on the policy page. Anybody can write there, so a proposal changes nothing: it is
stored, journaled and shown to the operator, who uses `block` or declines. Its text becomes one line of printable
characters, of bounded length.

Each action on the admin page has a row in the journal, written before the action.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.blocks import BlockProposal, decline, open_proposals, propose
from crawldb.tables.journal import Journal
from crawldb.tables.seeds import seed_sites
from crawldb.tables.urls import State
from crawldb.visited import known_state
from frontier.rounds import add_seeds
from frontier.takedown import known_of
from urls.blacklist import Target, TargetKind, target_of
from urls.canonical import UnusableUrl, canonical_or_none, canonicalize, site_of
from urls.records import FoundBy, Refusal
from urls.rules import Rule
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.tables.journal import JournalEntry
    from urls.policy import Policy

HOUR = 3600.0  # seconds


@dataclass(frozen=True, slots=True)
class Submission:
    """One URL that was submitted, and its state."""

    given: str
    url: str | None  # canonical; None: it can't be used
    accepted: bool
    state: str  # as in crawldb/tables/urls.py, in lower case; empty where the crawl keeps no row
    rule: str = ""
    reason: str = ""


class TooManySubmissionsError(Exception):
    """Visitors have submitted as much as an hour allows; the message says how much that is."""


def sites_of(urls: Sequence[str]) -> set[str]:
    """Return the sites of those URLs that can be used."""
    return {site_of(canonical) for url in urls if (canonical := canonical_or_none(url))}


def submit(database: CrawlDatabase, policy: Policy, urls: Sequence[str]) -> list[Submission]:
    """Submit URLs whose sites are in the scope of the policy; return a result for each, in their order."""
    usable = {url: canonical for url in urls if (canonical := canonical_or_none(url))}
    found = add_seeds(database, policy, None, list(usable.values()), by=FoundBy.SUBMIT)
    refused = {url: (rule, reason) for rule, rows in found.refused.items() for url, reason, _ in rows}
    return [_result(database, policy, url, refused) for url in dict.fromkeys(urls)]


def submit_as_visitor(parts: Parts, policy_of: Callable[[CrawlDatabase], Policy], url: str, an_hour: int) -> Submission:
    """Submit a URL from the search page; raise `TooManySubmissionsError` after `an_hour` submissions within the hour.

    The URL goes to the partition that has its host; all partitions of a crawl share the hour.
    """
    with parts.home_to_write(url) as database:
        policy = policy_of(database)
        canonical = canonical_or_none(url)
        if canonical is None:
            return _result(database, policy, url, {})
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
            Journal(database).write(None, Rule.SUBMITTED, "a visitor submitted it", [canonical])
        return submit(database, policy, [url])[0]


def handed_in(database: CrawlDatabase) -> int:
    """Return how many URLs visitors submitted within the last hour."""
    now = time.time()  # a later row was written before the clock was set back
    return Journal(database).counted_between(Rule.SUBMITTED, now - HOUR, now)


def did_you_mean(url: str) -> str:
    """Return the URL that a person without a scheme probably meant, or nothing."""
    canonical = canonical_or_none(f"http://{url}")
    if canonical is None:
        return ""
    host = site_of(canonical).partition(":")[0]
    name_like = "." in host.strip(".") or host == "localhost" or host.startswith("[")
    return f"http://{url.strip()}" if name_like and "://" not in url and not url.startswith("/") else ""


def _result(database: CrawlDatabase, policy: Policy, given: str, refused: dict[str, tuple[Rule, str]]) -> Submission:
    judgement = policy.check(given)
    refusal = judgement.refusal
    if refusal and judgement.url is None and (meant := did_you_mean(given)):
        refusal = Refusal(refusal.rule, f"{refusal.reason}; did you mean {meant}?")
    if refusal:
        return Submission(given, judgement.url, False, "", refusal.rule, refusal.reason)
    url = judgement.url or given
    known = known_state(database.connection, url)
    if known is None:  # another partition of the crawl has its site
        return Submission(given, url, True, "")
    rule, reason = refused.get(url, (known.rule, ""))
    return Submission(given, url, known.state != State.SUPPRESSED, State(known.state).name.lower(), rule, reason)


MAX_REASON = 1000  # characters
MAX_CONTACT = 200
MAX_OPEN = 100  # proposals without a decision


class ProposalRefused(Exception):
    """A proposal is invalid or too many; the message says what was given and what would work."""


class TooManyProposals(ProposalRefused):
    """Visitors have sent as many proposals as an hour allows, or too many are open."""


def propose_block(parts: Parts, text: str, reason: str, contact: str, an_hour: int) -> BlockProposal:
    """Keep a visitor's proposal to block a site or page. Raises `ProposalRefused`; it blocks nothing."""
    target = proposed_target(text)
    reason, contact = _line("the reason", reason, MAX_REASON), _line("the contact", contact, MAX_CONTACT)
    if not reason:
        raise ProposalRefused("the reason is missing: say in a sentence why the robot should stay away")
    with parts.home_to_write(target.name if target.kind is TargetKind.URL else f"http://{target.name}/") as database:
        if not known_of(database, target):
            raise ProposalRefused(
                f"this crawl has never met {target}, so there is nothing to end; is it spelt as in your server's log?"
            )
        with database.transaction():
            if (asked := sum(map(_asked, parts))) >= an_hour:
                proposals = counted(asked, "proposal")
                raise TooManyProposals(f"{proposals} came within the last hour, and {an_hour} may: come back later")
            waiting = {proposal.target for proposal in open_proposals(database)}
            if len(waiting) >= MAX_OPEN and target not in waiting:
                raise TooManyProposals(f"{counted(MAX_OPEN, 'proposal')} wait for an answer already")
            propose(database, target, reason, contact)
            said = f"a visitor asks to block {target}: {reason} (contact: {contact or 'none given'})"
            Journal(database).write(None, Rule.PROPOSED, said, [target.name])
    return BlockProposal(target, reason, contact, time.time())


def decline_proposal(database: CrawlDatabase, text: str) -> Target:
    """Close a proposal: its target stays as it is. Raises `LookupError` if none is open."""
    target = target_of(text)
    with database.transaction():
        if not decline(database, target):
            raise LookupError(f"no open proposal asks to block {target}")
        Journal(database).write(None, Rule.PROPOSED, f"a person decided not to block {target}", [target.name])
    return target


def proposed_target(text: str) -> Target:
    """Read the target of a visitor: the URL of a home page is the whole site. Raises `ProposalRefused`."""
    try:
        target = target_of(text)
        if target.kind is TargetKind.PATTERN:
            raise ProposalRefused("give the address of a site or of one page, without a *")
        if target.kind is TargetKind.URL:
            url = canonicalize(target.name)
            if url.partition("://")[2] == f"{site_of(url)}/":
                return target_of(site_of(url))
    except UnusableUrl as error:
        raise ProposalRefused(
            f"{text.strip()[:100]!r} is no address: {error.refusal.reason}; give one such as https://www.example.org/"
        ) from None
    return target


def _line(what: str, text: str, longest: int) -> str:
    """Return a text as a single line of printable characters. Raises `ProposalRefused` where it is too long."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if len(line) > longest:
        raise ProposalRefused(f"{what} has {counted(len(line), 'character')}; {longest:,} are read")
    return line


def _asked(database: CrawlDatabase) -> int:
    now = time.time()  # a later row was written before the clock was set back
    return Journal(database).rows_between(Rule.PROPOSED, now - HOUR, now, begins="a visitor ")


def note_admin(databases: Sequence[CrawlDatabase], what: str, address: str) -> None:
    """Journal, in each partition, an action on the admin page and the IP address of its sender."""
    for database in databases:
        with database.transaction():
            Journal(database).write(None, Rule.ADMIN, f"admin, from {address}: {what}")


def admin_notes(database: CrawlDatabase, limit: int) -> list[JournalEntry]:
    """Return the newest of these rows, newest first."""
    return Journal(database).latest(limit, Rule.ADMIN)
