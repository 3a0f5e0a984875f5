"""How far does a cluster go? Crawls of ten million, a billion and fifty billion pages, simulated with measured costs.

    bench/cluster scale [--pages N --days D] [--cost NAME=VALUE …] [--json]

Nothing is fetched. For each crawl it shows the number of parts, how many of them crawl at once, and the time compared
with politeness alone. It shows the bytes stored and copied, the messages of a stage and the shards of the index. Then
it shows the bounds that the crawl passes, and from how many pages on. The model and its limits: simulation.py; the
costs: costs.py.
"""

from __future__ import annotations

from dataclasses import asdict

from bench.harness.program import parser_of, positive, show
from bench.machines.costs import Costs, with_given
from bench.machines.simulation import HOUR, LONGEST_STAGE, OVERHEAD, Simulated, planned, simulate

SCALES = ((10_000_000, 2), (1_000_000_000, 30), (50_000_000_000, 90))  # pages, and days for 99 % of them
TRIED = [mantissa * 10.0**power for power in range(5, 11) for mantissa in (1, 2, 5)]  # pages
STORAGE = 1.25e9  # bytes a second that shared storage gives and takes: ten gigabits
TAIL = 2.0  # times politeness alone for the last pages, at most …
TAIL_HOURS = 24.0  # … if they take longer than this
SCRATCH = 100e9  # bytes of local disk for one part
SHARD = 30 * 2**30  # bytes: AWS, Choosing the number of shards: 10 to 30 GiB for quick searches
MOST_SHARDS = 1024  # of one index: OpenSearch rejects more by default


def shards(simulated: Simulated) -> int:
    """Return the number of shards that OpenSearch needs for these pages."""
    return max(1, -int(-simulated.opensearch // SHARD))


def passed(simulated: Simulated, costs: Costs) -> list[str]:
    """Return the bounds that a simulated crawl passes."""
    plan = simulated.plan
    slowest = max(TAIL * simulated.polite_hours, TAIL_HOURS)
    shuffle = simulated.stage_letter_bytes / plan.slots / costs.copy_bytes
    bounds = {
        "copies of whole folders": simulated.copied / (simulated.hours * HOUR) > STORAGE,
        "the last hosts": simulated.hours > slowest,
        "what a kill takes": plan.stage > 1.01 * LONGEST_STAGE,
        "a part's folder": simulated.part > SCRATCH,
        "the shuffle of letters": shuffle > OVERHEAD * plan.waves * plan.stage,
        "the shards of one index": shards(simulated) > MOST_SHARDS,
    }
    return [bound for bound, is_passed in bounds.items() if is_passed]


def first_passed(sizes: list[float], days: float, costs: Costs) -> dict[str, float]:
    """Return for each bound the smallest of the sizes (in pages) that passes it."""
    found: dict[str, float] = {}
    for pages in sorted(sizes):
        for bound in passed(simulate(planned(pages, days, costs), costs), costs):
            found.setdefault(bound, pages)
    return found


def report_of(one: Simulated, costs: Costs) -> dict[str, object]:
    """Return the figures of a crawl, and what breaks."""
    return {
        "plan": one.plan,
        "hosts": one.hosts,
        "parts_by_turns_in_a_slot": one.plan.waves,
        "start_and_copies": f"{one.turn_overhead:.0%} of the time",
        "cpu_hours": one.cpu_hours,
        "cores_all_the_time": one.cpu_hours / one.hours_to_99,
        "hours_to_99_percent": one.hours_to_99,
        "hours": one.hours,
        "hours_by_politeness_alone": one.polite_hours,
        "stored_tb": one.database / 1e12,
        "folder_gb": one.part / 1e9,
        "copied_tb": one.copied / 1e12,
        "messages_in_a_stage": one.stage_letters,
        "messages_gb": one.stage_letter_bytes / 1e9,
        "index_tb": one.index / 1e12,
        "opensearch_tb": one.opensearch / 1e12,
        "opensearch_shards": shards(one),
        "passed": passed(one, costs),
    }


def main() -> int:
    """Simulate, and print."""
    parser = parser_of(__doc__, days=30)
    parser.add_argument("--pages", type=positive, metavar="N", help="one crawl of so many pages")
    parser.add_argument("--cost", action="append", default=[], metavar="NAME=VALUE", help="a cost of your own")
    options = parser.parse_args()
    try:
        costs = with_given(Costs(), options.cost)
        scales = [(options.pages, options.days)] if options.pages else SCALES
        crawls = [simulate(planned(pages, days, costs), costs) for pages, days in scales]
    except ValueError as mistake:
        parser.error(str(mistake))
    begins = first_passed(TRIED, options.days, costs)
    found = {f"{one.plan.pages:,.0f} pages": report_of(one, costs) for one in crawls}
    shown = {name: cost for name, cost in asdict(costs).items() if name != "delays"}
    show({"costs": shown, "crawls": found, f"passed from so many pages on, {options.days} days": begins}, options)
    return 0
