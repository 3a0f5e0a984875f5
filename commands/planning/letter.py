"""What should people know before a big run? A text for the operator of the network and for the organisation.

*HTTP: The Definitive Guide* (9.5) lists it: who runs the robot, which sites it visits, when and how hard, whom to ask,
and how to stop it. It is written so that it can be forwarded as it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.terminal.amounts import between, counted, duration, size
from crawldb.moment import moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commands.planning.whereabouts import Whereabouts
    from crawldb.planning.estimate import Estimate, SiteEstimate
    from crawldb.planning.growth import Span
    from spiders.identity import Identity

SITES_NAMED = 20  # of more, the largest are named and the others counted
MINUTE = 60.0  # seconds


def letter(estimate: Estimate, identity: Identity, where: Whereabouts, now: float) -> list[str]:
    """Return the text, a paragraph an item; `now` is when the run may begin, in seconds since the epoch."""
    return list(_paragraphs(estimate, identity, where, now))


def _paragraphs(estimate: Estimate, identity: Identity, where: Whereabouts, now: float) -> Iterator[str]:
    begin = moment(now)
    sites = counted(len(estimate.sites), "site")
    yield f"A crawl of {sites} is planned from {begin} on."
    contact = identity.contact or "(nobody yet: set CONTACT)"
    policy = identity.bot_url or "(none yet: set BOT_URL)"
    yield (
        f"Who: {identity.product}, a search engine's robot. It calls itself “{identity.user_agent}” in each request. "
        f"Responsible, and to be asked about it: {contact}. Its policy page: {policy}."
    )
    yield f"From where: {where.sentence}"
    largest = sorted(estimate.sites, key=lambda site: -site.requests.upper)
    for site in largest[:SITES_NAMED]:
        yield f"  {_site(site)}"
    if len(largest) > SITES_NAMED:
        yield f"  and {counted(len(largest) - SITES_NAMED, 'smaller site')}"
    yield (
        f"In all: {amount(estimate.requests, 'request')}, {sizes(estimate.bytes)} to be received, within "
        f"{durations(estimate.seconds)} of crawling, which may be spread over several nights."
    )
    yield (
        "Manners: each site's robots.txt is read first and obeyed, a longer pause that it asks for is kept, and a site "
        "that is in trouble or says “too many requests” is left alone for a while."
    )
    yield (
        "To stop it: Ctrl-C ends the run cleanly. ./breadcrumb block SITE takes a site out for good, also while it "
        "runs, and removes what was stored of it. A line in that site's robots.txt does the same for its owner."
    )


def _site(site: SiteEstimate) -> str:
    return f"{site.site}: {amount(site.requests, 'request')}, {pace(site)}"


def pace(site: SiteEstimate) -> str:
    """Return how hard a site is asked."""
    if site.delay:
        return f"at most {MINUTE / site.delay:.3g} a minute"
    return "as fast as it answers"


def whole(span: Span) -> str:
    """Return a span of counts."""
    return between(f"{span.lower:,.0f}", f"{span.upper:,.0f}")


def amount(span: Span, noun: str) -> str:
    """Return a span of counts with its noun."""
    return f"{whole(span)} {noun}{'' if span.upper == 1 else 's'}"


def sizes(span: Span) -> str:
    """Return a span of bytes."""
    return between(size(span.lower), size(span.upper))


def durations(span: Span) -> str:
    """Return a span of seconds."""
    return between(duration(span.lower), duration(span.upper))
