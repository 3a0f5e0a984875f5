"""How does the owner of a site make himself heard? He proposes a block, and a person decides.

Whoever writes on the policy page may be anybody. So a proposal changes nothing that is fetched or found: it is stored,
noted in the journal and shown to whoever runs the crawl, who reads it and uses `block`, or declines. What visitors
write is kept as one line of printable text, of bounded length, and all of them together may write so much an hour.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crawldb.tables.blocks import BlockProposal, decline, open_proposals, propose
from crawldb.tables.journal import Journal
from frontier.submission import HOUR
from frontier.takedown import known_of
from urls.blacklist import Target, TargetKind, target_of
from urls.canonical import UnusableUrl, canonicalize
from urls.rules import Rule
from urls.site import site_of
from urls.wording import counted

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts

MAX_REASON = 1000  # characters
MAX_CONTACT = 200
MAX_OPEN = 100  # proposals on which nobody has decided


class ComplaintRefused(Exception):
    """A complaint can't be taken; the message says what was given and what would work."""


class TooManyComplaints(ComplaintRefused):
    """Visitors have written as much as an hour allows, or more than anybody has read."""


def complain(parts: Parts, text: str, reason: str, contact: str, an_hour: int) -> BlockProposal:
    """Keep a visitor's wish that a site or page be blocked. Raises `ComplaintRefused`; nothing is blocked by it."""
    target = complained_of(text)
    reason, contact = _line("the reason", reason, MAX_REASON), _line("the contact", contact, MAX_CONTACT)
    if not reason:
        raise ComplaintRefused("the reason is missing: say in a sentence why the robot should stay away")
    with parts.home_to_write(target.name if target.kind is TargetKind.URL else f"http://{target.name}/") as database:
        if not known_of(database, target):
            raise ComplaintRefused(
                f"this crawl has never met {target}, so there is nothing to end; is it spelt as in your server's log?"
            )
        with database.transaction():
            if (asked := sum(map(_asked, parts))) >= an_hour:
                told = counted(asked, "proposal")
                raise TooManyComplaints(f"{told} came within the last hour, and {an_hour} may: come back later")
            waiting = {proposal.target for proposal in open_proposals(database)}
            if len(waiting) >= MAX_OPEN and target not in waiting:
                raise TooManyComplaints(f"{counted(MAX_OPEN, 'proposal')} wait for an answer already")
            propose(database, target, reason, contact)
            said = f"a visitor asks to block {target}: {reason} (contact: {contact or 'none given'})"
            Journal(database).write(None, Rule.PROPOSED, said, [target.name])
    return BlockProposal(target, reason, contact, time.time())


def decline_proposal(database: CrawlDatabase, text: str) -> Target:
    """Close a proposal: its target stays as it is. Raises `LookupError` where none is open."""
    target = target_of(text)
    with database.transaction():
        if not decline(database, target):
            raise LookupError(f"nobody has asked to block {target}, or it is decided already")
        Journal(database).write(None, Rule.PROPOSED, f"a person decided not to block {target}", [target.name])
    return target


def complained_of(text: str) -> Target:
    """Read what a visitor means: the address of a home page is the whole site. Raises `ComplaintRefused`."""
    try:
        target = target_of(text)
        if target.kind is TargetKind.PATTERN:
            raise ComplaintRefused("give the address of a site or of one page, without a *")
        if target.kind is TargetKind.URL:
            url = canonicalize(target.name)
            if url.partition("://")[2] == f"{site_of(url)}/":
                return target_of(site_of(url))
    except UnusableUrl as error:
        raise ComplaintRefused(
            f"{text.strip()[:100]!r} is no address: {error.refusal.reason}; give one such as https://www.example.org/"
        ) from None
    return target


def _line(what: str, text: str, longest: int) -> str:
    """Return a text as one line of printable characters. Raises `ComplaintRefused` where it is too long."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if len(line) > longest:
        raise ComplaintRefused(f"{what} has {counted(len(line), 'character')}; {longest:,} are read")
    return line


def _asked(database: CrawlDatabase) -> int:
    now = time.time()  # a later row was written before the clock was set back
    return Journal(database).rows_between(Rule.PROPOSED, now - HOUR, now, begins="a visitor ")
