"""What is written for a page? What it led to, the page itself, and the change that the index has to follow.

The canonical address that a page names enters the frontier, and the page stands aside for it. The address is judged
like a link: one off site is told in the journal and no more, and private addresses and ports fall under the same rules.
A row of pages of which each names the next ends like a row of redirects.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from crawldb.pages.copies import (
    apply_canonical,
    is_shown_as_canonical,
    prefer_named_host,
    reason_to_stand_aside,
    release_copies,
    those_with_link_words,
)
from crawldb.pages.foreign_canonical import note_named, stands_elsewhere
from crawldb.pages.pages import Outgoing
from crawldb.tables.urls import Kind, State
from crawldb.tables.worth import judge_worth_again
from crawldb.visited import find
from frontier.discovery import Discovered, Provenance
from frontier.followers.near_copies import put_into_cluster
from frontier.followers.probes import consider_probing
from frontier.followers.second_fetch import note_second_fetch
from frontier.followers.stylesheets import consider_sheets
from robots.page.controls import HTML_TYPES
from urls.canonical import UnusableUrl, canonicalize
from urls.counted import counted
from urls.records import MAX_HOPS, FoundBy, Refusal
from urls.rules import Rule
from urls.schedule import Priority

if TYPE_CHECKING:
    from crawldb.pages.pages import PageDigest
    from frontier.outcomes.lease import LeasedUrl, Ledger
    from urls.records import Page

LEADS_BYTES = 16  # of a digest
_LINKS_FOLLOWED_DESPITE = frozenset({
    Rule.NOINDEX, Rule.EXPIRED, Rule.EMPTY, Rule.FRAMES, Rule.CANONICAL, Rule.MOVED, Rule.FEED, Rule.LOGIN_WALL,
    Rule.SCRIPT_SHELL,
})  # fmt: skip


def store_page(ledger: Ledger, leased: LeasedUrl, page: Page) -> Discovered:
    """Store a page and end its lease; return what became of its links."""
    url = leased.id
    if leased.kind is Kind.SITEMAP and not _is_page_all_the_same(ledger, leased, page):
        return Discovered()
    second = leased.purpose is Purpose.TWICE and note_second_fetch(ledger, leased, page)
    before = ledger.pages.digest(url)
    found, outgoing, reworded = lead_on(ledger, leased, page)
    page = set_aside(ledger, page, outgoing.canonical)
    _journal(ledger, url, page)
    after = ledger.pages.put(url, page, outgoing)
    ledger.feed.announce(ledger.site_names.note(leased.site, page.title))
    ledger.templates.note(leased.site, url, page)
    announce(ledger, url, before, after, reworded)
    changed = after != before
    page = put_into_cluster(ledger, url, page, announced=changed)
    if ledger.promises is not None:
        ledger.promises.note_page(url, leased.site, page, _followed(found, page))
    next_at = None
    if not second:
        next_at = ledger.visits.note(
            url, page.fetched_at, changed=changed, last_modified=page.last_modified, outdated_at=page.outdated_at
        )
    if before is None:  # read again it says what it said before, and that is no waste
        fresh = ledger.discovery.budgets.note_page(url, leased.site, page)
        found.asks = consider_probing(ledger, leased, page, first=True, news=fresh)
    elif not second:
        found.asks = consider_probing(ledger, leased, page, first=False, news=False)
    found.asks = consider_sheets(ledger, leased, page) or found.asks
    ledger.note_fetch(leased, page, Rule.PROBE if second else Rule.FETCHED)
    ledger.end(url, State.DONE, rule_of(page), moved_to=moved_to(ledger, page), next_at=next_at)
    return found


def rule_of(page: Page) -> Rule:
    """Return the rule by which the turn of a page ends."""
    return page.refusals[0].rule if page.refusals else Rule.FETCHED


def lead_on(ledger: Ledger, leased: LeasedUrl, page: Page) -> tuple[Discovered, Outgoing, set[int]]:
    """Let everything that a page leads to enter the frontier, and take its links into the graph.

    Return what was found, what is stored of it, and the pages whose links have other words by that.
    """
    found = _follow_links(ledger, leased, page)
    canonical, elsewhere = _follow_canonical(ledger, leased, page)
    reworded = ledger.links.replace(leased.id, _followed(found, page))
    if (exchange := ledger.discovery.exchange).divides:
        note_named(ledger.database, leased.id, elsewhere)
        exchange.hand_over_links(page.url, leased.depth + 1, _followed_elsewhere(found, page))
    if ledger.priority in {Priority.WORTH, Priority.RARE}:
        judge_worth_again(ledger.database, found.ids.values())
    return found, Outgoing(leads_of(page), found.off_site, canonical), reworded


def _followed(found: Discovered, page: Page) -> set[tuple[int, str]]:
    """Return where the links of a page lead that are followed, each with its words."""
    return {(found.ids[link.url], link.words) for link in page.links if link.url in found.ids and not link.nofollow}


def _followed_elsewhere(found: Discovered, page: Page) -> dict[int, set[tuple[str, str]]]:
    """Return the links of a page that are followed by other parts, by the number of the part."""
    links: dict[int, set[tuple[str, str]]] = {}
    for link in page.links:
        if link.url in found.handed_over and not link.nofollow:
            links.setdefault(found.handed_over[link.url], set()).add((canonicalize(link.url), link.words))
    return links


def leads_of(page: Page) -> bytes:
    """Return a digest of all that a page leads to, and of whether that is followed."""
    links = [(link.url, link.words, link.nofollow) for link in page.links]
    told = (_is_followed(page), page.controls.follow, links, page.links_cut, page.refresh, page.canonical)
    return blake2b(repr(told).encode(), digest_size=LEADS_BYTES).digest()


def _is_followed(page: Page) -> bool:
    despite = _LINKS_FOLLOWED_DESPITE | {Rule.DUPLICATE} if page.own_menu else _LINKS_FOLLOWED_DESPITE
    return all(refusal.rule in despite for refusal in page.refusals)


def moved_to(ledger: Ledger, page: Page) -> int | None:
    """Return the id of the URL to which a page refreshes that is refused for it, if it is known."""
    if rule_of(page) is not Rule.MOVED:
        return None
    try:
        return find(ledger.connection, canonicalize(page.refresh[1])) if page.refresh else None
    except UnusableUrl:
        return None


def _is_page_all_the_same(ledger: Ledger, leased: LeasedUrl, page: Page) -> bool:
    """Judge what was asked for as a page just before a robots.txt came to name it as a sitemap.

    HTML is a page, whatever names it; anything else waits for the next round, which reads it as a sitemap.
    """
    url = leased.id
    if page.content_type in HTML_TYPES:
        ledger.journal.write(url, Rule.NO_SITEMAP, "it is named as a sitemap and is HTML: a page")
        ledger.urls.turn_into(url, Kind.PAGE)
        return True
    reason = "it was asked for as a page just before it was named as a sitemap: the next round reads it as one"
    ledger.journal.write(url, Rule.SITEMAP, reason)
    ledger.note_fetch(leased, page, Rule.SITEMAP)
    ledger.end(url, State.DONE, Rule.SITEMAP)
    return False


def _follow_links(ledger: Ledger, leased: LeasedUrl, page: Page) -> Discovered:
    """Let the links of a page enter the frontier, and where it refreshes to."""
    url, journal = leased.id, ledger.journal
    unfollowed = [link.url for link in page.links if link.nofollow]
    followed = [link.url for link in page.links if not link.nofollow]
    if not _is_followed(page):
        if followed:
            reason = "its content is known or is no page, so its links are not followed"
            journal.write(url, Rule.LINKS_NOT_FOLLOWED, reason, followed, count=len(followed))
        return Discovered()
    if unfollowed:
        journal.write(url, Rule.NOFOLLOW, "the page or the link says nofollow", unfollowed, count=len(unfollowed))
    texts = {link.url: link.words for link in reversed(page.links)}  # of several, the words of the first
    found = ledger.discovery.discover(followed, Provenance(FoundBy.LINK, url, leased.depth + 1, texts=texts))
    if page.refresh:
        _follow_refresh(ledger, leased, page.refresh[1], follow=page.controls.follow)
    return found


def _follow_refresh(ledger: Ledger, leased: LeasedUrl, target: str, *, follow: bool) -> None:
    url, hops = leased.id, leased.hops + 1
    if follow and hops <= MAX_HOPS:
        found = ledger.discovery.discover([target], Provenance(FoundBy.REFRESH, url, leased.depth + 1, hops))
        if found.ids.get(target) == url:
            reason = "its refresh leads back to itself: it is not followed"
            ledger.journal.write(url, Rule.REFRESH, reason, [target])
        return
    why = f"it is the {hops}th in a row" if follow else "the page says nofollow"
    ledger.journal.write(url, Rule.REFRESH, f"its refresh is not followed: {why}", [target])


def _follow_canonical(ledger: Ledger, leased: LeasedUrl, page: Page) -> tuple[int | None, str | None]:
    """Return the id of the other URL in scope that a page names as its canonical address, which may be a new one.

    Where another part has it, return its name, which comes second.
    """
    named, url, hops = page.canonical, leased.id, leased.hops + 1
    if not named or named == page.url:
        return None, None
    if hops > MAX_HOPS and find(ledger.connection, named) is None:
        why = f"the canonical address is not followed: it is the {hops}th in a row"
        ledger.journal.write(url, Rule.CANONICAL, why, [named])
        return None, None
    found = ledger.discovery.discover([named], Provenance(FoundBy.CANONICAL, url, leased.depth, hops))
    where = "not on a seed's site" if found.off_site else ""
    where = "in another part: both are in the index until all parts were compared" if found.handed_over else where
    if where:
        why = f"the page names {named[:200]} as its canonical address, which is {where}"
        ledger.journal.write(url, Rule.WARNING, why)
    target = found.ids.get(named)
    return None if target == url else target, canonicalize(named) if found.handed_over else None


def set_aside(ledger: Ledger, page: Page, canonical: int | None) -> Page:
    """Return the page as it is to be stored: refused where it is a copy by its own word, of a page in the index."""
    if page.refusals:
        return page
    if canonical is None:
        divides = page.canonical and ledger.discovery.exchange.divides
        address = stands_elsewhere(ledger.database, page.url) if divides else None
    else:
        address = page.canonical if is_shown_as_canonical(ledger.database, canonical) else None
    return replace(page, refusals=(Refusal(Rule.CANONICAL, reason_to_stand_aside(address)),)) if address else page


def _journal(ledger: Ledger, url: int, page: Page) -> None:
    for refusal in page.refusals:
        ledger.journal.write(url, refusal.rule, refusal.reason)
    for warning in page.warnings:
        ledger.journal.write(url, Rule.WARNING, warning)
    if page.cut_off:
        reason = "its connection was cut before the server had said that the answer was whole, so more may be missing"
        ledger.journal.write(url, Rule.CUT_OFF, f"{reason}: the next visit asks for all of it")
    if page.links_cut:
        ledger.journal.write(url, Rule.LINKS_CUT, f"{counted(page.links_cut, 'link')} beyond the limit a page not read")


def announce(
    ledger: Ledger,
    url: int,
    before: PageDigest | None,
    after: PageDigest,
    reworded: set[int],
    *,
    lets_copies_go: bool = True,
) -> None:
    """Put what has changed into the feed: the page, its copies, and the pages whose links have other words.

    Without `lets_copies_go`, its copies stay copies.
    """
    database, journal = ledger.database, ledger.journal
    if lets_copies_go and before is not None and _copied(before) != _copied(after):
        for heir in release_copies(database, journal, url, stays=True):
            ledger.feed.announce([heir, *apply_canonical(database, journal, heir)])
    ledger.feed.announce([*apply_canonical(database, journal, url), *prefer_named_host(database, journal, url)])
    changed = {*those_with_link_words(database, reworded)}
    ledger.feed.announce(sorted(changed | {url} if after != before else changed))


def _copied(digest: PageDigest) -> object:
    """Return what a copy is a copy of: the fingerprint, and whether the page is in the index at all."""
    return digest.fingerprint, digest.refusals
