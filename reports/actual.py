"""Was the plan right? The measured figures of a round next to those of its plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawldb.figures.totals import round_totals
from crawldb.tables.runs import usage_of_round
from reports.wording import Span, count_range, counted, duration, duration_range, size, size_range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from crawldb.database import CrawlDatabase

PASSING = ("-wal", "-shm")  # ends of SQLite's names for its write-ahead log


@dataclass(frozen=True, slots=True)
class Actual:
    """A round so far: bytes received, on the disk and in memory, seconds of crawling; `over` when it has ended."""

    pages: int
    requests: int
    bytes: int
    disk: int
    memory: int
    seconds: float
    over: bool


def actual(database: CrawlDatabase, round_: int) -> Actual:
    """Measure a round. The disk is that of the whole folder, with the index; memory that of the largest run."""
    taken, used = round_totals(database, round_), usage_of_round(database, round_)
    return Actual(
        taken.pages,
        taken.requests,
        used.received or taken.bytes,  # a run that was killed has not said what it received
        folder_size(database.path.parent),
        used.peak_memory + used.index_memory,
        round(taken.seconds, 3),
        taken.over,
    )


def folder_size(folder: Path) -> int:
    """Return the bytes of all files below a folder; deleted files are skipped.

    The write-ahead log of SQLite is not counted: it is bounded and temporary.
    """
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() and not path.name.endswith(PASSING) else 0
        except OSError:
            continue
    return total


FIGURES: dict[str, tuple[Callable[[Span], str], Callable[[Any], str]]] = {
    "pages": (count_range, "{:,}".format),
    "requests": (count_range, "{:,}".format),
    "bytes": (size_range, size),
    "disk": (size_range, size),
    "memory": (size_range, size),
    "seconds": (duration_range, duration),
}


def plan_and_actual(plan: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield name, planned and actual value of each figure; `plan` is that of `reports.numbers`."""
    for name, (planned, measured) in FIGURES.items():
        yield name, planned(Span(**plan["estimate"][name])), measured(plan["actual"][name])


# Times the upper figure, or that part of the lower one, from which on a figure departs from its plan.
LITTLE = 1.1  # of URLs, whose span is to hold the true number: this leaves room for retries and probes
MUCH = 2.0  # of what a page costs, which differs from page to page and from hour to hour
LEEWAY = {"pages": LITTLE, "requests": LITTLE, "bytes": MUCH, "disk": MUCH, "memory": MUCH, "seconds": MUCH}
WHERE_TO_LOOK = {  # for each figure: what tells why it is higher, and lower
    "pages": (
        "report traps, for endless URLs, and `sites` below, for their site",
        "`failed`, `suppressed` and `responses` above: a site that fails or blocks the robot has few pages",
    ),
    "requests": (
        "`responses` above, for redirects and retried failures, and report traps",
        "`failed` and `suppressed` above, and whether a robots.txt has changed",
    ),
    "bytes": ("why of the largest pages: `suppressed` by size, and their type", "`not indexed` and `failed` above"),
    "disk": ("other files in the folder, and the number of stored pages", "`not indexed` above"),
    "memory": ("the number of discovered URLs above, and report traps", "nothing: less memory is fine"),
    "seconds": (
        "hosts at rest or slow hosts: `resting` in report --json",
        "nothing, if the pages are as planned: the hosts responded faster",
    ),
}


def departures(plan: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each figure that is far from its plan, with where to look for the cause.

    An unfinished round can only be above its plan. `plan` is that of `reports.numbers`. *HTTP: The
    Definitive Guide*, 9.5, asks the operator of a robot to investigate what is not as it was expected.
    """
    over = plan["actual"]["over"]
    for name, (more, less) in WHERE_TO_LOOK.items():
        planned, found, leeway = Span(**plan["estimate"][name]), plan["actual"][name], LEEWAY[name]
        if found > leeway * planned.upper:
            yield f"{name}: {_times(found, planned.upper)} the upper figure of the plan. Look at {more}."
        elif over and leeway * found < planned.lower:
            yield f"{name}: {found / planned.lower:.0%} of the lower figure of the plan. Look at {less}."


def _times(found: float, planned: float) -> str:
    return f"{found / planned:.1f} times" if planned else "more than zero,"


def plan_sentence(plan: Mapping[str, Any]) -> str:
    """Return the line for the end of a crawl."""
    shown = {
        name: (planned, actual)
        for name, planned, actual in plan_and_actual(plan)
        if name in {"pages", "requests", "seconds"}
    }
    pages, requests, seconds = (shown[name] for name in ("pages", "requests", "seconds"))
    it = "real cost" if plan["actual"]["over"] else "so far"
    return (
        f"Plan:  {pages[0]} pages, {requests[0]} requests in {seconds[0]}; {it}: "
        f"{counted(plan['actual']['pages'], 'page')}, {counted(plan['actual']['requests'], 'request')} in {seconds[1]}."
    )
