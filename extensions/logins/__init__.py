"""How does a crawl read a site behind a login? `[[site]]` tables name its URL, the login and who may see its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import AddedTables, extends

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from extension_points.additions import CrawlRecorder
    from frontier.job import CrawlJob
    from pipelines.filters import PageFilter
    from reports.wording import Row
    from spiders.setting_values import ReadableSettings

_chosen: list[ReadableSettings] = []  # the settings of this process


@extends
def settings() -> dict[str, object]:
    """Add the tables [[site]] and [[reader]] of breadcrumb.toml, and what a proxy says of visitors."""
    return {
        "SITE": [],
        "READER": [],  # the tables [[reader]]: tokens, and the groups of whoever has one
        "READER_PROXIES": [],  # IP addresses whose header names the groups of a visitor
        "READER_GROUPS_HEADER": "X-Forwarded-Groups",
    }


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


@extends
def settings_chosen(settings: ReadableSettings) -> None:
    """Keep the settings: whoever needs the sites reads them."""
    _chosen[:] = [settings]


@extends
def tables() -> list[AddedTables]:
    """Note which areas are private."""
    from extensions.logins.tables import MAKE_TABLES, NAME

    return [AddedTables(NAME, (MAKE_TABLES,))]


@extends
def crawl_begins(database: CrawlDatabase, job: CrawlJob) -> None:  # noqa: ARG001 - pluggy passes arguments by name
    """Mark the areas of the sites as private."""
    if _chosen and _chosen[0].getlist("SITE"):
        from extensions.logins.sites import read_sites
        from extensions.logins.tables import mark_areas

        mark_areas(database, (site.name for site in read_sites(_chosen[0])))


@extends
def areas_apart(database: CrawlDatabase) -> list[str]:
    """Keep private pages in segments of their own."""
    from extensions.logins.tables import marked_areas

    return list(marked_areas(database))


@extends
def page_filters(database: CrawlDatabase) -> list[type[PageFilter]]:
    """Keep what private pages say of others to themselves."""
    from extensions.logins.tables import marked_areas

    if not marked_areas(database):
        return []
    from extensions.logins.private.links import LinksWithinArea

    return [LinksWithinArea]


@extends
def gateway_begins(app: Flask, data_dir: Path, settings: CommandSettings) -> None:
    """Show private pages only to visitors who may see them. Raises CommandError."""
    from extensions.logins.tables import marked_in, marked_now
    from gateway.served_crawl import EXTENSION, hide_all

    if settings.getlist("SITE") or marked_in(data_dir):
        from extensions.logins.private.guard import guard

        guard(app, data_dir, settings)
        return
    served = app.extensions[EXTENSION]  # a crawl may mark an area yet: then it is hidden until the gateway begins again
    served.hidden = lambda apart: hide_all(apart | marked_now(served.all_parts))
