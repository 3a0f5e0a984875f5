"""How is a crawl told in numbers? A line a number for a person, with what somebody should look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commands.terminal import Ink, columns, hanging, printable
from reports.trap_report import harms_in_words
from reports.wording import counted, duration, moment, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crawldb.tables.seeds import SeedYield
    from reports.numbers import Report

INDENT = 12
SITES_SHOWN = 10
ALARMS_SHOWN = 10
PLAN_WIDTH = 30  # columns for what was planned
_LEFT_OUT = ("duplicates", "near_duplicates", "noindex")  # kinds of pages that are stored and not indexed


def report_lines(numbers: Report, folder: str, pen: Ink) -> Iterator[str]:
    """Return the numbers of a folder for a person."""
    urls, pages = numbers["urls"], numbers["pages"]
    yield pen.bold(f"The crawl in {folder}")
    parts = " + ".join(f"{count:,} {state}" for state, count in urls.items() if state != "discovered")
    yield from labelled(pen, "URLs", f"{urls['discovered']:,} discovered = {parts}")
    yield from _rules(pen, "suppressed", numbers["suppressed"])
    yield from _rules(pen, "failed", numbers["failed"])
    yield from labelled(pen, "pages", f"{pages['stored']:,} stored, {pages['indexed']:,} of them fit for the index")
    yield from _rules(pen, "left out", {kind.replace("_", " "): pages[kind] for kind in _LEFT_OUT if pages[kind]})
    yield from _sitemaps(pen, numbers["sitemaps"])
    yield from labelled(pen, "requests", _requests(numbers))
    if numbers["harms"]["wasted"]:
        yield from labelled(pen, "harms", f"{harms_in_words(numbers['harms'])}; report traps tells more")
    yield from _rules(pen, "answers", numbers["status"])
    rounds = numbers["rounds"]
    yield from labelled(pen, "rounds", f"{rounds['begun']:,} begun, {rounds['open']:,} of them open")
    yield from _sites(pen, numbers["sites"])
    yield from _seeds(pen, numbers["seeds"])
    if numbers["last_run"]:
        yield from labelled(pen, "last run", _last_run(numbers["last_run"]))
    if numbers["presence"]:
        yield from labelled(pen, "bits", _presence(numbers["presence"]))
    yield from _troubles(pen, numbers)
    if numbers["plan"]:
        yield from _plan(pen, numbers["plan"])


def _troubles(pen: Ink, numbers: Report) -> Iterator[str]:
    """Tell which sites a person should look at."""
    for number, alarm in enumerate(numbers["alarms"][:ALARMS_SHOWN]):
        yield from labelled(pen, "" if number else "alarms", f"{alarm['reason']}.")
    if len(numbers["alarms"]) > ALARMS_SHOWN:
        yield from labelled(pen, "", f"and {len(numbers['alarms']) - ALARMS_SHOWN:,} more; --json has them all")
    for number, (origin, since) in enumerate(list(numbers["closed"].items())[:ALARMS_SHOWN]):
        yield from labelled(
            pen, "" if number else "closed", f"{origin}, whose robots.txt has failed since {moment(since)}"
        )
    for number, (host, rest) in enumerate(list(numbers["resting"].items())[:ALARMS_SHOWN]):
        waiting = counted(rest["waiting"], "URL")
        yield from labelled(
            pen,
            "" if number else "resting",
            f"{host} until {moment(rest['until'])}, {waiting} waiting: {rest['reason']}",
        )


def _plan(pen: Ink, plan: Mapping[str, Any]) -> Iterator[str]:
    from reports.plan.actual import plan_and_actual  # noqa: PLC0415 - only where a plan was made

    over = "" if plan["actual"]["over"] else " so far"
    yield from labelled(pen, "plan", f"of {moment(plan['at'])}, for round {plan['round']}, and what it took{over}")
    for name, planned, actual in plan_and_actual(plan):
        yield from labelled(pen, f"  {name}", f"{planned:<{PLAN_WIDTH}}  {actual}")


def _sitemaps(pen: Ink, sitemaps: Mapping[str, int]) -> Iterator[str]:
    if sitemaps["files"]:
        yield from labelled(
            pen, "sitemaps", f"{counted(sitemaps['files'], 'file')} with "
            f"{counted(sitemaps['entries'], 'entry', 'entries')}; "
            f"{counted(sitemaps['only_there'], 'page')} that nothing else leads to",
        )  # fmt: skip


def labelled(pen: Ink, label: str, text: str) -> Iterator[str]:
    """Return a text with its label, in as many lines as it takes."""
    for number, line in enumerate(hanging(label, printable(text), INDENT)):
        yield line if number else pen.dim(line[:INDENT]) + line[INDENT:]


def _rules(pen: Ink, label: str, counts: Mapping[str, int]) -> Iterator[str]:
    if counts:
        yield from labelled(pen, label, ", ".join(f"{rule}: {count:,}" for rule, count in counts.items()))


def _sites(pen: Ink, sites: Mapping[str, int]) -> Iterator[str]:
    largest = sorted(sites.items(), key=lambda site: -site[1])
    width = max((len(name) for name, _ in largest[:SITES_SHOWN]), default=0)
    label = "sites"
    for name, pages in largest[:SITES_SHOWN]:
        shown = printable(name)[: columns() - INDENT - INDENT]
        yield (
            pen.dim(f"{label:<{INDENT}}")
            + f"{shown:<{min(width, columns() - 2 * INDENT)}}  {pages:>9,} {'page' if pages == 1 else 'pages'}"
        )
        label = ""
    if len(largest) > SITES_SHOWN:
        yield from labelled(pen, "", f"and {len(largest) - SITES_SHOWN:,} more; --json has them all")


def _seeds(pen: Ink, seeds: Sequence[SeedYield]) -> Iterator[str]:
    """Tell what each seed brought, where there is more than one to compare."""
    for number, seed in enumerate(seeds[:SITES_SHOWN] if len(seeds) > 1 else ()):
        kind = f", {seed['kind']}" if seed["kind"] else ""
        brought = f"{counted(seed['pages'], 'page')} first found from it, {seed['new']:,} of them in the latest round"
        yield from labelled(pen, "" if number else "seeds", f"{seed['url']}{kind}: {brought}")
    if len(seeds) > SITES_SHOWN:
        yield from labelled(pen, "", f"and {len(seeds) - SITES_SHOWN:,} more; --json has them all")


def proposed_lines(pen: Ink, proposals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Tell which options of sites the evidence speaks for."""
    for number, each in enumerate(proposals[:ALARMS_SHOWN]):
        yield from labelled(pen, "" if number else "proposals", f"{each['site']}  {each['option']}: {each['reason']}.")
    if proposals:
        yield from labelled(pen, "", "./breadcrumb suggest --apply switches them on")


def _requests(counts: Mapping[str, Any], noun: str = "") -> str:
    requests = counted(counts["requests"], noun) if noun else f"{counts['requests']:,}"
    return f"{requests}, {size(counts['bytes'])} of bodies, {duration(counts['seconds'])} of crawling"


def _presence(bits: Mapping[str, Any]) -> str:
    return (
        f"{bits['bytes']:,} bytes of memory, {bits['hashes']} bits a URL; they hold {bits['urls']:,} URLs, and took "
        f"{bits['lost']:,} of {bits['asked']:,} new ones for known: {bits['errors']:.3%}, "
        f"and {bits['expected']:.3%} expected of the next"
    )


def _last_run(run: Mapping[str, Any]) -> str:
    began = moment(run["started_at"])
    if run["running"]:
        return f"number {run['run']} is at work as process {run['pid']}, since {began}: {_requests(run, 'request')}"
    ending = run["ending"] or "killed"
    waiting = f"; {counted(run['waiting'], 'URL')} left for the next one" if run["waiting"] else ""
    return f"number {run['run']}, {began}, {ending}: {_requests(run, 'request')}{waiting}"
