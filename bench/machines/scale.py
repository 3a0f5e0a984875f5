"""How far does a cluster go? Crawls of ten million, a billion and fifty billion pages, simulated with measured costs.

    bench/cluster scale [--pages N --days D] [--cost NAME=VALUE …] [--data FOLDER] [--json]

Nothing is fetched. For each crawl it shows the number of parts, how many of them crawl at once, and the time compared
with politeness alone. It shows the bytes stored and copied, the messages of a stage and the shards of the index. Then
it shows the bounds that the crawl passes, what would be changed, and from how many pages on. With --data the bytes a
page are those of an existing crawl. The model and its limits: simulation.py; the costs: costs.py.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bench.harness.program import parser_of, positive, show
from bench.machines.costs import Costs, of_crawl, with_given
from bench.machines.limits import first_passed, passed, shards
from bench.machines.simulation import planned, simulate
from crawldb.database import DatabaseError

if TYPE_CHECKING:
    from bench.machines.simulation import Simulated

SCALES = ((10_000_000, 2), (1_000_000_000, 30), (50_000_000_000, 90))  # pages, and days for 99 % of them
TRIED = [mantissa * 10.0**power for power in range(5, 11) for mantissa in (1, 2, 5)]  # pages


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
        "passed": [asdict(limit) for limit in passed(one, costs)],
    }


def main() -> int:
    """Simulate, and print."""
    parser = parser_of(__doc__, days=30)
    parser.add_argument("--pages", type=positive, metavar="N", help="one crawl of so many pages")
    parser.add_argument("--cost", action="append", default=[], metavar="NAME=VALUE", help="a cost of your own")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="a crawl whose bytes a page count")
    options = parser.parse_args()
    try:
        costs = with_given(of_crawl(Costs(), options.data) if options.data else Costs(), options.cost)
        scales = [(options.pages, options.days)] if options.pages else SCALES
        crawls = [simulate(planned(pages, days, costs), costs) for pages, days in scales]
    except (DatabaseError, ValueError) as mistake:
        parser.error(str(mistake))
    begins = first_passed(TRIED, options.days, costs)
    found = {f"{one.plan.pages:,.0f} pages": report_of(one, costs) for one in crawls}
    shown = {name: cost for name, cost in asdict(costs).items() if name != "delays"}
    show({"costs": shown, "crawls": found, f"passed from so many pages on, {options.days} days": begins}, options)
    return 0
