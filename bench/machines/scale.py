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
from reports.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bench.machines.simulation import Simulated

SCALES = ((10_000_000, 2), (1_000_000_000, 30), (50_000_000_000, 90))  # pages, and days for 99 % of them
TRIED = [mantissa * 10.0**power for power in range(5, 11) for mantissa in (1, 2, 5)]  # pages


def told(crawls: Sequence[Simulated], begins: Mapping[str, float], days: int, costs: Costs) -> Iterator[str]:
    """Return the report of the crawls as lines, then what breaks first."""
    for one in crawls:
        plan = one.plan
        yield f"{plan.pages:,.0f} pages"
        rows = (
            ("hosts", f"{one.hosts:,.0f}"),
            ("parts; slots", f"{plan.parts:,}; {plan.slots:,}, each with {counted(plan.waves, 'part')} by turns"),
            ("a stage of a part", f"{plan.stage:,.0f} s, and {one.turn_overhead:.0%} of the time for start and copies"),
            ("reading", f"{one.cpu_hours:,.0f} CPU hours: {one.cpu_hours / one.hours_to_99:,.1f} cores all the time"),
            ("99 % of the pages", f"{one.hours_to_99:,.0f} hours"),
            ("all of them", f"{one.hours:,.0f} hours; politeness alone {one.polite_hours:,.0f}"),
            ("stored", f"{one.database / 1e12:,.2f} TB in folders of {one.part / 1e9:,.1f} GB"),
            ("copied", f"{one.copied / 1e12:,.0f} TB"),
            ("letters in a stage", f"{one.stage_letters:,.0f}, {one.stage_letter_bytes / 1e9:,.1f} GB"),
            ("index", f"{one.index / 1e12:,.2f} TB in folders"),
            ("in OpenSearch", f"{one.opensearch / 1e12:,.2f} TB, {shards(one):,} shards"),
        )
        yield from (f"  {name:20}{value}" for name, value in rows)
        yield from (f"  breaks: {it.what}: {it.figure}. Then: {it.change}." for it in passed(one, costs))
    yield f"What breaks first, with {days} days for 99 %:"
    yield from (f"  from {pages:>16,.0f} pages on: {what}" for what, pages in begins.items())


def main() -> int:
    """Simulate, and print."""
    parser = parser_of(__doc__)
    parser.add_argument("--pages", type=positive, metavar="N", help="one crawl of so many pages")
    parser.add_argument("--days", type=positive, default=30, metavar="D", help="for 99 %% of --pages (30)")
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
    rows = [asdict(one) | {"passed": [asdict(it) for it in passed(one, costs)]} for one in crawls]
    report = {"costs": asdict(costs), "from_pages": begins, "crawls": rows}
    show(report, told(crawls, begins, options.days, costs), as_json=options.json)
    return 0
