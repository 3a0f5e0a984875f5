"""What will a big run cost, and who should know of it? Measured on a small trial, before anybody is surprised.

Where a trial has not told enough yet, a small crawl is made, which the big one goes on from.
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
from commands.frame.terminal import hanging, json_line, pasteable, printable, row_lines, terminal_style
from reports.wording import Row, counted
from spiders.downloader.address_policy import is_loopback, is_public, literal_address

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from commands.frame.terminal import Style
    from reports.politeness.estimate import Estimate
    from reports.politeness.forecast import Forecast
    from reports.why.site_files import RobotsStatus
    from spiders.crawl_settings import CrawlSettings

DISCARD = 9  # a port for the question which way leads there; no packet goes to it (RFC 863)
ALL_HERE = "All sites are on this machine, so nobody else sees an address of it, and there is no name to look up."
ASK = "ask the owner of your network for a PTR record whose name leads back to the address"


@dataclass(frozen=True, slots=True)
class OwnAddress:
    """The address that sites see, its name, and what there is to say about both; empty where there is none."""

    address: str
    name: str
    leads_back: bool
    sentence: str


def own_address(hosts: Iterable[str], seconds: float) -> OwnAddress:
    """Say who this machine is to `hosts`; each look-up may take so many seconds."""
    outside = next((host for host in hosts if not is_loopback(host)), None)
    if outside is None:
        return OwnAddress("", "", leads_back=False, sentence=f"{ALL_HERE} Before a run elsewhere, {ASK}.")
    address = _within(seconds, outgoing_address, outside)
    if not address:
        return OwnAddress("", "", leads_back=False, sentence=f"No way leads to {outside} now; nothing to look up.")
    return check_reverse_name(
        str(address),
        lambda text: str((_within(seconds, socket.gethostbyaddr, text) or ("",))[0]),
        lambda name: {str(answer[4][0]) for answer in _within(seconds, socket.getaddrinfo, name, None) or ()},
    )


def outgoing_address(host: str) -> str:
    """Return the address from which a packet to `host` would leave. OSError where no way leads there."""
    family, kind, protocol, _, place = socket.getaddrinfo(host.strip("[]"), DISCARD, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as question:
        question.connect(place)  # of a datagram socket: it is only noted, and nothing is sent
        return str(question.getsockname()[0])


def check_reverse_name(
    address: str, name_of: Callable[[str], str], addresses_of: Callable[[str], set[str]]
) -> OwnAddress:
    """Judge an address by its name (empty: it has none) and by the addresses of that name."""
    name = name_of(address)
    back = bool(name) and address in addresses_of(name)
    parsed = literal_address(address)
    if parsed is not None and not is_public(parsed):
        seen = f"This machine is {address}, a private address: sites see that of your network's gateway instead. "
        return OwnAddress(address, name, back, f"{seen}Ask the owner of your network which it is; and {ASK}.")
    if not name:
        return OwnAddress(address, name, back, f"Sites see {address}, which has no name: {ASK}.")
    if not back:
        return OwnAddress(address, name, back, f"Sites see {address}; its name {name} does not lead back to it: {ASK}.")
    return OwnAddress(address, name, back, f"Sites see {address}; its name {name} leads back to it, as it should.")


def _within(seconds: float, ask: Callable[..., Any], *words: object) -> Any:
    """Return the answer of a look-up, or None where it fails or takes longer: the system's own limit is minutes."""
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
    """What the command has found out: the forecast, who this machine is to sites, and the text to be forwarded."""

    folder: Path
    forecast: Forecast
    tried: bool  # a trial was made for it just now
    host: OwnAddress
    announcement: Sequence[str]


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "seeds", nargs="*", metavar="URL or FILE", help="where the run will begin; else what DATA_DIR has"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with the estimate, a site each")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Try a few pages of each site where that was not done yet, and tell what all of them will cost."""
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
        told = _as_dict(planned)
        print(json_line(told))
    else:
        print(*_lines(planned, terminal_style()), sep="\n")
    return DONE if planned.forecast.pages else NO


def _conduct(settings: CommandSettings, seeds: str) -> CrawlSettings:
    if settings.getint("PLAN_PAGES") < 1:
        raise CommandError(f"PLAN_PAGES={settings['PLAN_PAGES']}: a trial needs a page at least; 20 tell more")
    try:
        return crawl_settings_of(settings, seeds)
    except CommandError as error:
        raise CommandError(str(error).replace("give -a seeds=http://HOST/", "give http://HOST/")) from error


def _trial(crawl_settings: CrawlSettings, seeds: str, requests: int, given: Sequence[str]) -> tuple[int, bool]:
    """Make the trial where it is needed; return the exit code of its crawl, and whether it was made."""
    from crawldb.database import FILE_NAME, CrawlDatabase
    from reports.politeness.forecast import trial_is_complete

    if (crawl_settings.data_dir / FILE_NAME).exists():
        with CrawlDatabase(crawl_settings.data_dir) as database:
            if trial_is_complete(database, crawl_settings.seeds, requests):
                return DONE, False
    elif not seeds:
        raise CommandError(
            f"{crawl_settings.data_dir} has no seeds yet: say where the run will begin, with addresses or a file"
        )
    return crawl_trial(seeds, requests, given), True


def crawl_trial(seeds: str, requests: int, settings: Sequence[str]) -> int:
    """Crawl so much of each site, without probes; return the exit code of the crawl. It leaves its round open.

    What the crawl says of its end is not for this command's reader.
    """
    words = ["crawl", "site", "-a", f"each={requests}", *(["-a", f"seeds={seeds}"] if seeds else [])]
    return run_and_wait(command_line(words, [*settings, "PROBE_AFTER=0"]), stdout=subprocess.DEVNULL)


def _forecast(crawl_settings: CrawlSettings, settings: CommandSettings) -> Forecast:
    """Estimate the run from what the folder has measured by now."""
    from crawldb.databases import open_whole
    from reports.politeness.forecast import RunLimits, forecast

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
    """Forecast the run, and keep the plan, unless one was kept for this round before: it must not know the outcome."""
    from crawldb.databases import open_whole
    from crawldb.tables.runs import newest_plan, write_plan
    from reports.politeness.announcement import announcement

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
    yield style.bold(f"What a round in {planned.folder} will cost")
    yield from row_lines(_rows(planned), INDENT, style)
    yield ""
    yield style.bold("To be forwarded to whoever runs your network, and to your organisation:")
    for paragraph in planned.announcement:
        depth = len(paragraph) - len(paragraph.lstrip())
        yield from hanging("", printable(pasteable(paragraph.lstrip())), 2 + depth)


def _rows(planned: PlannedRun) -> Iterator[Row]:
    found = planned.forecast
    asked = f"{counted(found.pages, 'page')} with {counted(found.requests, 'request')}"
    made = "in this folder: ./breadcrumb crawl site goes on from there."
    yield Row("trial", f"{asked}, {made if planned.tried else 'made before: nothing was asked for again.'}")
    for number, (url, answer) in enumerate(found.seeds[:SHOWN]):
        yield Row("" if number else "robots.txt", f"{url}: {_robots(answer)}")
    if len(found.seeds) > SHOWN:
        yield Row("", f"and {counted(len(found.seeds) - SHOWN, 'more seed')}; --json has them all")
    yield from _estimate_rows(found.estimate)
    yield Row("this host", planned.host.sentence)
    yield Row("afterwards", "./breadcrumb report sets this plan beside what it really took.")


def _estimate_rows(estimate: Estimate) -> Iterator[Row]:
    from reports.politeness.announcement import pace_in_words
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
    more = "the trial's peak, and what its cache and its URLs will add"
    yield Row("memory", f"{size_range(estimate.memory)}: {more}")
    by = f"; {estimate.slowest} takes longest" if len({site.host for site in estimate.sites}) > 1 else ""
    yield Row("time", f"{duration_range(estimate.seconds)}{by}")


def _robots(answer: RobotsStatus) -> str:
    if answer.allowed is None:
        return "its robots.txt was not asked for yet"
    by = f" by line {answer.line}, {answer.rule!r}" if answer.line else ""
    return f"{'allowed' if answer.allowed else 'disallowed'}{by} ({answer.reason})"


COMMAND = Command(
    name="plan",
    example="http://bakery.localhost:8400/ --data bakery",
    exits="0 planned, 1 no page came, so there is little to go by, 2 it could not be tried, 130 interrupted",
    add_arguments=add_arguments,
    run=run,
)
