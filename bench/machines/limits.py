"""Which bound breaks first as a crawl grows, and what would help then? Bounds, checked against a simulated crawl."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.machines.simulation import HOUR, LONGEST_STAGE, OVERHEAD, planned, simulate

if TYPE_CHECKING:
    from bench.machines.costs import Costs
    from bench.machines.simulation import Simulated

STORAGE = 1.25e9  # bytes a second that shared storage gives and takes: ten gigabits
TAIL = 2.0  # times politeness alone for the last pages, at most …
TAIL_HOURS = 24.0  # … if they take longer than this
SCRATCH = 100e9  # bytes of local disk for one part
SHARD = 30 * 2**30  # bytes: AWS, Choosing the number of shards: 10 to 30 GiB for quick searches
MOST_SHARDS = 1024  # of one index: OpenSearch rejects more by default


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound that a crawl passes: `what` it is, by how much, and what `change` would help."""

    what: str
    figure: str
    change: str


def shards(simulated: Simulated) -> int:
    """Return the number of shards that OpenSearch needs for these pages."""
    return max(1, -int(-simulated.opensearch // SHARD))


def passed(simulated: Simulated, costs: Costs) -> list[Limit]:
    """Return the bounds that a simulated crawl passes."""
    plan = simulated.plan
    flow = simulated.copied / (simulated.hours * HOUR)
    wave = simulated.stage_letter_bytes / plan.slots / costs.copy_bytes
    count = shards(simulated)
    every = (
        (
            flow > STORAGE,
            "copies of whole folders",
            f"{flow / 1e9:,.1f} GB a second, and each stored byte {simulated.copied / simulated.database:,.0f} times",
            "put back only what is new: bodies in files that never change; a part stays where its last folder lies",
        ),
        (
            simulated.hours > max(TAIL * simulated.polite_hours, TAIL_HOURS),
            "the last hosts",
            f"{simulated.hours:,.0f} hours to the last page; politeness alone takes {simulated.polite_hours:,.0f}",
            "as many slots as parts, since these crawls only wait; a smaller SITE_PAGES or MAX_CRAWL_DELAY",
        ),
        (
            plan.stage > 1.01 * LONGEST_STAGE,
            "what a kill takes",
            f"a stage of {plan.stage / 60:,.0f} minutes, else copies are more than {OVERHEAD:.0%} of it",
            "smaller folders: more parts than 4,096, or copies of what is new alone",
        ),
        (
            simulated.part > SCRATCH,
            "a part's folder",
            f"{simulated.part / 1e9:,.0f} GB on an executor's own disk",
            "more parts than 4,096; bodies beside the database, read where they lie",
        ),
        (
            wave > OVERHEAD * plan.waves * plan.stage,
            "the shuffle of letters",
            f"{simulated.stage_letter_bytes / 1e9:,.0f} GB in a stage, {wave / 60:,.0f} minutes of each slot",
            "a filter of known addresses at the sender; fewer links of one page to one host",
        ),
        (
            count > MOST_SHARDS,
            "the shards of one index",
            f"{count:,} of 30 GiB, and OpenSearch lets one index have {MOST_SHARDS:,}",
            "several indexes behind one name; a question asks first those of the best pages",
        ),
    )
    return [Limit(*words) for is_passed, *words in every if is_passed]


def first_passed(sizes: list[float], days: float, costs: Costs) -> dict[str, float]:
    """Return for each bound the smallest of the sizes (in pages) that passes it."""
    found: dict[str, float] = {}
    for pages in sorted(sizes):
        for limit in passed(simulate(planned(pages, days, costs), costs), costs):
            found.setdefault(limit.what, pages)
    return found
