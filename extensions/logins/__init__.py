"""How does a crawl read a site behind a login? `[[site]]` tables name its URL, the login and who may see its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from extension_points.additions import CrawlRecorder
    from reports.wording import Row
    from spiders.setting_values import ReadableSettings


@extends
def settings() -> dict[str, object]:
    """Add SITE: the tables [[site]] of breadcrumb.toml."""
    return {"SITE": []}


@extends
def crawl_recorders(settings: ReadableSettings) -> list[CrawlRecorder]:
    """Log in at the sites of the settings. Raises SettingError."""
    if not settings.getlist("SITE"):
        return []
    from extensions.logins.middleware import LoginRecorder
    from extensions.logins.sites import read_sites

    return [LoginRecorder(read_sites(settings))]


@extends
def report_rows(database: CrawlDatabase) -> list[Row]:
    """Say how the logins of the newest run ended."""
    from extensions.logins.report import login_rows

    return list(login_rows(database))
