"""A text about a planned crawl, for the network operator and the organisation.

*HTTP: The Definitive Guide* (9.5) lists the contents: who runs the robot, which sites it visits, when and how fast,
whom to contact, and how to stop it. The text can be forwarded unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reports.wording import amount_range, counted, duration_range, moment, plain, size_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.plan.forecast import Estimate, SiteEstimate

SITES_NAMED = 20  # of more, the largest are named and the others counted
MINUTE = 60.0  # seconds


class RobotOwner(Protocol):
    """The owner of the robot."""

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
    yield f"A crawl of {sites} is planned, starting {begin}."
    contact = signer.contact or "(missing: set CONTACT)"
    policy = signer.bot_url or "(missing: set BOT_URL)"
    yield (
        f"Who: {signer.product}, the robot of a search engine. Its User-Agent is “{signer.user_agent}”. "
        f"Contact: {contact}. Policy page: {policy}."
    )
    yield f"From where: {where}"
    largest = sorted(estimate.sites, key=lambda site: -site.requests.upper)
    for site in largest[:SITES_NAMED]:
        yield f"  {_site(site)}"
    if len(largest) > SITES_NAMED:
        yield f"  and {counted(len(largest) - SITES_NAMED, 'smaller site')}"
    yield (
        f"Total: {amount_range(estimate.requests, 'request')}, {size_range(estimate.bytes)} received, "
        f"{duration_range(estimate.seconds)} of crawling, which may be spread over several nights."
    )
    yield (
        "Politeness: the robot reads and obeys the robots.txt of each site first, including a longer Crawl-delay. It "
        "pauses for a site that fails or returns “too many requests”."
    )
    yield (
        "To stop it: Ctrl-C ends the run cleanly. ./breadcrumb block --site SITE blocks a site at any time and removes "
        "its pages. The owner of a site can do the same with a line in robots.txt."
    )


def _site(site: SiteEstimate) -> str:
    return f"{site.site}: {amount_range(site.requests, 'request')}, {pace_in_words(site)}"


def pace_in_words(site: SiteEstimate) -> str:
    """Return the request rate of a site as text."""
    if site.delay:
        return f"at most {plain(MINUTE / site.delay, 3)} per minute"
    return "as fast as it responds"
