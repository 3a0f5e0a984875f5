"""What should people know before a big run?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reports.wording import amount_range, counted, duration_range, moment, plain, size_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reports.politeness.estimate import Estimate, SiteEstimate

SITES_NAMED = 20  # of more, the largest are named and the others counted
MINUTE = 60.0  # seconds


class RobotOwner(Protocol):
    """Whose robot it is."""

    @property
    def product(self) -> str:
        """Its product token."""

    @property
    def user_agent(self) -> str:
        """Its User-Agent line."""

    @property
    def contact(self) -> str:
        """The address of its owner, or ""."""

    @property
    def bot_url(self) -> str:
        """The page with its policy, or ""."""


def announcement(estimate: Estimate, signer: RobotOwner, where: str, now: float) -> list[str]:
    """Return the text, a paragraph an item.

    `where` says from which address the robot comes; `now` is when the run may begin, in seconds since the epoch.
    """
    return list(_paragraphs(estimate, signer, where, now))


def _paragraphs(estimate: Estimate, signer: RobotOwner, where: str, now: float) -> Iterator[str]:
    begin = moment(now)
    sites = counted(len(estimate.sites), "site")
    yield f"A crawl of {sites} is planned from {begin} on."
    contact = signer.contact or "(nobody yet: set CONTACT)"
    policy = signer.bot_url or "(none yet: set BOT_URL)"
    yield (
        f"Who: {signer.product}, a search engine's robot. It calls itself “{signer.user_agent}” in each request. "
        f"Responsible, and to be asked about it: {contact}. Its policy page: {policy}."
    )
    yield f"From where: {where}"
    largest = sorted(estimate.sites, key=lambda site: -site.requests.upper)
    for site in largest[:SITES_NAMED]:
        yield f"  {_site(site)}"
    if len(largest) > SITES_NAMED:
        yield f"  and {counted(len(largest) - SITES_NAMED, 'smaller site')}"
    yield (
        f"In all: {amount_range(estimate.requests, 'request')}, {size_range(estimate.bytes)} to be received, within "
        f"{duration_range(estimate.seconds)} of crawling, which may be spread over several nights."
    )
    yield (
        "Manners: each site's robots.txt is read first and obeyed, a longer pause that it asks for is kept, and a site "
        "that is in trouble or says “too many requests” is left alone for a while."
    )
    yield (
        "To stop it: Ctrl-C ends the run cleanly. ./breadcrumb block --site SITE takes a site out for good, also while "
        "it runs, and removes what was stored of it. A line in that site's robots.txt does the same for its owner."
    )


def _site(site: SiteEstimate) -> str:
    return f"{site.site}: {amount_range(site.requests, 'request')}, {pace_in_words(site)}"


def pace_in_words(site: SiteEstimate) -> str:
    """Return how hard a site is asked."""
    if site.delay:
        return f"at most {plain(MINUTE / site.delay, 3)} a minute"
    return "as fast as it answers"
