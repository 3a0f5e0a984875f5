"""What will a big run cost, and who should know of it? Measured on a small trial, before anybody is surprised.

Where a trial has not told enough yet, a small crawl is made, which the big one goes on from.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from commands.command import Command
from commands.exits import DONE, INTERRUPTED, MISUSED, NO, Trouble
from commands.terminal import Ink, hanging, ink, printable
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from commands.command_settings import CommandSettings
    from commands.own_address import OwnAddress
    from reports.plan.forecast import Forecast
    from reports.why.robots_answer import RobotsAnswer
    from spiders.conduct import Conduct


INDENT = 12
SHOWN = 5  # seeds and sites that a person gets to see; --json has all


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "seeds", nargs="*", metavar="URL or FILE", help="where the run will begin; else what DATA_DIR has"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with the estimate, a site each")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Try a few pages of each site where that was not done yet, and tell what all of them will cost."""
    from commands.own_address import own_address  # noqa: PLC0415 - the same
    from crawldb.database import CrawlDatabase  # noqa: PLC0415 - the same
    from crawldb.tables.plans import newest_plan, write_plan  # noqa: PLC0415 - the same
    from reports.plan.forecast import forecast  # noqa: PLC0415 - late, so that --help is quick

    seeds = ",".join(arguments.seeds)
    conduct = _conduct(settings, seeds)
    code, tried = _trial(conduct, seeds, settings.getint("PLAN_PAGES"), arguments.set)
    if code not in {DONE, NO}:
        return INTERRUPTED if code == INTERRUPTED else MISUSED  # the crawl has said why
    with CrawlDatabase(settings.data_dir) as database:
        found = forecast(database, conduct)
        before = newest_plan(database)
        if tried or before is None or before.round != found.round:  # else a plan would be made after the fact
            write_plan(database, found.run, found.estimate.as_dict())
    where = own_address(_hosts(found), settings.getfloat("DNS_TIMEOUT"))
    if arguments.json:
        print(json.dumps(_as_dict(found, conduct, where, tried=tried), ensure_ascii=False))
    else:
        print(*_lines(found, conduct, where, ink(), tried=tried), sep="\n")
    return DONE if found.pages else NO


def _conduct(settings: CommandSettings, seeds: str) -> Conduct:
    from spiders.conduct import Conduct, SettingError  # noqa: PLC0415 - late, so that --help is quick
    from spiders.identity import IdentityError  # noqa: PLC0415 - the same
    from spiders.seeds import SeedError  # noqa: PLC0415 - the same

    if settings.getint("PLAN_PAGES") < 1:
        raise Trouble(f"PLAN_PAGES={settings['PLAN_PAGES']}: a trial needs a page at least; 20 tell more")
    try:
        return Conduct.read(settings, seeds)
    except (SettingError, IdentityError, SeedError) as error:
        raise Trouble(str(error).replace("give -a seeds=http://HOST/", "give http://HOST/")) from error


def _trial(conduct: Conduct, seeds: str, requests: int, given: list[str]) -> tuple[int, bool]:
    """Make the trial where it is needed; return the exit code of its crawl, and whether it was made."""
    from crawldb.database import FILE_NAME, CrawlDatabase  # noqa: PLC0415 - late, so that --help is quick
    from reports.plan.measurement import trial_is_complete  # noqa: PLC0415 - the same

    if (conduct.data_dir / FILE_NAME).exists():
        with CrawlDatabase(conduct.data_dir) as database:
            if trial_is_complete(database, conduct.seeds, requests):
                return DONE, False
    elif not seeds:
        raise Trouble(f"{conduct.data_dir} has no seeds yet: say where the run will begin, with addresses or a file")
    return crawl_trial(seeds, requests, given), True


def _hosts(found: Forecast) -> list[str]:
    return [urlsplit(url).hostname or "" for url, _ in found.seeds]


def _as_dict(found: Forecast, conduct: Conduct, where: OwnAddress, *, tried: bool) -> dict[str, object]:
    from reports.plan.announcement import announcement  # noqa: PLC0415 - late, so that --help is quick

    return {
        "seeds": [
            {"url": url, "allowed": answer.allowed, "line": answer.line, "rule": answer.rule, "reason": answer.reason}
            for url, answer in found.seeds
        ],
        "trial": {"made": tried, "run": found.run, "round": found.round, "pages": found.pages,
                  "requests": found.requests},
        "estimate": found.estimate.as_dict(),
        "host": asdict(where),
        "text": announcement(found.estimate, conduct.identity, where, time.time()),
    }  # fmt: skip


def _lines(found: Forecast, conduct: Conduct, where: OwnAddress, pen: Ink, *, tried: bool) -> Iterator[str]:
    from reports.plan.announcement import announcement, pace_in_words  # noqa: PLC0415 - late, as above
    from reports.plan.span import amount_range, count_range, duration_range, size_range  # noqa: PLC0415 - late, as above

    plan = found.estimate
    asked = f"{counted(found.pages, 'page')} with {counted(found.requests, 'request')}"
    yield pen.bold(f"What a round in {conduct.data_dir} will cost")
    yield from _row(pen, "trial", f"{asked}, " + (
        "in this folder: ./breadcrumb crawl site goes on from there." if tried
        else "made before: nothing was asked for again."
    ))  # fmt: skip
    for number, (url, answer) in enumerate(found.seeds[:SHOWN]):
        yield from _row(pen, "" if number else "robots.txt", f"{url}: {_robots(answer)}")
    if len(found.seeds) > SHOWN:
        yield from _row(pen, "", f"and {len(found.seeds) - SHOWN:,} more seeds; --json has them all")
    largest = sorted(plan.sites, key=lambda site: -site.requests.upper)
    for number, site in enumerate(largest[:SHOWN]):
        cost = f"{amount_range(site.pages, 'page')}, {amount_range(site.requests, 'request')}"
        said = f"{site.site}: {cost}, {pace_in_words(site)}; {site.basis}."
        yield from _row(pen, "" if number else "sites", said)
    if len(plan.sites) > SHOWN:
        yield from _row(pen, "", f"and {len(plan.sites) - SHOWN:,} more; --json has them all")
    yield from _row(pen, "pages", count_range(plan.pages))
    yield from _row(pen, "requests", count_range(plan.requests))
    yield from _row(pen, "network", size_range(plan.bytes))
    yield from _row(pen, "disk", f"{size_range(plan.disk)}, with the index")
    yield from _row(
        pen, "memory", f"{size_range(plan.memory)}: the trial's peak, and what its cache and its URLs will add"
    )
    by = f"; {plan.slowest} takes longest" if len({site.host for site in plan.sites}) > 1 else ""
    yield from _row(pen, "time", f"{duration_range(plan.seconds)}{by}")
    yield from _row(pen, "this host", where.sentence)
    yield from _row(pen, "afterwards", "./breadcrumb report sets this plan beside what it really took.")
    yield ""
    yield pen.bold("To be forwarded to whoever runs your network, and to your organisation:")
    for paragraph in announcement(plan, conduct.identity, where, time.time()):
        depth = len(paragraph) - len(paragraph.lstrip())
        yield from hanging("", printable(paragraph.lstrip()), 2 + depth)


def _robots(answer: RobotsAnswer) -> str:
    if answer.allowed is None:
        return "its robots.txt was not asked for yet"
    by = f" by line {answer.line}, {answer.rule!r}" if answer.line else ""
    return f"{'allowed' if answer.allowed else 'disallowed'}{by} ({answer.reason})"


def _row(pen: Ink, label: str, text: str) -> Iterator[str]:
    for number, line in enumerate(hanging(label, printable(text), INDENT)):
        yield line if number else pen.dim(line[:INDENT]) + line[INDENT:]


COMMAND = Command(
    name="plan",
    summary="what a big run will cost, tried on a few pages of each site",
    example="http://bakery.localhost:8400/ -s DATA_DIR=data/bakery",
    exits="0 planned, 1 no page came, so there is little to go by, 2 it could not be tried, 130 interrupted",
    add_arguments=add_arguments,
    run=run,
)


COMMANDS = Path(__file__).resolve().parent


def crawl_trial(seeds: str, requests: int, settings: Sequence[str]) -> int:
    """Crawl so much of each site; return the exit code of the crawl. It leaves its round open.

    Ctrl-C is for the crawl alone, which ends by it; what it says of its end is not for this command's reader.
    """
    words = [sys.executable, "-P", str(COMMANDS), "crawl", "site", "-a", f"each={requests}"]
    words += ["-a", f"seeds={seeds}"] if seeds else []
    for setting in settings:
        words += ["-s", setting]
    before = signal.signal(signal.SIGINT, lambda *_: None)  # a handler, not SIG_IGN: the child would inherit that
    try:
        return subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode  # noqa: S603 - our own command
    finally:
        signal.signal(signal.SIGINT, before)
