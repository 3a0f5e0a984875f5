"""What is written for an answer that an archive holds? What a lease would write, but for the request: none was sent.

The answer is noted as a capture, with its place in the archive. The proof that the robot was polite, the alarms over
sites that fail and the numbers of a run know of requests alone, so captures are no part of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.imports import Imports
from crawldb.tables.runs import latest_run
from frontier.outcomes.lease import Ledger

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from frontier.job import CrawlJob
    from frontier.outcomes.lease import LeasedUrl
    from urls.captures import Capture
    from urls.policy import Policy
    from urls.records import Outcome, Page
    from urls.rules import Rule
    from urls.sitemap_records import Sitemap
    from urls.stylesheet_record import Stylesheet


class CaptureLedger(Ledger):
    """The tables in which captures end; `archive` is the id of the one that is read, `capture` the one under way."""

    def __init__(self, database: CrawlDatabase, policy: Policy, job: CrawlJob, archive: int) -> None:
        super().__init__(database, policy, latest_run(database), job)
        self.journal.run = None  # what it says belongs to no run of a crawl
        self.imports = Imports(database)
        self.archive = archive
        self.capture: Capture | None = None

    def note_fetch(self, leased: LeasedUrl, answer: Page | Outcome | Sitemap | Stylesheet, rule: Rule) -> None:
        """Note the capture that is under way, with what came of it."""
        if self.capture is not None:
            status, size = answer.status, answer.size
            self.imports.note_capture(self.archive, leased.id, self.capture, rule, status=status, size=size)
