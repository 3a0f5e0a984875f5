"""How does a crawl exchange pages with web archives? It writes WARC while it crawls, and imports other archives.

WARC 1.1 is ISO 28500:2017. With WARC=yes a crawl records the bytes that it sends and receives. `forget` and `block`
also overwrite the records. `export` makes an archive of the stored pages. `import` reads archives of other programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extension_points import CrawlRecorder, ExportFormat, extends

if TYPE_CHECKING:
    from argparse import Namespace

    from scrapy.crawler import Crawler

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from crawldb.tables.open_work import OpenWork
    from extension_points import StoredCopies, WhySection
    from spiders.setting_values import ReadableSettings
    from spiders.site import SiteSpider
    from urls.records import CanonicalUrl


@dataclass(frozen=True, slots=True)
class ArchiveRecorder(CrawlRecorder):
    """Writes the archive of a crawl."""

    setting: str = "WARC"

    def begin(self, crawler: Crawler, spider: SiteSpider) -> None:
        """Let a crawl that is about to begin write its archive. Raises StorageError."""
        from extensions.archives.recording.archiving import write_archive  # only then: it brings warcio

        write_archive(crawler, spider)


@extends
def settings() -> dict[str, object]:
    """Add the settings of the archive that a crawl writes."""
    return {
        "WARC": False,  # whether what is sent and received is also written as WARC files, in the data folder
        "WARC_SIZE": 1_000_000_000,  # bytes after which such a file is finished: the field's custom
    }


@extends
def crawl_recorders(settings: ReadableSettings) -> list[ArchiveRecorder]:
    """Record a crawl with WARC=yes."""
    from spiders.setting_values import more_than_none

    more_than_none(settings.getint, "WARC_SIZE", "no record would fit into a file; WARC=no writes no archive")
    return [ArchiveRecorder()] if settings.getbool("WARC") else []


@extends
def export_formats() -> list[ExportFormat]:
    """Add `export --warc`."""

    def write(arguments: Namespace, settings: CommandSettings) -> int:
        from extensions.archives.export import export

        return export(arguments, settings)

    return [ExportFormat("--warc", "write WARC files into this folder, which is empty or not there", write, "FOLDER")]


@extends
def stored_copies() -> list[StoredCopies]:
    """Return the archive files that a crawl has written."""
    from extensions.archives.copies import ArchiveCopies

    return [ArchiveCopies()]


@extends
def abandoned_work(work: OpenWork) -> list[str]:
    """Drop an `import` whose files are gone."""
    from pathlib import Path

    if work.command != "import" or any(Path(name).exists() for name in work.words):
        return []
    return [f"{work} was stopped, and its file is gone: what it had read is kept"]


@extends
def why_sections(database: CrawlDatabase, url: CanonicalUrl | None) -> list[WhySection]:
    """Return where the responses for a URL are: in imported archives, and in the archive of the crawl."""
    from extensions.archives.why import archived_section, imported_section

    return [imported_section(database, url), archived_section(database, url)]
