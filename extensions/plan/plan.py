"""`plan`: estimates the cost of a big crawl, and writes an announcement of it.

If there is no sufficient trial yet, a small crawl is made. The big one continues it.

The announcement says how sites see this machine: its IP address, its host name, and whether the name leads back to the
address. Site owners look up the address of a robot in their log. Such a name is hard to forge (the book, 9.5). The
address comes from the routing table of the system, without a request.
"""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from commands.frame.command import Command, command_line, run_and_wait
from commands.frame.data_folder import crawl_settings_of
from commands.frame.exits import DONE, INTERRUPTED, MISUSED, NO, CommandError
from commands.frame.terminal import indented, json_line, pasteable, row_lines, terminal_style
from reports.wording import Row, counted
from spiders.downloader.address_policy import is_loopback, is_public, literal_address

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from commands.frame.terminal import Style
    from extensions.plan.forecast import Estimate, Forecast
    from reports.why.site_files import RobotsStatus
    from spiders.crawl_settings import CrawlSettings

DISCARD = 9  # a port for the question which way leads there; no packet goes to it (RFC 863)
ALL_HERE = "All sites are on this machine, so no one else sees its IP address."
ASK = "ask your network operator for a PTR record whose name leads back to the address"


@dataclass(frozen=True, slots=True)
class OwnAddress:
    """The address that sites see, its name, and what there is to say about both; empty where there is none."""

    address: str
    name: str
    leads_back: bool
    sentence: str


def own_address(hosts: Iterable[str], seconds: float) -> OwnAddress:
    """Return how `hosts` see this machine; each lookup may take so many seconds."""
    outside = next((host for host in hosts if not is_loopback(host)), None)
    if outside is None:
        return OwnAddress("", "", leads_back=False, sentence=f"{ALL_HERE} Before a run elsewhere, {ASK}.")
    address = _within(seconds, outgoing_address, outside)
    if not address:
        return OwnAddress("", "", leads_back=False, sentence=f"There is no route to {outside} now.")
    return check_reverse_name(
        str(address),
        lambda text: str((_within(seconds, socket.gethostbyaddr, text) or ("",))[0]),
        lambda name: {str(answer[4][0]) for answer in _within(seconds, socket.getaddrinfo, name, None) or ()},
    )


def outgoing_address(host: str) -> str:
    """Return the source address of a packet to `host`. Raises OSError without a route."""
    family, kind, protocol, _, place = socket.getaddrinfo(host.strip("[]"), DISCARD, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as question:
        question.connect(place)  # of a datagram socket: it is only noted, and nothing is sent
        return str(question.getsockname()[0])


def check_reverse_name(
    address: str, name_of: Callable[[str], str], addresses_of: Callable[[str], set[str]]
) -> OwnAddress:
    """Check an address by its name ("" if it has none) and the addresses of that name."""
    name = name_of(address)
    back = bool(name) and address in addresses_of(name)
    parsed = literal_address(address)
    if parsed is not None and not is_public(parsed):
        seen = (
            f"This machine has the private address {address}. Sites see the address of your network gateway instead. "
        )
        return OwnAddress(
            address,
            name,
            back,
            f"{seen}Ask your network operator for it, and for a PTR record whose name leads back to it.",
        )
    if not name:
        return OwnAddress(address, name, back, f"Sites see {address}, which has no name: {ASK}.")
    if not back:
        return OwnAddress(address, name, back, f"Sites see {address}. Its name {name} does not lead back to it: {ASK}.")
    return OwnAddress(address, name, back, f"Sites see {address}. Its name {name} leads back to it, as it should.")


def _within(seconds: float, ask: Callable[..., Any], *words: object) -> Any:
    """Return the result of a lookup; None if it fails or takes too long. The limit of the system is minutes."""
    answers: list[Any] = []

    def look_up() -> None:
        try:
            answers.append(ask(*words))
        except (OSError, UnicodeError):
            return

    thread = threading.Thread(target=look_up, daemon=True)  # a look-up that hangs must not hold the command
    thread.start()
    thread.join(seconds)
    return answers[0] if answers else None


INDENT = 12
MORE_TRIALS = 4  # of PLAN_PAGES requests to each site, while the figures of one say nothing
SHOWN = 5  # seeds and sites that a person gets to see; --json has all


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """The result of `plan`: forecast, own IP address, and announcement."""

    folder: Path
    forecast: Forecast
    tried: bool  # a trial was made for it just now
    host: OwnAddress
    announcement: Sequence[str]


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "seeds", nargs="*", metavar="URL or FILE", help="the seeds of the run (default: those in DATA_DIR)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Make a trial if needed, and print the estimate."""
    seeds = ",".join(arguments.seeds)
    crawl_settings = _conduct(settings, seeds)
    code, tried = _trial(crawl_settings, seeds, settings.getint("PLAN_PAGES"), arguments.set)
    for _ in range(MORE_TRIALS):  # where so small a sample says next to nothing
        if not tried or code not in {DONE, NO} or not _forecast(crawl_settings, settings).estimate.is_vague:
            break
        code = crawl_trial(seeds, settings.getint("PLAN_PAGES"), arguments.set)
    if code not in {DONE, NO}:
        return INTERRUPTED if code == INTERRUPTED else MISUSED  # the crawl has said why
    planned = _planned(crawl_settings, settings, tried=tried)
    if arguments.json:
        result = _as_dict(planned)
        print(json_line(result))
    else:
        print(*_lines(planned, terminal_style()), sep="\n")
    return DONE if planned.forecast.pages else NO


def _conduct(settings: CommandSettings, seeds: str) -> CrawlSettings:
    if settings.getint("PLAN_PAGES") < 1:
        raise CommandError(f"PLAN_PAGES={settings['PLAN_PAGES']}: give at least 1; 20 is better")
    try:
        return crawl_settings_of(settings, seeds)
    except CommandError as error:
        raise CommandError(str(error).replace("give -a seeds=http://HOST/", "give http://HOST/")) from error


def _trial(crawl_settings: CrawlSettings, seeds: str, requests: int, given: Sequence[str]) -> tuple[int, bool]:
    """Make a trial if needed; return its exit code, and whether it was made."""
    from crawldb.database import FILE_NAME, CrawlDatabase
    from extensions.plan.forecast import trial_is_complete

    if (crawl_settings.data_dir / FILE_NAME).exists():
        with CrawlDatabase(crawl_settings.data_dir) as database:
            if trial_is_complete(database, crawl_settings.seeds, requests):
                return DONE, False
    elif not seeds:
        raise CommandError(f"{crawl_settings.data_dir} has no seeds yet: give URLs or a file")
    return crawl_trial(seeds, requests, given), True


def crawl_trial(seeds: str, requests: int, settings: Sequence[str]) -> int:
    """Crawl a sample of each site, without probes; return the exit code. The round stays open.

    The summary of the crawl is not printed.
    """
    words = ["crawl", "site", "-a", f"each={requests}", *(["-a", f"seeds={seeds}"] if seeds else [])]
    return run_and_wait(command_line(words, [*settings, "PROBE_AFTER=0"]), stdout=subprocess.DEVNULL)


def _forecast(crawl_settings: CrawlSettings, settings: CommandSettings) -> Forecast:
    """Estimate the run from the measurements in the folder."""
    from crawldb.databases import open_whole
    from extensions.plan.forecast import RunLimits, forecast

    limits = crawl_settings.job.limits
    terms = RunLimits(
        crawl_settings.identity.product,
        lambda host: crawl_settings.pace_policy.of(host).delay,
        limits.site_pages,
        limits.pattern_pages,
    )
    with open_whole(settings.data_dir) as database:
        return forecast(database, terms)


def _planned(crawl_settings: CrawlSettings, settings: CommandSettings, *, tried: bool) -> PlannedRun:
    """Forecast the run and store the plan, unless this round has one: a plan must precede the outcome."""
    from crawldb.databases import open_whole
    from crawldb.tables.runs import newest_plan, write_plan
    from extensions.plan.announcement import announcement

    found = _forecast(crawl_settings, settings)
    with open_whole(settings.data_dir) as database:
        before = newest_plan(database)
        if tried or before is None or before.round != found.round:
            write_plan(database, found.run, found.estimate.as_dict())
    host = own_address((urlsplit(url).hostname or "" for url, _ in found.seeds), settings.getfloat("DNS_TIMEOUT"))
    text = announcement(found.estimate, crawl_settings.identity, host.sentence, time.time())
    return PlannedRun(crawl_settings.data_dir, found, tried, host, text)


def _as_dict(planned: PlannedRun) -> dict[str, object]:
    found = planned.forecast
    return {
        "seeds": [
            {"url": url, "allowed": answer.allowed, "line": answer.line, "rule": answer.rule, "reason": answer.reason}
            for url, answer in found.seeds
        ],
        "trial": {
            "made": planned.tried,
            "run": found.run,
            "round": found.round,
            "pages": found.pages,
            "requests": found.requests,
        },
        "estimate": found.estimate.as_dict(),
        "host": asdict(planned.host),
        "text": planned.announcement,
    }


def _lines(planned: PlannedRun, style: Style) -> Iterator[str]:
    yield style.bold(f"Estimated cost of a round in {planned.folder}")
    yield from row_lines(_rows(planned), INDENT, style)
    yield ""
    yield style.bold("Announcement for your network operator and your organisation:")
    for paragraph in planned.announcement:
        yield from indented(pasteable(paragraph), 2)


def _rows(planned: PlannedRun) -> Iterator[Row]:
    found = planned.forecast
    asked = f"{counted(found.pages, 'page')} with {counted(found.requests, 'request')}"
    made = "in this folder. To continue: ./breadcrumb crawl site"
    yield Row("trial", f"{asked}, {made if planned.tried else 'made earlier.'}")
    for number, (url, answer) in enumerate(found.seeds[:SHOWN]):
        yield Row("" if number else "robots.txt", f"{url}: {_robots(answer)}")
    if len(found.seeds) > SHOWN:
        yield Row("", f"and {counted(len(found.seeds) - SHOWN, 'more seed')}; --json has them all")
    yield from _estimate_rows(found.estimate)
    yield Row("this host", planned.host.sentence)
    yield Row("afterwards", "To compare this plan with the real cost: ./breadcrumb report")


def _estimate_rows(estimate: Estimate) -> Iterator[Row]:
    from extensions.plan.announcement import pace_in_words
    from reports.wording import amount_range, count_range, duration_range, size_range

    largest = sorted(estimate.sites, key=lambda site: -site.requests.upper)
    for number, site in enumerate(largest[:SHOWN]):
        cost = f"{amount_range(site.pages, 'page')}, {amount_range(site.requests, 'request')}"
        yield Row("" if number else "sites", f"{site.site}: {cost}, {pace_in_words(site)}; {site.basis}.")
    if len(largest) > SHOWN:
        yield Row("", f"and {len(largest) - SHOWN:,} more; --json has them all")
    yield Row("pages", count_range(estimate.pages))
    yield Row("requests", count_range(estimate.requests))
    yield Row("network", size_range(estimate.bytes))
    yield Row("disk", f"{size_range(estimate.disk)}, with the index")
    more = "the peak of the trial, plus cache and URLs"
    yield Row("memory", f"{size_range(estimate.memory)}: {more}")
    by = f"; {estimate.slowest} is the slowest host" if len({site.host for site in estimate.sites}) > 1 else ""
    yield Row("time", f"{duration_range(estimate.seconds)}{by}")


def _robots(answer: RobotsStatus) -> str:
    if answer.allowed is None:
        return "its robots.txt was not requested yet"
    by = f" by line {answer.line}, {answer.rule!r}" if answer.line else ""
    return f"{'allowed' if answer.allowed else 'disallowed'}{by} ({answer.reason})"


COMMAND = Command(
    name="plan",
    example="http://bakery.localhost:8400/ --data bakery",
    exits="0 planned, 1 no page was fetched, so the plan is rough, 2 no trial was possible, 130 interrupted",
    add_arguments=add_arguments,
    run=run,
)
