"""Every extension point of Breadcrumb, in one file: its arguments, its result, and when it is called.

The built-in extensions are listed in extensions/built_in.txt. An installed package names its extension under the entry
point `breadcrumb.extensions`. Breadcrumb imports no other extension. The plugin manager is pluggy, as in pytest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from pathlib import Path

    from flask import Blueprint, Flask

    from commands.frame.command import Command
    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal
    from crawldb.tables.open_work import OpenWork
    from extension_points.additions import (
        AddedCrawl,
        AddedOrder,
        AddedTables,
        ApiDescription,
        CommandOptions,
        CrawlRecorder,
        ExportFormat,
        ForeignIndex,
        IndexedField,
        IndexWork,
        InsideView,
        OperatorView,
        OptionProposal,
        RankingWeight,
        ReportSection,
        ReportSubject,
        SearchableCollection,
        SearchSchema,
        SpiderArgument,
        StoredCopies,
        WhySection,
    )
    from frontier.followers.order import CrawlFollower
    from frontier.job import CrawlJob
    from indexer.analysis.readings import WordReader
    from indexer.libraries import IndexLibrary
    from indexer.ranking.contribution import ScoreContributor
    from indexer.remote import IndexEngine
    from pages.documents import DocumentReader
    from pipelines.filters import PageFilter
    from reports.wording import Row
    from spiders.setting_values import ReadableSettings
    from urls.records import CanonicalUrl

PROJECT = "breadcrumb"

_hook = pluggy.HookspecMarker(PROJECT)
extends = pluggy.HookimplMarker(PROJECT)


@_hook
def index_fields() -> list[IndexedField]:  # type: ignore[empty-body]  # pluggy asks for the signature alone
    """Return fields that pages are indexed by. Breadcrumb rebuilds an index that has other fields."""


@_hook
def index_engines() -> list[IndexEngine]:  # type: ignore[empty-body]  # as above
    """Return engines that keep an index outside the data folder. `indexer/remote.py` has their interface.

    Called if the setting INDEX is not empty. The scheme of its URL chooses one.
    """


@_hook
def foreign_indexes(data_dir: Path) -> list[ForeignIndex]:  # type: ignore[empty-body]  # as above
    """Return the index of another program that is searched in place of that of a data folder: it has no crawl."""


@_hook
def index_libraries() -> list[IndexLibrary]:  # type: ignore[empty-body]  # as above
    """Return libraries whose classes can use the index of a data folder. `indexer/libraries.py` has their interface."""


@_hook
def document_readers(settings: ReadableSettings) -> list[DocumentReader]:  # type: ignore[empty-body]  # as above
    """Return readers of files that are not markup. `pages/documents.py` has their interface.

    Called when a crawl, or a command that reads pages, begins. Raise SettingError for an invalid setting.
    """


@_hook
def commands() -> list[Command]:  # type: ignore[empty-body]  # as above
    """Return commands of the launcher. Each has its own name, and a `summary`."""


@_hook
def command_options(command: str) -> list[CommandOptions]:  # type: ignore[empty-body]  # as above
    """Return options for a command, by its name: `demo`, `robots`, and `index`, which uses only the options."""


@_hook
def export_formats() -> list[ExportFormat]:  # type: ignore[empty-body]  # as above
    """Return formats of `export`."""


@_hook
def searchable_collections() -> list[SearchableCollection]:  # type: ignore[empty-body]  # as above
    """Return collections of documents to search next to the pages."""


@_hook
def gateway_begins(app: Flask, data_dir: Path, settings: CommandSettings) -> None:
    """Take part in the start of the gateway, with functions that Flask calls for each request.

    Called once all views are registered. Raise CommandError for an invalid setting.
    """


@_hook
def views() -> list[Blueprint]:  # type: ignore[empty-body]  # as above
    """Return views of the gateway, as blueprints of Flask. They are read-only, and see what any visitor sees."""


@_hook
def inside_views() -> list[InsideView]:  # type: ignore[empty-body]  # as above
    """Return views that `/inside` lists. They are registered like those of `views`."""


@_hook
def operator_views() -> list[OperatorView]:  # type: ignore[empty-body]  # as above
    """Return pages of the operator. They may change the crawl."""


@_hook
def api_descriptions() -> list[ApiDescription]:  # type: ignore[empty-body]  # as above
    """Return the descriptions of views for programs, for `/api/openapi.json`."""


@_hook
def settings() -> dict[str, object]:  # type: ignore[empty-body]  # as above
    """Return settings with their defaults. A name is in capitals, and a value has the type of its default."""


@_hook
def tables() -> list[AddedTables]:  # type: ignore[empty-body]  # as above
    """Return tables that the extension keeps in the crawl database.

    A command that opens a database for writing makes them, or brings them up to date. Without the extension, the
    database opens as it is. If a crawl is divided, both sides of a split keep all rows that no trigger removes.
    """


@_hook
def crawl_recorders(settings: ReadableSettings) -> list[CrawlRecorder]:  # type: ignore[empty-body]  # as above
    """Return the recorders of a crawl with these settings. Raise SettingError for an invalid value."""


@_hook
def spider_arguments() -> list[SpiderArgument]:  # type: ignore[empty-body]  # as above
    """Return arguments of `crawl site`."""


@_hook
def report_crawls() -> list[AddedCrawl]:  # type: ignore[empty-body]  # as above
    """Return crawls of `crawl NAME`: they end with a report instead of an index, or run another engine."""


@_hook
def url_orders() -> list[AddedOrder]:  # type: ignore[empty-body]  # as above
    """Return orders in which the queued URLs of a site are fetched."""


@_hook
def crawl_begins(database: CrawlDatabase, job: CrawlJob) -> None:
    """Take part in the start of a run: its folder is open, the frontier has its seeds, and no URL is leased yet."""


@_hook
def crawl_followers(database: CrawlDatabase, job: CrawlJob) -> list[CrawlFollower]:  # type: ignore[empty-body]  # as above
    """Return followers of each stored page and each request. `frontier/followers/order.py` has their interface.

    Called when a crawl, `reparse` or `import` begins. The transaction that ends a lease calls the followers.
    """


@_hook
def page_filters(database: CrawlDatabase) -> list[type[PageFilter]]:  # type: ignore[empty-body]  # as above
    """Return filters of pages, subclasses of PageFilter. They follow those of Breadcrumb: `pipelines/filters.py`.

    Called when a crawl, `reparse` or `import` begins, and in the processes of `reparse`. A filter returns
    `self.reject(page, reason)` to reject a page.
    """


@_hook
def crawl_ends(database: CrawlDatabase, journal: Journal) -> None:
    """Compute something over all pages that are stored: a run of `crawl`, `reparse` or `import` ends.

    It is not called for a run that was killed, so the next one has to make up for it. Put pages that have to be
    indexed again into the feed: `crawldb/pages/feed.py`.
    """


@_hook
def option_proposals(databases: Sequence[CrawlDatabase]) -> list[OptionProposal]:  # type: ignore[empty-body]  # as above
    """Return options of sites that the stored pages speak for. `databases`: those of all parts of a crawl.

    `report`, `/stats` and `/admin` show them. An operator applies them, with `suggest` or on the admin page.
    """


@_hook
def stored_copies() -> list[StoredCopies]:  # type: ignore[empty-body]  # as above
    """Return the copies of pages and robots.txt files that the extension keeps."""


@_hook
def abandoned_work(work: OpenWork) -> list[str]:  # type: ignore[empty-body]  # as above
    """Return a sentence if a stopped command of the extension can never continue. Breadcrumb then drops it."""


@_hook
def why_sections(database: CrawlDatabase, url: CanonicalUrl | None) -> list[WhySection]:  # type: ignore[empty-body]  # as above
    """Return the sections of a canonical URL. With None the crawl does not know the URL, so the sections are empty."""


@_hook
def folder_notices(data_dir: Path) -> list[str]:  # type: ignore[empty-body]  # as above
    """Return sentences about data in a folder that commands can't read as a crawl, and how to make a crawl of it."""


@_hook
def why_rows(database: CrawlDatabase, url: str) -> list[Row]:  # type: ignore[empty-body]  # as above
    """Return rows about a canonical URL, a sentence each. `why` and the page `/why` show them."""


@_hook
def report_rows(database: CrawlDatabase) -> list[Row]:  # type: ignore[empty-body]  # as above
    """Return rows of `report`, after those of Breadcrumb. Each part of a crawl gets its own call."""


@_hook
def report_sections() -> list[ReportSection]:  # type: ignore[empty-body]  # as above
    """Return keys of `report --json`, with their rows."""


@_hook
def report_subjects() -> list[ReportSubject]:  # type: ignore[empty-body]  # as above
    """Return separate reports, which `report NAME` prints."""


@_hook
def ranking_weights() -> list[RankingWeight]:  # type: ignore[empty-body]  # as above
    """Return numbers of the ranking. A contributor of that name gets its number with each query."""


@_hook
def score_contributors(settings: CommandSettings) -> list[ScoreContributor]:  # type: ignore[empty-body]  # as above
    """Return further parts of a score under these settings. `indexer/ranking/contribution.py` has their interface.

    Called when a command that searches begins. Several threads call each contributor, once for each query.
    """


@_hook
def search_schemas() -> list[SearchSchema]:  # type: ignore[empty-body]  # as above
    """Return the schemas of added parts of the response of `/api/search`, for `/api/openapi.json`."""


@_hook
def settings_chosen(settings: ReadableSettings) -> None:
    """Take the settings of a command that begins, such as `crawl`. They hold for the whole process."""


@_hook
def word_readers() -> list[WordReader]:  # type: ignore[empty-body]  # as above
    """Return readers that turn words of a language into readings. `indexer/analysis/readings.py` has their interface.

    Called for each page that is indexed and for each query. A reader that can't read yet says so.
    """


@_hook
def areas_apart(database: CrawlDatabase) -> list[str]:  # type: ignore[empty-body]  # as above
    """Return areas (urls/areas.py) whose pages the index keeps in segments of their own, so a search can do without.

    Called when the index of a data folder is written. An index that has mixed them is rebuilt.
    """


@_hook
def index_work(arguments: Namespace, settings: CommandSettings) -> list[IndexWork]:  # type: ignore[empty-body]  # as above
    """Return the work for `index` under its options and these settings. Called when it begins."""
