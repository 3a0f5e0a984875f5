"""What is written for an address that was made up? The question before, and what its answer tells of its pattern.

A probe is a row of `url` like any other, so that robots.txt, pace and journal hold for it; it is asked for once, never
read as a page, and suppressed when it has been answered (`frontier/traps/standing.py` has the reason for all this).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.urls import SITEMAP_URGENCY, NewUrl, State
from crawldb.visited import find_row
from frontier.chains import comes_from_its_own_pattern, may_be_endless
from urls.canonical import canonicalize
from urls.records import Fate, FoundBy, Page
from urls.rules import Rule
from urls.traps.made_up import (
    LINKS_BEFORE_A_PROBE,
    LISTED_DEPTH,
    NOTHING_NEW,
    PAGES_BEFORE_A_PROBE,
    PROBES,
    Authorship,
    authorship,
    made_up_address,
)
from urls.traps.novelty import SAYS_NOTHING_NEW, TELLS_NOTHING, line_lengths, line_marks, words_of
from urls.traps.pattern import PatternKind, patterns_of, trees_of

if TYPE_CHECKING:
    from frontier.endings.ledger import Ledger
    from urls.records import CanonicalUrl, Outcome
    from urls.traps.pattern import Pattern

COPY = frozenset({Rule.DUPLICATE, Rule.NEAR_DUPLICATE})  # rules of a page that says what another says


def is_probe(ledger: Ledger, url: int) -> bool:
    """Return whether Breadcrumb made the address up."""
    return ledger.database.value("SELECT 1 FROM probe WHERE url = ?", url) is not None


def consider(ledger: Ledger, url: int, page: Page) -> bool:
    """Ask whether the site makes pages up, if the pattern of a fresh `page` goes on by itself; return whether asked."""
    if not ledger.discovery.policy.limits.trap_patience:
        return False  # a person wants nothing closed
    site, depth = ledger.connection.execute("SELECT site, depth FROM url WHERE id = ?", (url,)).fetchone()
    own = patterns_of(page.url)[0]
    trees = trees_of(page.url) if depth > LISTED_DEPTH else ()
    if ledger.discovery.budgets.is_released(site, page.url):
        return False
    asked = False
    for pattern in (own,) if own.kind is PatternKind.NUMBERED else trees:
        account = ledger.discovery.budgets.patterns.ensure(site, pattern)
        if account.authorship is not Authorship.UNASKED or account.exempt or account.closed:
            continue
        endless = may_be_endless if pattern.is_tree else comes_from_its_own_pattern
        goes_on = endless(ledger.connection, url, pattern) or ledger.discovery.budgets.overflows(
            account.id, LINKS_BEFORE_A_PROBE
        )
        if goes_on and _grown(ledger, account.id, pattern, page):
            asked = _ask(ledger, url, site, account.id, pattern, page) or asked
    return asked


def _grown(ledger: Ledger, account: int, pattern: Pattern, page: Page) -> bool:
    patterns = ledger.discovery.budgets.patterns
    bare = pattern.is_tree and not patterns.has_new_line(account, list(_lines(page)))
    return patterns.note_growth(account, bare=bare) >= PAGES_BEFORE_A_PROBE


def _lines(page: Page) -> dict[int, int]:
    """Return the lines of a page that do more than name links or repeat its address, as `weighed` does."""
    return line_lengths(page.title, page.text, words_of((page.url, *(link.text for link in page.links))))


def _ask(ledger: Ledger, url: int, site: int, account: int, pattern: Pattern, page: Page) -> bool:
    ledger.discovery.budgets.patterns.set_authorship(account, Authorship.ASKED)
    ledger.discovery.budgets.patterns.new_lines(account, line_marks(page.title, page.text))
    names = [made_up_address(page.url, pattern, attempt) for attempt in range(PROBES)]
    urls = [canonicalize(name) for name in names if name is not None]
    if len(set(urls)) < PROBES or not all(_may_be_asked(ledger, made) for made in urls):
        return False
    depth = ledger.database.count("SELECT depth FROM url WHERE id = ?", url)
    for made in urls:
        probe = ledger.urls.enqueue(
            NewUrl(made, site, FoundBy.PROBE, found_on=url, depth=depth, urgency=SITEMAP_URGENCY)
        )
        ledger.connection.execute("INSERT INTO probe (url, pattern) VALUES (?, ?)", (probe, account))
    reason = (
        f"{PAGES_BEFORE_A_PROBE} pages of {pattern.name[:100]} were led to by others of it: "
        "would it have a page for any name?"
    )
    ledger.journal.write(url, Rule.PROBE, reason, urls, count=len(urls))
    return True


def _may_be_asked(ledger: Ledger, url: CanonicalUrl) -> bool:
    blocked = ledger.discovery.policy.blocked(url, url)
    return blocked is None and find_row(ledger.connection, "id", url) is None


def store_answer(ledger: Ledger, url: int, answer: Page | Outcome, size: int) -> None:
    """End the lease of a probe, and draw the conclusion for its pattern once the answers allow one."""
    (account,) = ledger.connection.execute("SELECT pattern FROM probe WHERE url = ?", (url,)).fetchone()
    if isinstance(answer, Page) or answer.requested:
        ledger.fetched(url, answer, size, Rule.PROBE)
    news = _news(ledger, account, answer)
    told = {None: "no answer that tells anything", 0: "no such page", NOTHING_NEW: "a page that says nothing new"}
    shown = told.get(news, f"a page with {news} characters of its own")
    reason = f"Breadcrumb made this address up, to see whether its site does: {shown}"
    row = ledger.journal.write(url, Rule.PROBE, reason)
    ledger.end(url, State.SUPPRESSED, Rule.PROBE, because=row)
    if news is not None:
        _conclude(ledger, url, account, news)


def _news(ledger: Ledger, account: int, answer: Page | Outcome) -> int | None:
    """Return how many characters of an answer are new to the pattern; 0 where it is no page, None for no answer."""
    if not isinstance(answer, Page):
        denied = answer.status is not None and 400 <= answer.status < 500  # noqa: PLR2004 - 4xx: no such page
        return 0 if answer.fate in {Fate.GONE, Fate.MOVED} or denied else None
    rules = {refusal.rule for refusal in answer.refusals}
    if rules & SAYS_NOTHING_NEW:
        return NOTHING_NEW if rules & COPY else 0
    if rules & TELLS_NOTHING:
        return 0
    lines = _lines(answer)
    new = ledger.discovery.budgets.patterns.new_lines(account, list(lines), keep=len(lines))
    return sum(lines[mark] for mark in new) or NOTHING_NEW


def _conclude(ledger: Ledger, url: int, account: int, news: int) -> None:
    budgets = ledger.discovery.budgets
    before = ledger.connection.execute(
        "SELECT news FROM probe WHERE pattern = ? AND news IS NOT NULL AND url != ?", (account, url)
    ).fetchall()
    ledger.connection.execute("UPDATE probe SET news = ? WHERE url = ?", (news, url))
    led_by = ledger.database.value(
        "SELECT page.url FROM url AS page JOIN url ON url.found_on = page.id WHERE url.id = ?", url
    )
    page = ledger.pages.get(str(led_by))
    bare = ledger.database.count("SELECT bare FROM pattern WHERE id = ?", account)
    verdict = authorship([*(each for (each,) in before), news], len(page.text) if page else 0, bare)
    if verdict is Authorship.MADE_UP:
        budgets.close_made_up(url, account)
    elif verdict is Authorship.WRITTEN:
        budgets.patterns.set_authorship(account, verdict)
        budgets.queue_deeper(url, account)
