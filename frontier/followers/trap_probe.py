"""Does a site make up the pages of a pattern? The question, and what its answer tells of the pattern.

A probe is a row of `url` like any other, so that robots.txt, pace and journal hold for it. It is asked for once, never
read as a page, and suppressed when it has been answered (`urls/traps/made_up.py` has the reason for all this).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from crawldb.tables.urls import SITEMAP_URGENCY, NewUrl, State
from crawldb.visited import find
from frontier.chains import comes_from_its_own_pattern, may_be_endless
from urls.canonical import canonicalize
from urls.counted import counted
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
from urls.traps.novelty import TELLS_NOTHING, line_lengths, line_marks, repeats, says_nothing_new, words_of
from urls.traps.pattern import PatternKind, patterns_of, trees_of

if TYPE_CHECKING:
    from crawldb.tables.patterns import PatternAccount
    from frontier.outcomes.lease import LeasedUrl, Ledger
    from urls.records import Outcome

NO_SUCH_PAGE = range(400, 500)  # status codes: what was asked for is not there, or not for us


def consider_trap(ledger: Ledger, leased: LeasedUrl, page: Page) -> bool:
    """Ask whether the site makes pages up, if the pattern of a fresh `page` goes on by itself; return whether asked."""
    budgets = ledger.discovery.budgets
    own = patterns_of(page.url)[0]
    trees = trees_of(page.url) if leased.depth > LISTED_DEPTH else ()
    patterns = (own,) if own.kind is PatternKind.NUMBERED else trees
    patience = ledger.discovery.policy.limits.trap_patience
    if not patterns or not patience or budgets.is_released(leased.site, page.url):
        return False  # or a person wants nothing closed
    asked = False
    for pattern in patterns:
        account = budgets.patterns.ensure(leased.site, pattern)
        if account.authorship is Authorship.UNASKED and account.may_be_closed and _goes_on(ledger, leased, account):
            bare = pattern.is_tree and not budgets.patterns.has_new_line(account.id, list(_own_lines(page)))
            grown = budgets.patterns.note_growth(account.id, bare=bare)
            asked = (grown >= PAGES_BEFORE_A_PROBE and _ask(ledger, leased, account, page)) or asked
    return asked


def _goes_on(ledger: Ledger, leased: LeasedUrl, account: PatternAccount) -> bool:
    """Return whether a pattern goes on from its own pages, or has far more links than it is allowed."""
    goes_on = may_be_endless if account.pattern.is_tree else comes_from_its_own_pattern
    return goes_on(ledger.connection, leased.id, account.pattern) or ledger.discovery.budgets.overflows(
        account.id, LINKS_BEFORE_A_PROBE
    )


def _own_lines(page: Page) -> dict[int, int]:
    """Return the lines of a page that do more than name links or repeat its address, as `line_lengths` does."""
    return line_lengths(page.title, page.visible_text, words_of((page.url, *(link.text for link in page.links))))


def _ask(ledger: Ledger, leased: LeasedUrl, account: PatternAccount, page: Page) -> bool:
    patterns = ledger.discovery.budgets.patterns
    patterns.set_authorship(account.id, Authorship.ASKED)
    patterns.new_lines(account.id, line_marks(page.title, page.visible_text))
    names = [made_up_address(page.url, account.pattern, attempt) for attempt in range(PROBES)]
    urls = [canonicalize(name) for name in names if name is not None]
    blocked = ledger.discovery.policy.blocked
    if len(set(urls)) < PROBES or any(blocked(url, url) or find(ledger.connection, url) for url in urls):
        return False
    for url in urls:
        new = NewUrl(url, leased.site, FoundBy.PROBE, leased.id, leased.depth, urgency=SITEMAP_URGENCY)
        ledger.probes.add(ledger.urls.enqueue(new), Purpose.TRAP, pattern=account.id)
    name = account.pattern.name[:100]
    reason = f"other pages of {name} led to {PAGES_BEFORE_A_PROBE} of its pages: would it have a page for any name?"
    ledger.journal.write(leased.id, Rule.PROBE, reason, urls, count=len(urls))
    return True


def store_made_up(ledger: Ledger, leased: LeasedUrl, answer: Page | Outcome) -> None:
    """End the lease of a probe, and draw the conclusion for its pattern once the answers allow one."""
    (account,) = ledger.connection.execute("SELECT pattern FROM probe WHERE url = ?", (leased.id,)).fetchone()
    if isinstance(answer, Page) or answer.requested:
        ledger.note_fetch(leased, answer, Rule.PROBE)
    news = _news(ledger, account, answer)
    told = {None: "no answer that tells anything", 0: "no such page", NOTHING_NEW: "a page that says nothing new"}
    shown = told.get(news, f"a page with {counted(news or 0, 'character')} of its own")
    reason = f"Breadcrumb made this address up, to see whether its site does: {shown}"
    row = ledger.journal.write(leased.id, Rule.PROBE, reason)
    ledger.end(leased.id, State.SUPPRESSED, Rule.PROBE, because=row)
    if news is not None:
        _conclude(ledger, leased.id, account, news)


def _news(ledger: Ledger, account: int, answer: Page | Outcome) -> int | None:
    """Return how many characters of an answer are new to the pattern; 0 where it is no page, None for no answer."""
    if not isinstance(answer, Page):
        return 0 if answer.fate in {Fate.GONE, Fate.MOVED} or answer.status in NO_SUCH_PAGE else None
    answer = replace(answer, resemblance=ledger.clusters.likeness(answer.signature))
    if says_nothing_new(answer):
        return NOTHING_NEW if repeats(answer) else 0
    if any(refusal.rule in TELLS_NOTHING for refusal in answer.refusals):
        return 0
    lines = _own_lines(answer)
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
    verdict = authorship([*(each for (each,) in before), news], len(page.visible_text) if page else 0, bare)
    if verdict is Authorship.MADE_UP:
        budgets.close_made_up(url, account)
    elif verdict is Authorship.WRITTEN:
        budgets.patterns.set_authorship(account, verdict)
        budgets.queue_deeper(url, account)
