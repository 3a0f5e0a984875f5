"""`demo`: serves the practice web, crawls it, compares the result with the truth, and opens the search page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from commands.frame.command import Command, command_line, run_and_wait
from commands.frame.data_folder import folder_option
from commands.frame.exits import DONE, NO, CommandError
from commands.serve import announce_stopping, gateway
from crawldb.folders import make_folder, make_private
from extension_points import CommandOptions, built_in, call_extensions
from reports.wording import counted
from urls.wording import PROGRAM

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from demo import Facts, PracticeWeb

DEFAULT_PORT = 8400
SMALLEST_PORT = 1024  # the ports below are for the system
LOG_NAME = "requests.log"  # in the data folder: each request that the practice web got
LARGEST_PORT = 65534  # the search page takes the next one
SHOWN = 20  # differences from the truth
SETTINGS = {  # so that each trap ends while one watches; by default a trap may go further (docs/settings.md)
    "PATTERN_PAGES": "30", "MAX_DEPTH": "16", "RETRY_DELAY": "0.2", "WAIT_SECONDS": "20",
    # One answer after the other: which page of a trap is the last, and which of two copies the first, is then the same
    # each time, and a class sees the same numbers.
    "CONCURRENT_REQUESTS_PER_DOMAIN": "1", "CONCURRENT_REQUESTS": "1",
}  # fmt: skip


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--once", action="store_true", help="end after the crawl; exit code 0 if the result is right")
    parser.add_argument(
        "--port",
        type=int,
        default=DEFAULT_PORT,
        metavar="N",
        help=f"port of the practice web (default {DEFAULT_PORT}); the search page has the next one",
    )
    for added in call_extensions("command_options", command="demo"):
        added.add_arguments(parser)


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Serve the practice web, crawl it, compare the result with the truth, and open the search page."""
    from demo import PortInUse, PracticeWeb

    if not SMALLEST_PORT <= arguments.port <= LARGEST_PORT:
        raise CommandError(f"--port {arguments.port}: give a port from {SMALLEST_PORT} to {LARGEST_PORT}")
    added: CommandOptions
    for added in call_extensions("command_options", command="demo"):
        if (code := added.run(arguments, settings)) is not None:
            return code
    data_dir = _data_dir(settings, arguments.port)
    if not arguments.once:
        _check_search_port(arguments.port)
    try:
        if notice := make_private(data_dir):
            print(f"demo: {notice}", file=sys.stderr)
        make_folder(data_dir)
        web = PracticeWeb(arguments.port, log_path(settings, arguments.port))
        web.start()
    except PortInUse as error:
        raise CommandError(
            f"port {arguments.port} is in use, perhaps by another demo. Stop it, "
            f"or ./breadcrumb demo --port {other_port(arguments.port)} uses another port"
        ) from error
    except OSError as error:
        raise CommandError(
            f"{error.filename or data_dir}: the log of requests can't be written: {error.strerror}. "
            f"--data FOLDER keeps the demo in a folder in which you can write"
        ) from error
    try:
        return _crawl_and_show(web, data_dir, settings, once=arguments.once)
    finally:
        web.stop()


def _check_search_port(port: int) -> None:
    """Raise `CommandError` if the port of the search page, the one after `port`, is in use."""
    if not is_free(port + 1):
        raise CommandError(
            f"port {port + 1}, which the search page needs, is in use. Stop the program that uses it, "
            f"or use other ports: ./breadcrumb demo --port {other_port(port)}"
        )


def is_free(port: int) -> bool:
    """Return whether a server could listen on a port of this machine."""
    import socket

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def other_port(port: int, number: int = 2) -> int:
    """Return the first port that is free with those after it, `number` in all: ten or twenty … after `port`."""
    last = LARGEST_PORT + 2 - number
    tens = (*range(port + 10, last + 1, 10), *range(DEFAULT_PORT, port, 10))
    return next((each for each in tens if all(map(is_free, range(each, each + number)))), DEFAULT_PORT)


def _data_dir(settings: CommandSettings, port: int) -> Path:
    """Return the demo's own folder: each port has one, since its URLs are others."""
    name = "demo" if port == DEFAULT_PORT else f"demo-{port}"
    folder = settings.data_dir
    return folder if folder.name == name else folder / name  # so BREADCRUMB_DATA=demo means it, too


def log_path(settings: CommandSettings, port: int) -> Path:
    """Return the log of the requests that the practice web got on `port`."""
    return _data_dir(settings, port) / LOG_NAME


def _crawl_and_show(web: PracticeWeb, data_dir: Path, settings: CommandSettings, *, once: bool) -> int:
    print(f"The practice web is at http://127.0.0.1:{web.port}/ with {len(web.truth.sites)} small sites.")
    print(f"For a robot that can't open its names: export http_proxy={web.proxy}", flush=True)
    code = run_and_wait(crawl_line(web.seeds, data_dir, settings.assignments))
    if code:
        return code
    differences = web_differences(web, data_dir, settings)
    for complaint in complaints(differences, data_dir, web.port):
        print(f"demo: {complaint}", file=sys.stderr)
    print(_verdict(web, differences), flush=True)
    print(f"All requests are in {data_dir / LOG_NAME}.")
    print(f"Search it in the terminal: {PROGRAM} search{folder_option(data_dir)} bread", flush=True)
    if not once:
        _serve(web, data_dir, settings)
    return NO if differences else DONE


def crawl_line(seeds: Sequence[str], data_dir: Path, assignments: Sequence[str]) -> list[str]:
    """Return the command line of the crawl: settings of the demo, then those of the user."""
    ours = [f"{name}={value}" for name, value in SETTINGS.items()]
    chosen = [*ours, *assignments, f"DATA_DIR={data_dir}"]  # of two for one setting the last holds
    return command_line(["crawl", "site", "-a", f"seeds={','.join(seeds)}"], chosen)


def complaints(differences: Sequence[str], data_dir: Path, port: int) -> list[str]:
    """Return the differences as lines, with a note if the folder was used before."""
    from crawldb.database import CrawlDatabase
    from crawldb.tables.runs import runs_counted

    if not differences:
        return []
    said = list(differences[:SHOWN])
    said += [f"and {len(differences) - SHOWN} more"] if len(differences) > SHOWN else []
    with CrawlDatabase(data_dir, readonly=True) as database:
        used = runs_counted(database) > 1
    if used:
        said.append(
            f"{data_dir} was used before, and later changes count (block, release, submit, plan …): "
            f"delete it, or start with another port: ./breadcrumb demo --port {port + 10}"
        )
    return said


def web_differences(web: PracticeWeb, data_dir: Path, settings: CommandSettings) -> list[str]:
    """Return the differences between the crawl and the truth, a sentence each."""
    from demo import compare
    from pages.documents import DocumentReaders

    found = facts(data_dir)
    found["unread"] = DocumentReaders.installed(settings).unread_extensions
    if _finds_spam():
        found["results"] = _results(data_dir, [ranks.query for ranks in web.truth.ranks])
    return compare(web.truth, found)


def _finds_spam() -> bool:
    """Return whether the extension is on without which a cheat keeps its score."""
    return "spoofing" in built_in()


def _results(data_dir: Path, queries: Sequence[str]) -> dict[str, list[str]]:
    """Return the results of each query, the best first."""
    from commands.frame.data_folder import open_searcher
    from indexer.retrieval.searcher import MAX_LIMIT

    searcher = open_searcher(data_dir)
    return {query: [hit.url for hit in searcher.search(query, MAX_LIMIT).hits] for query in queries}


def facts(data_dir: Path) -> Facts:
    """Return the crawl database in the form that the practice web compares."""
    from collections import Counter

    from crawldb.database import CrawlDatabase
    from crawldb.figures.totals import filtered_pages, made_up_urls, urls_asked_by_run, urls_ended_otherwise
    from crawldb.tables.runs import newest_ids

    with CrawlDatabase(data_dir, readonly=True) as database:
        _, run = newest_ids(database)
        requests = Counter(urls_asked_by_run(database, run))
        pages = filtered_pages(database)
        rejected = {page.url: page.rejected_by for page in pages if page.rejected_by is not None}
        return {
            "fetched": set(requests),
            "requests": requests,
            "indexed": {page.url for page in pages if page.indexed},
            "suppressed": urls_ended_otherwise(database) | rejected,
            "clusters": {page.url: page.cluster for page in pages if page.cluster is not None},
            "made_up": made_up_urls(database),
        }


def _verdict(web: PracticeWeb, differences: list[str]) -> str:
    if differences:
        return f"{counted(len(differences), 'difference')} from the truth of the practice web."
    truth, asked = web.truth, counted(len(web.truth.ranks), "query", "queries")
    rejected, traps = counted(len(truth.refused), "URL"), counted(len(truth.at_most), "trap")
    return (
        f"The result is as expected: {len(truth.fetched)} required URLs fetched, {len(truth.indexed)} required pages "
        f"indexed, {rejected} rejected for the right reason, {traps} closed, "
        + (f"and honest pages before spam for {asked}." if _finds_spam() else "and no signal of spam lowers a score.")
    )


def _serve(web: PracticeWeb, data_dir: Path, settings: CommandSettings) -> None:
    """Serve the search page until Ctrl-C."""
    from gateway import PortTaken, serve

    app = gateway(data_dir, settings)
    try:
        serve(app, "127.0.0.1", web.port + 1, ready=_announce, stopping=announce_stopping)
    except PortTaken as error:
        raise CommandError(f"{error}. ./breadcrumb demo --port {other_port(web.port)} uses other ports") from error


def _announce(address: str) -> None:
    print(f"Search it at {address}search?q=bread (Ctrl-C stops both servers).", flush=True)


COMMAND = Command(
    name="demo",
    example="--once",
    exits="0 the result is right, 1 it is wrong, 2 the demo could not start",
    add_arguments=add_arguments,
    run=run,
)
