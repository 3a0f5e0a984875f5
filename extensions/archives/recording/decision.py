"""What does the archive say that Breadcrumb decided? Lines of `name: value` beside each exchange, and of each file.

The names are those that Heritrix writes where it has one. What is decided against other pages, as that one is a copy of
another, follows in the crawl database: `why URL` tells it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spiders.downloader.address_policy import VERSION
from urls.records import Outcome, Page
from urls.rules import Rule
from urls.sitemap_records import Sitemap
from urls.stylesheet_record import Stylesheet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.archives.recording.recorded_connection import Recording
    from frontier.leases import Lease
    from spiders.downloader.address_policy import Identity

MAX_OUTLINKS = 200  # that are listed of a page; the rest are counted
CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
_CUT = {Rule.SIZE: "length", Rule.HEADER_LIMIT: "length", Rule.TIMEOUT: "time", Rule.STOPPED: "unspecified"}


def warcinfo_fields(identity: Identity, part: str) -> list[tuple[str, str]]:
    """Return what each file says of the crawl that wrote it: by which robot, whose it is, and its manners."""
    told = [
        ("software", f"Breadcrumb/{VERSION}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", CONFORMS_TO),
        ("robots", "obey"),  # as Heritrix has it; some archives write "ignore"
        ("http-header-user-agent", identity.user_agent),
        ("operator", identity.contact),
        ("http-header-from", identity.contact),
        ("isPartOf", f"part {part} of a divided crawl" if part else ""),
    ]
    return [(name, value) for name, value in told if value]


def decision(item: Page | Outcome | Sitemap | Stylesheet, lease: Lease) -> tuple[tuple[str, str], ...]:
    """Return what is told of an exchange: how its URL became known, how the lease ends, and where the page leads."""
    told = [
        ("via", lease.referer),
        ("seed", "yes" if lease.seed else ""),
        ("depth", str(lease.depth)),
        ("attempt", str(lease.attempts + 1)),
        ("probe", lease.probes),  # of a site: the address may be made up
        ("fetchTimeMs", f"{item.seconds * 1000:.0f}"),
        ("robots", "allowed"),  # else nothing would have been sent
        *_verdict(item),
    ]
    return tuple((name, value) for name, value in told if value)


def _verdict(item: Page | Outcome | Sitemap | Stylesheet) -> Iterator[tuple[str, str]]:
    if isinstance(item, Outcome):
        yield "verdict", str(item.rule)
        yield "reason", item.reason
    elif isinstance(item, Sitemap):
        yield "verdict", str(Rule.SITEMAP) if item.form else str(Rule.NO_SITEMAP)
        yield "entries", str(len(item.entries) + len(item.children) + item.beyond)
    elif isinstance(item, Stylesheet):
        yield "verdict", str(Rule.STYLESHEET)
        yield "reason", item.reason
    else:
        yield from _verdict_on_page(item)


def _verdict_on_page(page: Page) -> Iterator[tuple[str, str]]:
    yield "verdict", "page"
    yield "charset-for-link-extraction", page.encoding
    yield "language", page.language
    for wish in page.controls.wishes:
        yield "control", str(wish)
    if forbids_archiving(page):
        yield "left-out", f"the body, since the page asks for it ({page.controls.asked_by('noarchive', 'none')})"
    for link in page.links[:MAX_OUTLINKS]:
        yield "outlink", f"{link.url} L a/@href" + (" nofollow" if link.nofollow else "")
    beyond = len(page.links) - MAX_OUTLINKS + page.links_cut
    if beyond > 0:
        yield "outlinks-left-out", str(beyond)


def forbids_archiving(item: Page | Outcome | Sitemap | Stylesheet) -> bool:
    """Return whether a page asks that no copy of it be shown (noarchive): then its body is not archived."""
    return isinstance(item, Page) and not item.controls.archive


def nothing_was_sent(item: Page | Outcome | Sitemap | Stylesheet, recording: Recording) -> bool:
    """Return whether a request was made and never left: no safe connection came about."""
    return isinstance(item, Outcome) and (not item.requested or (item.rule is Rule.TLS and not recording.received))


def why_cut(item: Page | Outcome | Sitemap | Stylesheet, recording: Recording) -> str:
    """Return why an answer is not whole, by a word of WARC-Truncated; "" where it is, or where its lengths tell."""
    if recording.is_whole or not isinstance(item, Outcome) or item.status is not None:
        return recording.cut
    return _CUT.get(item.rule, recording.cut or "disconnect")
