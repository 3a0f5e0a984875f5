"""How long would a crawl of so many pages take, and what breaks first? Stage by stage, with classes of similar hosts.

The number of pages of a host follows a power law, cut at a crawl's budget for one site. (Huberman and Adamic, Growth
dynamics of the World-Wide Web, Nature 401:131, 1999: exponents 1.65 and 1.85.) Hosts of one class have the same number
of pages and the same delay between two requests. Every part has its share of each class, as rendezvous hashing gives
it.

It is a simulation: every URL is known at first, none fails, no server is slow, and all parts are alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bench.machines.costs import Costs

EXPONENT = 1.8
SITE_PAGES = 50_000  # the setting's default
MOST_PARTS = 4096
FEWEST_PAGES = 100
SHORTEST_STAGE = 60.0  # seconds
LONGEST_STAGE = 900.0  # a kill loses one, of one part
OVERHEAD = 0.15  # share of a turn for start and copies, at most
HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Plan:
    """A crawl of `pages`, in so many `parts`, each of which crawls `stage` seconds in a turn.

    `slots` is how many crawl at the same time: in Spark, the cores of all executors. A crawl waits for hosts most of
    its time, so a machine may be given several slots for each core that it has.
    """

    pages: float
    parts: int
    slots: int
    stage: float  # seconds

    @property
    def waves(self) -> int:
        """How many parts use a slot one after the other in a stage."""
        return math.ceil(self.parts / self.slots)


@dataclass(frozen=True, slots=True)
class Simulated:
    """The result of a plan. Bytes are those of all parts together, unless another unit is given."""

    plan: Plan
    hosts: float
    stages: int
    hours: float
    hours_to_99: float  # per cent of the pages
    polite_hours: float  # the time of the slowest host, crawled without a pause
    cpu_hours: float
    copied: float  # bytes of databases to the executors and back, in all stages; an upper bound: every part has a turn
    stage_letters: float  # most in one stage
    stage_letter_bytes: float
    turn_overhead: float  # share of start and copies in the last full turn
    database: float
    index: float
    opensearch: float  # the same pages in OpenSearch

    @property
    def part(self) -> float:
        """Bytes of one part's folder at the end."""
        return self.database / self.plan.parts


def host_classes(pages: float, costs: Costs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each class its hosts' pages, their delay in seconds, and its number of hosts.

    A class with less than one host is left out; the others get its pages. Raises ValueError if no class has a host.
    """
    sizes = np.unique(np.append(2.0 ** np.arange(int(math.log2(SITE_PAGES)) + 1), SITE_PAGES))
    weights = sizes ** (1.0 - EXPONENT)  # a class is as wide as its size: n^-1.8 times n
    count = weights * pages / (weights * sizes).sum()
    delays = np.array([delay for delay, _ in costs.delays])
    shares = np.array([share for _, share in costs.delays], dtype=float)
    shares /= shares.sum()
    found = np.repeat(sizes, len(delays)), np.tile(delays, len(sizes)), np.outer(count, shares).ravel()
    there = found[2] >= 1.0
    if not there.any():
        raise ValueError(f"{pages:g} pages: give {FEWEST_PAGES} or more, so that there are hosts of several sizes")
    size, delay, hosts = (of_all[there] for of_all in found)
    return size, delay, hosts * pages / (hosts * size).sum()


def planned(pages: float, days: float, costs: Costs) -> Plan:
    """Return the plan with the fewest slots that has 99 % of the pages in so many days; else the quickest.

    A kill loses a stage, so a stage takes no more than `LONGEST_STAGE`, as long as parts small enough are allowed.
    """
    room = LONGEST_STAGE * OVERHEAD / (1 - OVERHEAD) - costs.start_seconds
    least = 2 * pages * costs.page_bytes / (costs.copy_bytes * room) if room > 0 else MOST_PARTS
    slots = max(1, math.ceil(pages * costs.cpu_seconds / (days * 24 * HOUR)))
    while True:
        slots = min(slots, MOST_PARTS)
        parts = {min(MOST_PARTS, max(math.ceil(least), slots * waves)) for waves in (1, 2, 4)}
        tried = (simulate(_plan(pages, count, slots, costs), costs) for count in sorted(parts))
        quickest = min(tried, key=lambda one: one.hours_to_99)
        if quickest.hours_to_99 <= days * 24 or slots == MOST_PARTS:
            return quickest.plan
        slots = math.ceil(slots * 1.2)


def _plan(pages: float, parts: int, slots: int, costs: Costs) -> Plan:
    """Return a plan with stages long enough that start and copies of the last one stay within OVERHEAD."""
    lost = costs.start_seconds + 2 * pages * costs.page_bytes / parts / costs.copy_bytes
    return Plan(pages, parts, slots, max(SHORTEST_STAGE, lost * (1 - OVERHEAD) / OVERHEAD))


def simulate(plan: Plan, costs: Costs) -> Simulated:
    """Crawl stage after stage, until every page of every host is fetched.

    Stages equal to the one before are added at once: most are, when only the largest hosts are left.
    """
    sizes, delays, hosts = host_classes(plan.pages, costs)
    left, count = sizes.copy(), hosts / plan.parts  # of each host; hosts of a part
    there = most = copied = overhead = seconds = to_99 = 0.0  # pages of a part; of a stage; bytes; share
    stages, last = 0, 0.99 * plan.pages / plan.parts
    while left.any():
        asked = np.minimum(left, np.maximum(plan.stage / delays, 1.0))
        wanted = float((asked * count).sum())
        share = min(1.0, plan.stage / costs.cpu_seconds / wanted)
        fetched, pages = asked * share, wanted * share
        alike = max(1, int((left[left > 0] / fetched[left > 0]).min()))
        # A turn ends sooner if nothing is left to do.
        crawled = min(plan.stage, max(float((fetched * delays).max()), pages * costs.cpu_seconds))
        moved = (alike * (2 * there + pages) + pages * alike * (alike - 1)) * costs.page_bytes
        took = plan.waves * (alike * (costs.start_seconds + crawled) + moved / costs.copy_bytes)
        if there < last <= there + alike * pages:
            to_99 = seconds + took * (last - there) / (alike * pages)
        left = left - alike * fetched
        left[left < sizes * 1e-9] = 0.0
        there, seconds, stages = there + alike * pages, seconds + took, stages + alike
        copied, most = copied + moved * plan.parts, max(most, pages)
        if crawled == plan.stage:
            overhead = 1 - alike * plan.waves * crawled / took
    letters = most * plan.parts * costs.letters
    return Simulated(
        plan,
        hosts=float(hosts.sum()),
        stages=stages,
        hours=seconds / HOUR,
        hours_to_99=to_99 / HOUR,
        polite_hours=float((sizes * delays).max()) / HOUR,
        cpu_hours=plan.pages * costs.cpu_seconds / HOUR,
        copied=copied,
        stage_letters=letters,
        stage_letter_bytes=letters * costs.letter_bytes,
        turn_overhead=overhead,
        database=plan.pages * costs.page_bytes,
        index=plan.pages * costs.index_bytes,
        opensearch=plan.pages * costs.index_bytes * costs.opensearch_times,
    )
