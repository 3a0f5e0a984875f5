"""What will a big run cost, and who should know of it? Measured on a small trial, before anybody is surprised."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from commands.line.command import DONE, INTERRUPTED, MISUSED, NO, Command, Trouble
from commands.terminal.amounts import counted
from commands.terminal.columns import hanging
from commands.terminal.ink import Ink, ink, printable

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commands.line.settings import Settings
    from commands.planning.forecast import Forecast
    from commands.planning.whereabouts import Whereabouts
    from crawldb.dossier.robots import RobotsAnswer
    from spiders.conduct import Conduct

INDENT = 12
SHOWN = 5  # seeds and sites that a person gets to see; --json has all


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "seeds", nargs="*", metavar="URL or FILE", help="where the run will begin; else what DATA_DIR has"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with the estimate, a site each")


def run(arguments: Namespace, settings: Settings) -> int:
    """Try a few pages of each site where that was not done yet, and tell what all of them will cost."""
    from commands.planning.forecast import forecast  # noqa: PLC0415 - late, so that --help is quick
    from commands.planning.whereabouts import whereabouts  # noqa: PLC0415 - the same
    from crawldb import CrawlDatabase  # noqa: PLC0415 - the same
    from crawldb.tables.plans import newest, write  # noqa: PLC0415 - the same

    seeds = ",".join(arguments.seeds)
    conduct = _conduct(settings, seeds)
    code, tried = _trial(conduct, seeds, settings.getint("PLAN_PAGES"), arguments.set)
    if code not in {DONE, NO}:
        return INTERRUPTED if code == INTERRUPTED else MISUSED  # the crawl has said why
    with CrawlDatabase(settings.data_dir) as database:
        found = forecast(database, conduct)
        before = newest(database)
        if tried or before is None or before.round != found.round:  # else a plan would be made after the fact
            write(database, found.run, found.estimate.as_dict())
    where = whereabouts(_hosts(found), settings.getfloat("DNS_TIMEOUT"))
    if arguments.json:
        print(json.dumps(_as_dict(found, conduct, where, tried=tried), ensure_ascii=False))
    else:
        print(*_lines(found, conduct, where, ink(), tried=tried), sep="\n")
    return DONE if found.pages else NO


def _conduct(settings: Settings, seeds: str) -> Conduct:
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
    from commands.planning import trial  # noqa: PLC0415 - late, so that --help is quick
    from crawldb import CrawlDatabase  # noqa: PLC0415 - the same
    from crawldb.database import FILE_NAME  # noqa: PLC0415 - the same

    if (conduct.data_dir / FILE_NAME).exists():
        with CrawlDatabase(conduct.data_dir) as database:
            if trial.is_done(database, conduct.seeds, requests):
                return DONE, False
    elif not seeds:
        raise Trouble(f"{conduct.data_dir} has no seeds yet: say where the run will begin, with addresses or a file")
    return trial.make(seeds, requests, given), True


def _hosts(found: Forecast) -> list[str]:
    return [urlsplit(url).hostname or "" for url, _ in found.seeds]


def _as_dict(found: Forecast, conduct: Conduct, where: Whereabouts, *, tried: bool) -> dict[str, object]:
    from commands.planning.letter import letter  # noqa: PLC0415 - late, so that --help is quick

    return {
        "seeds": [
            {"url": url, "allowed": answer.allowed, "line": answer.line, "rule": answer.rule, "reason": answer.reason}
            for url, answer in found.seeds
        ],
        "trial": {"made": tried, "run": found.run, "round": found.round, "pages": found.pages,
                  "requests": found.requests},
        "estimate": found.estimate.as_dict(),
        "host": asdict(where),
        "text": letter(found.estimate, conduct.identity, where, time.time()),
    }  # fmt: skip


def _lines(found: Forecast, conduct: Conduct, where: Whereabouts, pen: Ink, *, tried: bool) -> Iterator[str]:
    from commands.planning.letter import amount, durations, letter, pace, sizes, whole  # noqa: PLC0415 - late, as above

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
        cost = f"{amount(site.pages, 'page')}, {amount(site.requests, 'request')}"
        said = f"{site.site}: {cost}, {pace(site)}; {site.basis}."
        yield from _row(pen, "" if number else "sites", said)
    if len(plan.sites) > SHOWN:
        yield from _row(pen, "", f"and {len(plan.sites) - SHOWN:,} more; --json has them all")
    yield from _row(pen, "pages", whole(plan.pages))
    yield from _row(pen, "requests", whole(plan.requests))
    yield from _row(pen, "network", sizes(plan.bytes))
    yield from _row(pen, "disk", f"{sizes(plan.disk)}, with the index")
    yield from _row(pen, "memory", f"{sizes(plan.memory)}: the trial's peak, and what its cache and its URLs will add")
    by = f"; {plan.slowest} takes longest" if len({site.host for site in plan.sites}) > 1 else ""
    yield from _row(pen, "time", f"{durations(plan.seconds)}{by}")
    yield from _row(pen, "this host", where.sentence)
    yield from _row(pen, "afterwards", "./breadcrumb report sets this plan beside what it really took.")
    yield ""
    yield pen.bold("To be forwarded to whoever runs your network, and to your organisation:")
    for paragraph in letter(plan, conduct.identity, where, time.time()):
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
