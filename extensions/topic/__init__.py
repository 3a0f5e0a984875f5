"""How does a crawl find the pages of a topic early, or the pages that few link to? Best first instead of breadth first.

`crawl site -a topic=WORDS|FILE` fetches the URLs that are most likely to be on topic first (docs/decisions/0033).
`PRIORITY=rare` fetches first the pages with the fewest known links to them. `why` shows the priority and the turn of
each URL. `report` shows how many relevant pages the turns have brought.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from extension_points import AddedOrder, ReportSection, SpiderArgument, extends

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crawldb.database import CrawlDatabase
    from extension_points import WhySection
    from extensions.topic.terms import TermFinder
    from frontier.followers.order import CrawlFollower
    from frontier.job import CrawlJob
    from frontier.url_orders import UrlOrder
    from reports.wording import Row
    from urls.records import CanonicalUrl


@dataclass(frozen=True, slots=True)
class ByTopic:
    """The order of a crawl with a topic, whose terms `finder` finds."""

    finder: TermFinder

    def __call__(self, database: CrawlDatabase) -> UrlOrder:
        """Return the order over a crawl database."""
        from extensions.topic.orders import TopicFirst

        return TopicFirst(database, self.finder)


def rare_first(database: CrawlDatabase) -> UrlOrder:
    """Return the order of PRIORITY=rare over a crawl database."""
    from extensions.topic.orders import RareFirst

    return RareFirst(database)


def choose_topic(priority: str, arguments: Mapping[str, str]) -> ByTopic | None:
    """Return the order of `-a topic=`, if it is given. Raises SettingError if it can't be used."""
    from spiders.setting_values import SettingError

    topic = arguments.get("topic")
    if topic is None:
        if priority == "topic":
            raise SettingError("PRIORITY=topic: say which, with -a topic=WORDS or a file that describes it")
        return None
    from extensions.topic.description import read_topic  # stemmers, and 0.03 s: few crawls have a topic
    from extensions.topic.terms import TermFinder

    finder = TermFinder(read_topic(topic))
    if priority not in {"breadth", "topic"}:
        raise SettingError(f"PRIORITY={priority} and -a topic= are two orders: leave one of them out")
    return ByTopic(finder)


@extends
def spider_arguments() -> list[SpiderArgument]:
    """Add `-a topic=`."""
    help_text = "what is looked for, and so comes first: WORDS, or a file or folder/ that describes it"
    return [SpiderArgument("topic", help_text, "WORDS|FILE", "what is looked for, as with crawl; each part weighs it")]


@extends
def url_orders() -> list[AddedOrder]:
    """Add PRIORITY=rare and PRIORITY=topic."""
    return [
        AddedOrder("rare", lambda priority, _: rare_first if priority == "rare" else None),
        AddedOrder("topic", choose_topic),
    ]


@extends
def crawl_begins(database: CrawlDatabase, job: CrawlJob) -> None:
    """Note whether this run uses the folder's topic."""
    from extensions.topic.tables import note_order
    from urls.schedule import Priority

    by_topic = isinstance(job.order, ByTopic)
    keeps_priorities = by_topic or (job.order is None and job.priority is Priority.BREADTH)
    note_order(database, by_topic=by_topic, keeps_priorities=keeps_priorities)


@extends
def crawl_followers(database: CrawlDatabase, job: CrawlJob) -> list[CrawlFollower]:
    """Follow each page of a crawl with a topic."""
    if not isinstance(job.order, ByTopic):
        return []
    from extensions.topic.orders import TopicPages

    return [TopicPages(database, job.order.finder)]


@extends
def why_sections(database: CrawlDatabase, url: CanonicalUrl | None) -> list[WhySection]:
    """Return the priority of a URL, and its turn."""
    from extensions.topic.reports import why_section

    return [why_section(database, url)]


class HarvestSection(ReportSection):
    """The harvest: the relevant pages that the turns for a topic have brought."""

    key = "topic"

    def read(self, database: CrawlDatabase) -> dict[str, Any] | None:
        """Return the harvest of a crawl."""
        from extensions.topic.reports import harvest

        return harvest(database)

    def combine(self, values: Iterable[Any]) -> dict[str, Any] | None:
        """Return the harvest of all parts of a divided crawl."""
        from extensions.topic.reports import sum_of_harvests

        return sum_of_harvests(values)

    def rows(self, value: Any) -> Iterable[Row]:
        """Return the row of `report`."""
        from extensions.topic.reports import harvest_rows

        return harvest_rows(value)

    def closing_lines(self, value: Any) -> list[str]:
        """Return a line if no page is relevant."""
        from extensions.topic.reports import nothing_relevant

        return nothing_relevant(value)


@extends
def report_sections() -> list[ReportSection]:
    """Add the harvest to `report`."""
    return [HarvestSection()]
