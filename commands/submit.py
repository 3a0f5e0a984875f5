"""`submit`: adds URLs and their sites to the crawl, if the URL policy allows them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import DONE, NO
from commands.frame.terminal import Style, json_line, pasteable, printable, terminal_style
from urls.wording import shell_word

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from frontier.submission import Submission


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("urls", nargs="+", metavar="URL", help="a URL; its site is added to the crawl")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Add URLs to the seeds. A crawl may be running."""
    from crawldb.databases import open_to_write
    from crawldb.tables.runs import crawling_process

    with open_to_write(settings.data_dir, make=True) as databases:
        # Each part learns that the site is in scope, and the one that has its host knows what became of the URL.
        by_part = [submit_urls(database, settings, arguments.urls) for database in databases]
        submissions = [max(each, key=_from_its_part) for each in zip(*by_part, strict=True)]
        crawl = next(filter(None, map(crawling_process, databases)), None)
    accepted = [submission for submission in submissions if submission.accepted]
    if arguments.json:
        print(json_line({"submitted": list(map(asdict, submissions)), "crawl": crawl}))
    else:
        print(*_lines(submissions, terminal_style()), sep="\n")
        if any(submission.state == "queued" for submission in accepted):
            print(pasteable(_next(crawl, len(databases))))
    return DONE if len(accepted) == len(submissions) else NO


def submit_urls(database: CrawlDatabase, settings: CommandSettings, urls: Sequence[str]) -> list[Submission]:
    """Submit URLs and add their sites to the crawl; return a result for each, in order."""
    from commands.frame.data_folder import policy_for
    from frontier import submission

    policy = policy_for(database, settings, submission.sites_of(urls))
    return submission.submit(database, policy, urls)


def _from_its_part(submission: Submission) -> bool:
    return bool(submission.state or submission.rule)


def _lines(submissions: Sequence[Submission], style: Style) -> Iterator[str]:
    for submission in submissions:
        name = printable(submission.url or submission.given)
        if submission.accepted:
            yield f"{style.good('accepted')}  {name}  ({_standing(submission)})"
        else:
            why = submission.reason or f"it was rejected before. The reason: ./breadcrumb why {shell_word(name)}"
            yield f"{style.bad('refused')}   {name}  ({submission.rule}): {printable(pasteable(why))}"


def _standing(submission: Submission) -> str:
    ends = {"done": "fetched before; due in the next round", "failed": "failed before; due in the next round"}
    return ends.get(submission.state, submission.state)


def _next(crawl: int | None, parts: int) -> str:
    if crawl is not None:
        return f"The crawl that is running (process {crawl}) fetches what is queued."
    if parts > 1:
        return "The next crawl fetches what is queued: ./breadcrumb farm"
    return "The next crawl fetches what is queued: ./breadcrumb crawl site"


COMMAND = Command(
    name="submit",
    example="http://bakery.localhost:8400/kitchen/window/ --data demo",
    exits="0 all accepted, 1 some rejected, 2 failed",
    add_arguments=add_arguments,
    run=run,
)
