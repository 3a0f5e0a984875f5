#!/usr/bin/env python3
"""Does a crawl on a cluster lose, repeat or hurry anything when it is killed? And does it cost more than a farm?

    bench/cluster [--kills 100] [--victim task …] [--spark] [--log FILE] [--seed 1] [--json]
    bench/cluster --costs [--spark] [--seconds 150] [--json]
    bench/cluster scale [--pages N --days D] …      how far does it go? A simulation: bench/machines/scale.py

It crawls hosts on loopback in parts, which a store keeps. Each host has its own delay, and a page that only another
host links to. Meanwhile it kills tasks, crawls and drivers with kill -9, and freezes tasks until other owners have
their parts. The machines' clocks differ by minutes. With --spark it kills executors and workers of a real cluster of
processes. The storage also fails: it is slow, full or without rights; a second driver begins, or an executor has
another version. Each crawl then continues to its end and is checked. Every page is stored once and found once. No
committed page is fetched again, the accounts of all parts are exact, and each host's log proves politeness. Exit code
0: all of it held, each time.

With --log, each checked crawl is written down, and the kills already there count. So a stopped run can continue.

--costs measures the costs without kills: stages of 60 s compared with `crawl` and `farm`, and with --spark two
executors compared with one. It takes some 16 minutes at 150 seconds of politeness. Exit code 0: within 15 %, and 1.7
times as fast.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import bench.environment  # noqa: F401 - starts again with the project's own Python
from bench.harness.program import parser_of, positive, run, show, table
from bench.machines.ways import WayCost, overhead, scaling, verdicts
from tests.extensions.machines.standalone import Standalone, missing, standalone
from tests.extensions.machines.takeovers.ailing import AilingTrial, Ailment
from tests.extensions.machines.takeovers.trial import Setting, Trial, TrialResult, Victim

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KILLS_OF_A_TRIAL = 10


def trials(
    victims: Sequence[Victim | Ailment],
    kills: int,
    setting: Setting,
    seed: int,
    spark: Standalone | None,
    before: Sequence[TrialResult] = (),
) -> Iterator[TrialResult]:
    """Yield one crawl after the other, until each victim was killed so many times; earlier results count."""
    for victim in victims:
        told = victim.told(on_spark=spark is not None)
        left = kills - sum(one.kills for one in before if one.victim == told)
        while left > 0:
            with tempfile.TemporaryDirectory(prefix="bench-cluster-") as name:
                chance = random.Random(f"{seed} {victim.name} {left}")
                if isinstance(victim, Ailment):
                    found = AilingTrial(setting, Path(name), chance).ail(victim, min(left, KILLS_OF_A_TRIAL))
                else:
                    found = Trial(setting, Path(name), chance, spark).run(victim, min(left, KILLS_OF_A_TRIAL))
            yield found
            if not found.kills:
                break  # it ends before it can be killed: the numbers show it
            left -= found.kills


def written(log: Path | None) -> list[TrialResult]:
    """Return the crawls that were checked before."""
    if log is None or not log.exists():
        return []
    return [TrialResult(**json.loads(line)) for line in log.read_text().splitlines()]


def told(found: Sequence[TrialResult]) -> Iterator[str]:
    """Return a table of the kills and their results, then the faults."""
    alike = {
        victim: [one for one in found if one.victim == victim] for victim in dict.fromkeys(o.victim for o in found)
    }
    rows = (
        (
            victim,
            sum(one.kills for one in trials),
            sum(one.again for one in trials),
            len(trials),
            sum(one.pages for one in trials),
            sum(one.requests for one in trials),
            max(one.late for one in trials),
            sum(len(one.faults) for one in trials),
        )
        for victim, trials in alike.items()
    )
    yield from table(("killed", "kills", "again", "crawls", "pages", "requests", "late s", "faults"), rows)
    yield from (fault for one in found for fault in one.faults)


def told_of_costs(costs: Sequence[WayCost]) -> Iterator[str]:
    """Return a table of the ways and their costs, and how they compare."""
    rows = ((one.way, one.seconds, one.begins, one.asking, one.ends, one.cpu, one.pages) for one in costs)
    heads = ("way", "seconds", "begins", "asks", "ends", "CPU s", "pages")
    yield from table(heads, rows, dict.fromkeys(heads[1:-1], ".1f"))
    yield from (one.fault for one in costs if one.fault)
    yield from (f"{'ok' if is_well else 'NOT'}: {said}" for said, is_well in verdicts(costs))


def measured(seconds: int, *, spark: bool) -> list[WayCost]:
    """Measure one way after the other, and report each when it is done."""
    costs = []
    for one in chain(overhead(seconds, spark=spark), scaling(seconds) if spark else ()):
        costs.append(one)
        print(one.fault or f"{one.way}: {one.seconds:.1f} s", file=sys.stderr, flush=True)
    return costs


def main() -> int:
    """Kill or measure, and print."""
    kinds: list[Victim | Ailment] = [*Victim, *Ailment]
    names = [kind.name.lower() for kind in kinds]
    parser = parser_of(__doc__)
    parser.add_argument("--kills", type=positive, default=100, metavar="N", help="of each kind (100)")
    parser.add_argument("--victim", action="append", choices=names, help="a kind; all of them without it")
    parser.add_argument("--spark", action="store_true", help="on a Spark cluster of real processes")
    parser.add_argument("--log", type=Path, metavar="FILE", help="of crawls that were judged, a line of JSON each")
    parser.add_argument("--costs", action="store_true", help="measure instead of killing")
    parser.add_argument("--seconds", type=positive, default=150, metavar="S", help="that a measured crawl takes (150)")
    parser.add_argument("--pages", type=positive, default=20, metavar="N", help="of each of four hosts (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # a Spark cluster then ends with this
    if options.spark and missing():
        raise SystemExit(f"cluster: {missing()}")
    victims = [kind for kind in kinds if kind.name.lower() in (options.victim or names)]
    if not options.spark:
        victims = [victim for victim in victims if not victim.needs_spark]
    for lacking in [victim for victim in victims if isinstance(victim, Ailment) and victim.lacks]:
        victims.remove(lacking)
        print(f"cluster: {lacking.name.lower()} is left out: {lacking.lacks}", file=sys.stderr)
    if not victims:
        raise SystemExit("cluster: executors and workers are Spark's: add --spark")
    if options.costs:
        costs = measured(options.seconds, spark=options.spark)
        show([asdict(one) for one in costs], told_of_costs(costs), as_json=options.json)
        return 0 if all(is_well for _, is_well in verdicts(costs)) and not any(one.fault for one in costs) else 1
    found = written(options.log)
    with ExitStack() as opened:
        spark = None
        if options.spark:
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="bench-spark-")))
            spark = opened.enter_context(standalone(folder))
        for one in trials(victims, options.kills, Setting(pages=options.pages), options.seed, spark, found.copy()):
            found.append(one)
            if options.log:
                with options.log.open("a") as log:
                    log.write(f"{json.dumps(asdict(one))}\n")
            lines = (f"{one.victim}: {one.kills} kills, {len(one.faults)} faults", *one.faults)
            print(*lines, sep="\n", file=sys.stderr, flush=True)
    show([asdict(one) for one in found], told(found), as_json=options.json)
    return 1 if any(one.faults or not one.kills for one in found) else 0


if __name__ == "__main__":
    sys.exit(run(main, scale="bench.machines.scale"))
