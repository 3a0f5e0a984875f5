"""Which crawler takes how much for the same work? Medians, and the ratios of runs in the same repeat.

A machine is never equally busy twice, so a ratio is taken between runs of the same repeat. The median of these ratios
counts. Runs that fetched different numbers of pages did different work: the report shows that, and averages nothing
away.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.harness.program import paired_ratio, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.harness.cost import Cost

MAX_APART = 0.02  # share of the pages by which runs may differ: crawlers treat a site's traps and odd links differently
CPU_AIM = 0.5  # of rival (b)'s CPU time, at most
WALL_AIM = 1.5  # times rival (a)'s wall time, less than
MIB = 1024 * 1024
COLUMNS = {  # of the table, with the keys of its numbers
    "pages": "pages",
    "requests": "requests",
    "wall s": "wall_s",
    "pages/s": "pages_per_s",
    "CPU s": "cpu_s",
    "CPU s/1000": "cpu_s_per_1000_pages",
    "peak MiB": "peak_mib",
    "all MiB": "peak_mib_all",
}
FORMS = dict.fromkeys(COLUMNS, ".0f") | dict.fromkeys(("wall s", "pages/s", "CPU s", "CPU s/1000"), ".1f")


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One crawl: pages with status 200, requests of all kinds, and the cost."""

    pages: int
    requests: int
    cost: Cost


RunsByCrawler = dict[str, list[MeasuredRun]]  # by crawler, in the order of the repeats


def numbers_of(runs: Sequence[MeasuredRun]) -> dict[str, Any]:
    """Return the medians of a crawler's runs."""
    return {
        "pages": median(run.pages for run in runs),
        "requests": median(run.requests for run in runs),
        "wall_s": median(run.cost.wall for run in runs),
        "pages_per_s": median(run.pages / run.cost.wall for run in runs),
        "cpu_s": median(run.cost.cpu for run in runs),
        "cpu_s_per_1000_pages": median(1000 * run.cost.cpu / run.pages for run in runs),
        "processes": max(len(run.cost.peaks) for run in runs),
        "peak_mib": median(run.cost.largest for run in runs) / MIB,
        "peak_mib_all": median(run.cost.together for run in runs) / MIB,
    }


def paired_ratios(runs: RunsByCrawler, ours: str) -> dict[str, dict[str, dict[str, float]]]:
    """Return our ratios to each rival, in wall time and in CPU time per page."""
    return {
        rival: {
            "wall": paired_ratio(runs[ours], other, lambda run: run.cost.wall / run.pages),
            "cpu": paired_ratio(runs[ours], other, lambda run: run.cost.cpu / run.pages),
        }
        for rival, other in runs.items()
        if rival != ours
    }


def disagreement(runs: RunsByCrawler) -> str | None:
    """Return how far the numbers of pages differ, or None: the same work was done."""
    counts = {name: [run.pages for run in done] for name, done in runs.items()}
    every = [count for of_one in counts.values() for count in of_one]
    apart = (max(every) - min(every)) / max(every)
    if apart <= MAX_APART:
        return None
    told = ", ".join(f"{name} {min(of_one)} to {max(of_one)}" for name, of_one in counts.items())
    return f"the runs fetched different numbers of pages ({told}): they lie {apart:.1%} apart, {MAX_APART:.0%} may be"


def comparison_table(numbers: Mapping[str, Mapping[str, Any]], names: Mapping[str, str]) -> list[str]:
    """Return the medians as a table, a crawler a line."""
    return table(
        ("", *COLUMNS), ((names[key], *(row[of] for of in COLUMNS.values())) for key, row in numbers.items()), FORMS
    )
