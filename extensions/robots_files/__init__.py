"""Which robots.txt files have this line, and what do all of them show together? A search over them, and a study.

It adds a collection to `search`, `/search` and `/api`, the option `--import` of `robots`, `report robots` and
`/inside/robots-study`. The files belong to the engine: crawldb/tables/robots_files.py keeps each version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extension_points import (
    ApiDescription,
    CommandOptions,
    InsideView,
    ReportSubject,
    SearchableCollection,
    StoredCopies,
    extends,
)
from urls.rules import FIRST_CRAWL

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from flask import Blueprint
    from flask.typing import ResponseReturnValue

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from gateway.search_request import SearchRequest
    from reports.wording import Row

HOW_FILES_COME = (
    f"A crawl keeps the robots.txt of each site that it visits: {FIRST_CRAWL}. "
    "To import a collection: ./breadcrumb robots --import FILES"
)


@extends
def searchable_collections() -> list[SearchableCollection]:
    """Search robots.txt files."""
    options = {"all-versions": "of robots.txt files the older versions, too"}
    return [SearchableCollection("robots", "robots.txt files", _search, _show, options)]


def _search(arguments: Namespace, question: SearchRequest, settings: CommandSettings) -> int:
    from extensions.robots_files.search_command import search_robots

    return search_robots(arguments, question, settings)


def _show(parameters: Mapping[str, str]) -> ResponseReturnValue:
    from extensions.robots_files.search_page import robots_search

    return robots_search(parameters)


@extends
def views() -> list[Blueprint]:
    """Return the views for programs."""
    from extensions.robots_files.search_page import robots_search_views

    return [robots_search_views]


@extends
def api_descriptions() -> list[ApiDescription]:
    """Describe the responses for programs."""
    from extensions.robots_files.search_page import api_description

    return [api_description()]


@extends
def inside_views() -> list[InsideView]:
    """Add the page with the study's plots."""
    from extensions.robots_files.study_page import robots_study_view

    name = "A study of robots.txt files"
    shows = (
        "Whom all files together name, favour and shut out, what they ask, and how they change: each bar leads to its "
        "files."
    )
    after, station = "/inside/robots", "robots.txt"
    return [InsideView("/inside/robots-study", name, shows, robots_study_view, after=after, station=station)]


@extends
def report_subjects() -> list[ReportSubject]:
    """Add the study as a report."""
    meaning = "what all robots.txt files say together"
    return [ReportSubject("robots", meaning, "The robots.txt files", _study)]


def _study(data_dir: Path) -> tuple[Mapping[str, Any], Iterable[Row]]:
    from dataclasses import asdict

    from crawldb.databases import Parts
    from extensions.robots_files.search_command import check_folder
    from extensions.robots_files.study.study import stored_study
    from extensions.robots_files.study.study_rows import study_rows

    check_folder(data_dir)
    with Parts.in_folder(data_dir) as parts:
        study = stored_study(parts)
    return asdict(study), study_rows(study)


@extends
def command_options(command: str) -> list[CommandOptions]:
    """Import files from other sources: `robots --import`."""
    return [CommandOptions(_add_import, _import)] if command == "robots" else []


def _add_import(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--import",
        nargs="+",
        default=[],
        dest="collections",
        metavar="FILES",
        help="take in robots.txt files, folders of them and collections (JSON lines, gzip), to be searched, not obeyed",
    )


def _import(arguments: Namespace, settings: CommandSettings) -> int | None:
    """Import the files of `--import`. Raises `CommandError` without them and without a robots.txt, or with both."""
    from commands.frame.exits import CommandError

    if not arguments.collections:
        if arguments.source is None:
            raise CommandError(
                "no robots.txt is named: give a file, an http(s) URL or -, or --import with a collection"
            )
        return None
    if arguments.source or arguments.urls or arguments.lint:
        raise CommandError(
            "--import takes all the names that follow it, and judges nothing: give verdicts a line of their own"
        )
    from extensions.robots_files.importing import import_collections

    return import_collections(arguments, settings)


class RobotsIndexCopies(StoredCopies):
    """The index of robots.txt files."""

    def remove_from_folder(
        self, data_dir: Path, databases: Sequence[CrawlDatabase], robots_versions: int | None
    ) -> None:
        """Erase from the index the versions that the crawl has removed."""
        from extensions.robots_files.index.collection import erase_taken_out

        if robots_versions != 0:
            erase_taken_out(data_dir, databases)


@extends
def stored_copies() -> list[StoredCopies]:
    """Return the index of robots.txt files."""
    return [RobotsIndexCopies()]
