"""Is what was taken for the main text still that, by what is known of its site now? If not, the page is judged again.

The first pages of a site are judged before anything of it is known, and a site may change its template. So at the end
of a run the templates of the sites whose sample has changed are learnt anew, and each page judged by another
version is looked at. Those of which other lines are main text now pass all judges again, with their fingerprints, their
refusals and the index following. Nothing is fetched. What a run leaves, as it was stopped, the next one does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.learnt.site_templates import SiteTemplates
from frontier.outcomes.page_again import settle_copies
from pages.content.layout import text_lines
from pages.content.site_template import judged_by_site
from pipelines.again import judge_record_again

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from crawldb.database import CrawlDatabase
    from crawldb.pages.bodies import StoredAnswer
    from frontier.outcomes.lease import Ledger
    from pipelines.judges import Judges
    from urls.records import CanonicalUrl, Page

SLICE = 50  # pages of a transaction, as a crawl goes on beside it


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
                found = _review(ledger, judges, read, name, rows)
            after = rows[-1][0]
            yield found
        with begin() as ledger:
            settle_copies(ledger)
            ledger.templates.settle(site)


def _review(
    ledger: Ledger,
    judges: Judges,
    read: Callable[[StoredAnswer], Page],
    site: str,
    rows: Iterable[tuple[int, CanonicalUrl]],
) -> int:
    """Judge those pages again of which the present template of their site tells otherwise; return how many changed."""
    template = ledger.templates.of(site)
    changed, unchanged = 0, []
    for url, address in rows:
        before = ledger.pages.get(address, url)
        if before is None:
            continue
        lines = text_lines(before)
        if judged_by_site(lines, template.marks) == lines:
            unchanged.append(url)
        else:
            changed += judge_record_again(ledger, judges, read, url, ledger.lessons.with_link_names(url, before))
    ledger.templates.note_unchanged(unchanged, template)
    return changed
