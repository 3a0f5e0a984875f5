"""Is what was taken for the main text still that, by what is known of its site now? If not, the page is judged again.

The first pages of a site are judged before anything of it is known, and a site may change its template. So at the end
of a run the templates of the sites whose sample has changed are learnt anew, and each page judged by another
version is looked at. Those of which other lines are main text now pass all judges again, with their fingerprints, their
refusals and the index following. Nothing is fetched. What a run leaves, as it was stopped, the next one does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.learnt.site_templates import SiteTemplates
from frontier.endings.again import settle_copies, store_reworded
from pipelines.again import SLICE, judge_again
from urls.content.layout import text_lines
from urls.content.site_template import judged_by_site
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from crawldb.database import CrawlDatabase
    from crawldb.pages.bodies import StoredAnswer
    from frontier.endings.ledger import Ledger
    from pipelines.judges import Judges
    from urls.records import Page

_OF_THE_TEXT = frozenset({Rule.DUPLICATE, Rule.NEAR_DUPLICATE, Rule.SOFT_404})  # what a page is refused for by its text


def review_templates(
    database: CrawlDatabase,
    begin: Callable[[], AbstractContextManager[Ledger]],
    judges: Judges,
    read: Callable[[StoredAnswer], Page],
) -> Iterator[int]:
    """Learn what is to be learnt and judge again what is to be, a slice a transaction; yield how many pages changed."""
    templates = SiteTemplates(database)
    changed = templates.changed()
    for start in range(0, len(changed), SLICE):
        with begin() as ledger:
            for site in changed[start : start + SLICE]:
                ledger.templates.learn(site)
        yield 0
    for site, name in templates.pending():
        after = 0
        while rows := templates.judged_otherwise(site, after, SLICE):
            with begin() as ledger:
                found = sum(_is_another(ledger, judges, read, (site, name), row) for row in rows)
            after = rows[-1][0]
            yield found
        with begin() as ledger:
            settle_copies(ledger)
            ledger.templates.settle(site)


def _is_another(
    ledger: Ledger, judges: Judges, read: Callable[[StoredAnswer], Page], site: tuple[int, str], row: tuple[int, str]
) -> bool:
    """Judge a page again where the present template of its site tells otherwise; return whether it is another one."""
    identity, url = row
    before = ledger.pages.get(url)
    if before is None:
        return False
    lines = text_lines(before)
    if judged_by_site(lines, ledger.templates.of(site[1]).marks) == lines:
        ledger.templates.note_unchanged(identity, site[0])
        return False
    answer = ledger.pages.answer(url)
    if answer is not None:
        return judge_again(ledger, judges, read(answer)) is not None
    # Its owner wants no copy of it kept: it is judged by its stored lines, and what it leads to stays as it is.
    if any(refusal.rule not in _OF_THE_TEXT for refusal in before.refusals):
        ledger.templates.note_unchanged(identity, site[0])
        return False
    title = str(ledger.database.value("SELECT title FROM page WHERE url = ?", identity))  # with the name of the site
    page = judges.judge(replace(before, title=title, refusals=(), duplicate_of=None, near_duplicate_of=None))
    return store_reworded(ledger, page, before)
