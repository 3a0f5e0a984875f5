#!/usr/bin/env python3
"""Does a crawl on a cluster lose, repeat or hurry anything when it is killed? And what does it cost beside a farm?

    bench/cluster [--kills 100] [--victim task …] [--spark] [--costs] [--seed 1] [--json]

Hosts on loopback, each with a delay of its own and with a page that only a page of another host leads to, are crawled
in parts that are kept in a store. While that goes on, tasks, crawls and drivers are killed with kill -9, tasks are
frozen until others have their part, and clocks of machines differ by minutes; with --spark, executors and workers of a
real cluster of processes are killed. Each crawl then goes on to its end and is judged: every page stored once and found
once, nothing that was committed asked for again, the accounts of all parts exact, and politeness proved from each
host's log. Exit code 0: all of it held, each time.

--costs measures, without kills, what a stage of 60 s costs beside `crawl` and `farm`, and two executors beside one.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import bench.environment  # noqa: F401 - begins anew with the project's own Python
from bench.environment import positive
from bench.takeovers.trial import Setting, Trial, TrialResult, Victim
from bench.takeovers.ways import WayCost, overhead, scaling
from tests.cluster.standalone import Standalone, missing, standalone

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KILLS_OF_A_TRIAL = 10


def trials(
    victims: Sequence[Victim], kills: int, setting: Setting, seed: int, spark: Standalone | None
) -> Iterator[TrialResult]:
    """Yield one crawl after the other, until each of the victims was killed so many times."""
    for victim in victims:
        left = kills
        while left > 0:
            with tempfile.TemporaryDirectory(prefix="bench-cluster-") as name:
                chance = random.Random(f"{seed} {victim.name} {left}")
                found = Trial(setting, Path(name), chance, spark).run(victim, min(left, KILLS_OF_A_TRIAL))
            yield found
            if not found.kills:
                return  # it ends before it can be killed: told by the numbers
            left -= found.kills


def told(found: Sequence[TrialResult], costs: Sequence[WayCost]) -> str:
    """Lay out for a person what was done and what came of it."""
    lines = (
        [f"{'killed':84}{'kills':>6}{'again':>7}{'crawls':>8}{'pages':>8}{'requests':>10}{'faults':>8}"]
        if found
        else []
    )
    for victim in dict.fromkeys(one.victim for one in found):
        alike = [one for one in found if one.victim == victim]
        sums = (sum(one.kills for one in alike), len(alike), sum(one.pages for one in alike))
        again = sum(one.again for one in alike)
        asked, faults = sum(one.requests for one in alike), sum(len(one.faults) for one in alike)
        lines.append(f"{victim:84}{sums[0]:6}{again:7}{sums[1]:8}{sums[2]:8}{asked:10}{faults:8}")
    lines += [fault for one in found for fault in one.faults]
    if costs:
        lines.append(f"{'':26}{'seconds':>9}{'CPU s':>8}{'pages':>8}")
        lines += [f"{one.way:26}{one.seconds:9.1f}{one.cpu:8.1f}{one.pages:8}" for one in costs]
    return "\n".join(lines)


def main() -> int:
    """Kill or measure, and print."""
    names = [victim.name.lower() for victim in Victim]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=positive, default=100, metavar="N", help="of each kind (100)")
    parser.add_argument("--victim", action="append", choices=names, help="a kind; all of them without it")
    parser.add_argument("--spark", action="store_true", help="on a Spark cluster of real processes")
    parser.add_argument("--costs", action="store_true", help="measure instead of killing")
    parser.add_argument("--pages", type=positive, default=20, metavar="N", help="of each of four hosts (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.spark and missing():
        raise SystemExit(f"cluster: {missing()}")
    victims = [victim for victim in Victim if victim.name.lower() in (options.victim or names)]
    if not options.spark:
        victims = [victim for victim in victims if not victim.needs_spark]
    if not victims:
        raise SystemExit("cluster: executors and workers are Spark's: add --spark")
    found: list[TrialResult] = []
    costs: list[WayCost] = []
    with ExitStack() as opened:
        if options.costs:
            costs = overhead(8, 8 * options.pages, 0.5, 60, spark=options.spark)
            costs += scaling(8, 3 * options.pages, 0.5, 60) if options.spark else []
        else:
            spark = None
            if options.spark:
                folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bench-spark-")))
                spark = opened.enter_context(standalone(folder))
            setting = Setting(pages=options.pages)
            for one in trials(victims, options.kills, setting, options.seed, spark):
                found.append(one)
                lines = (f"{one.victim}: {one.kills} kills, {len(one.faults)} faults", *one.faults)
                print(*lines, sep="\n", file=sys.stderr, flush=True)
    if options.json:
        report: dict[str, Any] = {"trials": list(map(asdict, found)), "costs": list(map(asdict, costs))}
        print(json.dumps(report, indent=2))
    else:
        print(told(found, costs))
    return 1 if any(one.faults or not one.kills for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
