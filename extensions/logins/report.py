"""Did the newest run of a crawl log in? A row of `report` for each site says it, and one which pages it did not get."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from crawldb.tables.journal import reasons_of_run
from crawldb.tables.runs import newest_run_record
from reports.wording import Row, counted, sentence
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase

LOGGED_IN, FAILED = "logged in at ", "the login at "  # how the reasons begin that the crawl writes (middleware.py)
NOT_SEEN = "the account may not see it"  # in the reason of a page that shows a login where others do not


def login_rows(database: CrawlDatabase) -> Iterator[Row]:
    """Yield how the logins of the newest run ended."""
    run = newest_run_record(database)
    if run is None:
        return
    reasons = Counter(
        each for each in reasons_of_run(database, run.run, Rule.LOGIN) if each.startswith((LOGGED_IN, FAILED))
    )
    for reason, count in reasons.items():
        often = f", {counted(count, 'time')}" if reason.startswith(LOGGED_IN) else ""
        yield Row("logins", sentence(f"{reason[0].upper()}{reason[1:]}{often}"))
    walled = [each for each in reasons_of_run(database, run.run, Rule.LOGIN_WALL) if NOT_SEEN in each]
    if walled:
        yield Row("logins", sentence(f"{counted(len(walled), 'page')} behind a login not read, such as {walled[0]}"))
