"""What is written for a page? The page, its links, what it led to, and the change that the index has to follow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.tables.copies import (
    apply_canonical,
    is_indexed,
    is_shown_as_canonical,
    reason_to_stand_aside,
    release_copies,
)
from crawldb.tables.urls import Kind, State
from crawldb.tables.worth import judge_worth_again
from crawldb.visited import find
from frontier.discovery import Discovered, Provenance
from frontier.endings.probe import consider, is_probe, store_answer
from robots.page.controls import HTML_TYPES
from urls.records import MAX_HOPS, FoundBy, Refusal
from urls.rules import Rule
from urls.schedule import Priority

if TYPE_CHECKING:
    from crawldb.tables.pages import PageDigest
    from frontier.endings.ledger import Ledger
    from urls.records import Page


_LINKS_FOLLOWED_DESPITE = frozenset(
    {Rule.NOINDEX, Rule.NEAR_DUPLICATE, Rule.EXPIRED, Rule.EMPTY, Rule.FRAMES, Rule.CANONICAL}
)


def store_page(ledger: Ledger, page: Page) -> Discovered:
    """Store a page and end its lease; return what became of its links."""
    url, depth, hops = ledger.lease(page.url)
    if _is_no_page(ledger, url, page):
        return Discovered()
    before = ledger.pages.digest(url)
    found = _discover(ledger, page, url, depth, hops)
    canonical = find_canonical(ledger, page, Provenance(FoundBy.CANONICAL, url, depth, hops + 1))
    page = set_aside(ledger, page, canonical)
    ledger.pages.put(url, page, off_site=found.off_site, canonical=canonical)
    changed = _replace_links(ledger, url, page, found)
    if ledger.priority is Priority.WORTH:
        judge_worth_again(ledger.database, found.ids.values())
    for refusal in page.refusals:
        ledger.journal.write(url, refusal.rule, refusal.reason)
    for warning in page.warnings:
        ledger.journal.write(url, Rule.WARNING, warning)
    if page.links_cut:
        ledger.journal.write(url, Rule.LINKS_CUT, f"{page.links_cut} links beyond the limit a page were not read")
    after = ledger.pages.digest(url)
    ledger.visits.note(url, page.fetched_at, changed=after != before, last_modified=page.last_modified)
    if after != before:
        if before is not None and _copied(before) != _copied(after):
            for heir in release_copies(ledger.database, ledger.journal, url, stays=True):
                ledger.feed.announce([heir, *apply_canonical(ledger.database, ledger.journal, heir)])
        changed.add(url)
    ledger.feed.announce(apply_canonical(ledger.database, ledger.journal, url))
    ledger.feed.announce(sorted(target for target in changed if target == url or is_indexed(ledger.database, target)))
    ledger.fetched(url, page, len(page.body), Rule.FETCHED)
    if before is None:  # read again it says what it said before, and that is no waste
        site = ledger.database.count("SELECT site FROM url WHERE id = ?", url)
        fresh = ledger.discovery.budgets.note_page(url, site, page)
        found.asks = fresh and consider(ledger, url, page)
    ledger.end(url, State.DONE, page.refusals[0].rule if page.refusals else Rule.FETCHED)
    return found


def _is_no_page(ledger: Ledger, url: int, page: Page) -> bool:
    """End the lease of what was asked for as something else; return whether it was."""
    if is_probe(ledger, url):
        store_answer(ledger, url, page, len(page.body))
        return True
    return ledger.urls.kind_of(url) is Kind.SITEMAP and not _is_page_all_the_same(ledger, url, page)


def _is_page_all_the_same(ledger: Ledger, url: int, page: Page) -> bool:
    """Judge what was asked for as a page just before a robots.txt came to name it as a sitemap.

    HTML is a page, whatever names it; anything else waits for the next round, which reads it as a sitemap.
    """
    if page.content_type in HTML_TYPES:
        ledger.journal.write(url, Rule.NO_SITEMAP, "it is named as a sitemap and is HTML: a page")
        ledger.urls.turn_into(url, Kind.PAGE)
        return True
    reason = "it was asked for as a page just before it was named as a sitemap: the next round reads it as one"
    ledger.journal.write(url, Rule.SITEMAP, reason)
    ledger.fetched(url, page, len(page.body), Rule.SITEMAP)
    ledger.end(url, State.DONE, Rule.SITEMAP)
    return False


def _discover(ledger: Ledger, page: Page, url: int, depth: int, hops: int) -> Discovered:
    unfollowed = [link.url for link in page.links if link.nofollow]
    followed = [link.url for link in page.links if not link.nofollow]
    if any(refusal.rule not in _LINKS_FOLLOWED_DESPITE for refusal in page.refusals):
        if followed:
            reason = "its content is known or is no page, so its links are not followed"
            ledger.journal.write(url, Rule.LINKS_NOT_FOLLOWED, reason, followed, count=len(followed))
        return Discovered()
    if unfollowed:
        reason = "the page or the link says nofollow"
        ledger.journal.write(url, Rule.NOFOLLOW, reason, unfollowed, count=len(unfollowed))
    found = ledger.discovery.discover(followed, Provenance(FoundBy.LINK, url, depth + 1))
    if page.refresh and page.controls.follow and hops < MAX_HOPS:
        target = ledger.discovery.discover([page.refresh[1]], Provenance(FoundBy.REFRESH, url, depth + 1, hops + 1)).ids
        if target.get(page.refresh[1]) == url:
            reason = "its refresh leads back to itself: it is not followed"
            ledger.journal.write(url, Rule.REFRESH, reason, [page.refresh[1]])
    elif page.refresh:
        why = f"it is the {hops + 1}th in a row" if page.controls.follow else "the page says nofollow"
        ledger.journal.write(url, Rule.REFRESH, f"its refresh is not followed: {why}", [page.refresh[1]])
    return found


def _replace_links(ledger: Ledger, url: int, page: Page, found: Discovered) -> set[int]:
    links = {(found.ids[link.url], link.text) for link in page.links if link.url in found.ids and not link.nofollow}
    return ledger.links.replace(url, links)


def _copied(digest: PageDigest | None) -> object:
    """Return what a copy is a copy of: the fingerprint, and whether the page is in the index at all."""
    return None if digest is None else (digest.fingerprint, digest.refusals)


# -- What follows from a page's canonical address? It enters the frontier, and the page stands aside for it.
#
# The address is judged like a link: off-site ones are told in the journal and no more, private ones and ports fall
# under
# the same rules. A row of pages of which each names the next ends like a row of redirects.


def find_canonical(ledger: Ledger, page: Page, origin: Provenance) -> int | None:
    """Return the id of the other URL in scope that a page names as its canonical address, which may be a new one."""
    named = page.canonical
    if not named or named == page.url:
        return None
    if origin.hops > MAX_HOPS and find(ledger.connection, named) is None:
        why = f"the canonical address is not followed: it is the {origin.hops}th in a row"
        ledger.journal.write(origin.source, Rule.CANONICAL, why, [named])
        return None
    found = ledger.discovery.discover([named], origin)
    if found.off_site:
        why = f"the page names {named[:200]} as its canonical address, which is not on a seed's site"
        ledger.journal.write(origin.source, Rule.WARNING, why)
    if found.handed_over:
        why = f"the page names {named[:200]} as its canonical address, which is in another part: both stay in the index"
        ledger.journal.write(origin.source, Rule.WARNING, why)
    target = found.ids.get(named)
    return None if target == origin.source else target


def set_aside(ledger: Ledger, page: Page, canonical: int | None) -> Page:
    """Return the page as it is to be stored: refused where it is a copy by its own word, of a page in the index."""
    if canonical is None or page.refusals or not is_shown_as_canonical(ledger.database, canonical):
        return page
    return replace(page, refusals=(Refusal(Rule.CANONICAL, reason_to_stand_aside(page.canonical or "")),))
