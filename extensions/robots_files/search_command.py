"""Which robots.txt files match a query? Each with its deciding lines, and the reason for its rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.frame.exits import DONE, NO
from commands.frame.terminal import Style, columns, hanging, json_line, pasteable, printable, terminal_style, wrapped
from extensions.robots_files import HOW_FILES_COME
from extensions.robots_files.index.results import IN_WORDS
from reports.wording import calendar_day, counted, size

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from extensions.robots_files.index.results import RobotsHit, RobotsResults
    from gateway.search_request import SearchRequest

INDENT = 4  # columns for the number of a result


def search_robots(arguments: Namespace, question: SearchRequest, settings: CommandSettings) -> int:
    """Search the robots.txt files, and print the results."""
    from commands.frame.data_folder import open_to_read
    from extensions.robots_files.index.collection import RobotsCollection

    check_folder(settings.data_dir)
    asked = f"{question.query} site:{question.site}" if question.site else question.query
    with (
        open_to_read(settings.data_dir) as databases,
        RobotsCollection.open(settings.data_dir, databases) as collection,
    ):
        results = collection.search(
            asked, page=question.page, limit=question.page_size, all_versions=arguments.all_versions
        )
        versions = len(collection)
    if arguments.json:
        print(json_line(results.as_dict()))
    else:
        print(*_lines(results, versions, terminal_style(), explain=arguments.explain), sep="\n")
    return DONE if results.hits else NO


def check_folder(data_dir: Path) -> None:
    """Raise DatabaseError if there is no crawl; the message says how robots.txt files come into the folder."""
    from crawldb.database import DatabaseError
    from crawldb.folders import holds_a_crawl

    if not holds_a_crawl(data_dir):
        raise DatabaseError(f"{data_dir} holds no robots.txt files yet. {HOW_FILES_COME}")


def _lines(results: RobotsResults, versions: int, style: Style, *, explain: bool) -> Iterator[str]:
    if results.understood:
        yield from map(style.dim, wrapped(printable(results.understood), columns()))
    for what in results.unread:
        yield from hanging("", printable(f"Not searched: {what}."), 0)
    if not results.hits:
        yield from _nothing(results, versions)
        return
    first, last = results.hits[0].rank, results.hits[-1].rank
    which = f"{first} to {last} of {results.total:,}" if results.total > 1 else "1 result"
    searched = counted(results.searched, "version" if results.history else "file")
    yield from map(style.dim, wrapped(f"{which}, {results.seconds * 1000:.0f} ms, in {searched}", columns()))
    for hit in results.hits:
        yield ""
        yield from _hit(hit, style, explain=explain)
    if explain:
        yield from ("", *map(style.dim, wrapped(IN_WORDS, columns())))


def _hit(hit: RobotsHit, style: Style, *, explain: bool) -> Iterator[str]:
    margin = " " * INDENT
    yield f"{hit.rank:>{INDENT - 2}}  {style.link(printable(hit.version.address))}"
    yield from (margin + style.dim(line) for line in wrapped(printable(_origin_of_hit(hit)), columns() - INDENT))
    width = max((len(str(line.number)) for line in hit.lines), default=0)
    for line in hit.lines:
        number = f"{line.number or '':>{INDENT + width}}"
        yield from hanging(number, printable(line.text), INDENT + width + 2)
    if hit.more_lines:
        yield margin + style.dim(f"and {counted(hit.more_lines, 'more line')} that decide")
    if not hit.parts:
        yield margin + style.dim("no condition on lines: the file that was seen last comes first")
    elif not explain:
        parts = " + ".join(f"{part.value:.4f} {part.condition}" for part in hit.parts)
        yield from map(style.dim, hanging("", printable(f"{hit.score:.4f} = {parts}"), INDENT))
    else:
        for part in hit.parts:
            yield from map(style.dim, hanging("", printable(str(part)), 2 * INDENT))


def _origin_of_hit(hit: RobotsHit) -> str:
    """Return in words the source of a file, when it was seen, and its length."""
    version = hit.version
    first, last = calendar_day(version.first_seen), calendar_day(version.last_seen)
    when = first if first == last else f"{first} to {last}"
    origin = f"imported from {version.collection}, dated {when}" if version.imported else f"crawled, seen {when}"
    older = "" if version.newest else "; an older version"
    status = f"; now answered {version.status}" if version.status not in {None, 200, 304} and version.newest else ""
    return f"{origin}; {size(hit.size)} in {counted(hit.length, 'line')}{older}{status}"


def _nothing(results: RobotsResults, versions: int) -> Iterator[str]:
    """Yield why there is nothing to show, and a remedy."""
    if results.total:
        found = counted(results.total, "file")
        yield f"There is no page {results.page}: {found} in total, {results.limit} per page."
        return
    if not versions:
        yield "No robots.txt is stored."
        yield pasteable(HOW_FILES_COME)
        return
    searched = counted(results.searched, "version" if results.history else "file")
    yield from hanging("", printable(f"No results for {results.query} in {searched}."), 0)
    for one in results.alone if len(results.alone) > 1 else ():
        yield from hanging("", printable(f"by itself, {one.condition}: {counted(one.files, 'file')}"), 2)
    for near in results.near:
        known = ", ".join(f"{name} ({counted(files, 'file')})" for name, files in near.known)
        others = f"known are {known}" if known else "and none whose name is near it"
        yield from hanging("", printable(f"No file names {near.asked}; {others}."), 0)
    if not results.history and versions > results.searched:
        yield "--all-versions searches older versions of the files, too."
