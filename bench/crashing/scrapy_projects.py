"""What does a kill cost a Scrapy project with Scrapy's JOBDIR, and with the scheduler of breadcrumb.scrapy?

    bench/crash scrapy [--kills 30] [--pages 1000] [--seed 1] [--json]

Projects as `scrapy startproject` makes them crawl a tree of pages on loopback. kill -9 falls on a random request, the
same one for both, and the same command continues. Lost: pages that never came to the spider, though the second run
ended by itself. Repeated: pages that came more than once. Exit code 0: the scheduler lost no page; 1: it did.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from bench.harness.program import in_turns, parser_of, show
from tests.durability.scrapy_kills import WAYS, Cost, kill_and_continue
from tests.journey.conftest import served_site
from tests.journey.scrapy.parts import make_project


def measure(kills: int, pages: int, seed: int) -> dict[str, list[Cost]]:
    """Kill each way at the same requests; return the costs of each."""
    chance = random.Random(seed)
    requests = [chance.randrange(pages // 20, pages) for _ in range(kills)]
    costs: dict[str, list[Cost]] = {way: [] for way in WAYS}
    for number, way, _ in in_turns(WAYS, kills, lambda _: None):
        with tempfile.TemporaryDirectory() as folder, served_site() as site:
            project = make_project(Path(folder), *WAYS[way])
            costs[way].append(kill_and_continue(project, site, pages, requests[number]))
    return costs


def summed(costs: list[Cost]) -> dict[str, int]:
    """Return the sums over all kills, and the worst of them."""
    return {
        "kills_that_lost": sum(cost.lost > 0 for cost in costs),
        "lost": sum(cost.lost for cost in costs),
        "most_lost": max(cost.lost for cost in costs),
        "repeated": sum(cost.repeated for cost in costs),
        "most_repeated": max(cost.repeated for cost in costs),
    }


def main() -> int:
    """Measure and print."""
    options = parser_of(__doc__, kills=30, pages=1000, seed=1).parse_args()
    ways = {way: summed(costs) for way, costs in measure(options.kills, options.pages, options.seed).items()}
    show({"kills": options.kills, "pages": options.pages, "ways": ways}, options)
    return 1 if ways["Scheduler"]["lost"] else 0
