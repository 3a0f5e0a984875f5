"""What does a site say for a page that is not there? The question, and what is kept of its answer.

A site that has shown PROBE_AFTER pages at its root, in its folders, or under queries is asked for one there that cannot
be. A smaller site is asked once it has shown FEW_PAGES, where one of them says as little as an apology. The address is
a row of `url` like any other, so that robots.txt, pace and journal hold for it: where robots.txt forbids it, nothing is
learnt. Its answer is never a page: what it says is kept as the site's lie (`pages/content/lies.py`), and the pages that
are stored already are judged again by it (`pipelines/again.py`). After MAX_REVISIT the site is asked again for the same
address, since it may have another template by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from crawldb.tables.urls import SITEMAP_URGENCY, NewUrl, State
from crawldb.visited import find
from pages.content.lies import (
    AddressPlace,
    is_home,
    lie_of,
    missing_address,
    own_words,
    place_of,
    repeats_name,
    said_lines,
)
from robots.page.controls import HTML_TYPES
from urls.canonical import UnusableUrl, canonicalize, hidden_in
from urls.counted import counted
from urls.records import Fate, FoundBy, Page
from urls.rules import Rule
from urls.traps.novelty import TELLS_NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from frontier.outcomes.lease import LeasedUrl, Ledger
    from urls.records import Outcome

OTHERS = 12  # stored pages of a site, those nearest to a seed, from which its template is told
MOST_TOLD = 0.5  # of them: a page without an apology that so many say is what the site says anyway
LITTLE_WORDS = 30  # of a page without its menus: an apology has no more
FEW_PAGES = 5  # of a site, from which its template is told
NO_SUCH_PAGE = range(400, 500)  # status codes: what was asked for is not there, or not for us


def consider_asking(ledger: Ledger, leased: LeasedUrl, page: Page, *, fresh: bool) -> bool:
    """Ask a site for a page that cannot be there, if it is time to; return whether it is asked.

    `fresh`: `page` was stored for the first time.
    """
    if not ledger.probe_after or page.content_type not in HTML_TYPES:
        return False
    place, questions = place_of(page.url), ledger.probes.questions(leased.site)
    _, asked_at = questions.get(place, (0, None))
    if asked_at is not None:
        if page.fetched_at < asked_at + ledger.most_revisit:
            return False
        return _ask(ledger, leased, page, place, "its site was asked long ago")
    if not fresh:
        return False
    shown = ledger.probes.count_page(leased.site, place)
    if shown >= ledger.probe_after:
        return _ask(ledger, leased, page, place, f"its site has shown {counted(shown, 'page')} ({place})")
    return _ask_small_site(ledger, leased, page, questions)


def _ask_small_site(
    ledger: Ledger, leased: LeasedUrl, page: Page, questions: Mapping[str, tuple[int, float | None]]
) -> bool:
    """Ask where a page says as little as an apology: this one, or one that came when the template was not known yet."""
    suspected = {place for place in AddressPlace if _suspicion(place) in questions}
    if not is_home(page.url) and own_words(page, LITTLE_WORDS) <= LITTLE_WORDS:
        suspected.add(place_of(page.url))
        ledger.probes.count_page(leased.site, _suspicion(place_of(page.url)))
    shown = 1 + sum(questions.get(place, (0, None))[0] for place in AddressPlace)
    if shown < FEW_PAGES:
        return False
    due = [place for place in AddressPlace if place in suspected and questions.get(place, (0, None))[1] is None]
    why = f"its site has shown {counted(shown, 'page')}, and one that says little"
    asked = [_ask(ledger, leased, page, place, why) for place in due]
    return any(asked)


def _suspicion(place: AddressPlace) -> str:
    """Return the topic under which pages that say little are counted."""
    return f"{place}, which say little"


def _ask(ledger: Ledger, leased: LeasedUrl, page: Page, place: AddressPlace, why: str) -> bool:
    ledger.probes.note_asked(leased.site, place, page.fetched_at)
    earlier = [url for url in ledger.probes.made_up(leased.site) if place_of(url) is place]
    beside = next((url for url in ledger.probes.nearest(leased.site) if place_of(url) is place), page.url)
    name = earlier[0] if earlier else missing_address(beside)
    if name is None:
        return False
    url, discovery = canonicalize(name), ledger.discovery
    known = find(ledger.connection, url)
    if earlier and known is not None:
        ledger.urls.requeue([known])
    elif known is not None or discovery.policy.blocked(url, url) or discovery.budgets.is_full(leased.site):
        return False
    else:
        found_on = find(ledger.connection, beside)
        new = NewUrl(url, leased.site, FoundBy.PROBE, found_on, leased.depth, urgency=SITEMAP_URGENCY)
        ledger.probes.add(ledger.urls.enqueue(new), Purpose.MISSING, page.fetched_at)
    ledger.journal.write(leased.id, Rule.PROBE, f"{why}: what does it say where there is no page?", [url])
    return True


def store_missing(ledger: Ledger, leased: LeasedUrl, answer: Page | Outcome) -> None:
    """End the lease of a made-up address, and keep what its answer teaches."""
    if isinstance(answer, Page) or answer.requested:
        ledger.note_fetch(leased, answer, Rule.PROBE)
    told = _learnt_from_page(ledger, leased, answer) if isinstance(answer, Page) else _learnt(ledger, leased, answer)
    reason = f"Breadcrumb made this address up, to see what its site says where there is no page: {told}"
    row = ledger.journal.write(leased.id, Rule.PROBE, reason)
    ledger.end(leased.id, State.SUPPRESSED, Rule.PROBE, because=row)


def _learnt(ledger: Ledger, leased: LeasedUrl, answer: Outcome) -> str:
    if answer.fate is Fate.MOVED:
        return _learnt_redirect(ledger, leased, answer.target or "", answer.fetched_at)
    if answer.fate is Fate.GONE or answer.status in NO_SUCH_PAGE:
        ledger.lessons.forget_lie(leased.id)
        return f"the truth, by status {answer.status}"
    return "no answer that tells anything"


def _learnt_redirect(ledger: Ledger, leased: LeasedUrl, target: str, at: float) -> str:
    shown = hidden_in(target)[:200]
    try:
        ledger.lessons.put_redirect(leased.id, leased.site, at, canonicalize(target))
    except UnusableUrl:
        return "no answer that tells anything"
    return f"a redirect to {shown}"


def _learnt_from_page(ledger: Ledger, leased: LeasedUrl, answer: Page) -> str:
    rules = {refusal.rule for refusal in answer.refusals}
    if Rule.MOVED in rules and answer.refresh:
        return _learnt_redirect(ledger, leased, answer.refresh[1], answer.fetched_at)
    if rules & TELLS_NOTHING:
        return "no answer that tells anything"
    others = list(_pages(ledger, leased.site))
    homes: list[tuple[int, Page]] = []
    if Rule.SOFT_404 not in rules and not repeats_name(answer):  # no apology: it may be a page of the site
        alone = lie_of(answer, ())
        homes = [home for home in _pages(ledger, leased.site, seeds=True) if alone.is_told_by(home[1])]
        told = [page for _, page in others if alone.is_told_by(page)]
        page = ledger.lessons.led_by(leased.id)
        is_a_page = bool(answer.duplicate_of and not homes) or (page is not None and alone.is_told_by(page))
        if is_a_page or len(told) >= max(2, MOST_TOLD * len(others)):
            ledger.lessons.forget_lie(leased.id)
            return "a page that it has under other addresses as well, so that nothing follows from it"
    shows = homes[0][0] if homes else None
    lie = lie_of(answer, [said_lines(page) for url, page in others if url != shows])
    ledger.lessons.put_lie(leased.id, leased.site, answer.fetched_at, lie, shows=shows)
    ledger.lessons.let_judge_again(leased.site)
    same = f", as {homes[0][1].url} has it" if homes else ""
    return f"a page with status {answer.status}{same}: other pages that say the same are none"


def _pages(ledger: Ledger, site: int, *, seeds: bool = False) -> Iterator[tuple[int, Page]]:
    """Yield the stored pages of a site that are nearest to a seed; `seeds`: only seeds and what they redirect to."""
    for url, address in ledger.probes.first_pages(site, OTHERS, seeds=seeds):
        page = ledger.lessons.page(url, address)
        if page is not None:
            yield url, page
