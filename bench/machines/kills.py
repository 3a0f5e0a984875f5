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

from bench.harness.program import parser_of, show, tell
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


def sums(found: Sequence[TrialResult]) -> list[dict[str, object]]:
    """Return the sums of the crawls in which the same was killed."""
    kinds = {one.victim: [each for each in found if each.victim == one.victim] for one in found}
    return [
        {"killed": victim}
        | {what: sum(getattr(one, what) for one in alike) for what in ("kills", "again", "pages", "requests")}
        | {"crawls": len(alike), "late s": max(one.late for one in alike)}
        | {"faults": sum(len(one.faults) for one in alike)}
        for victim, alike in kinds.items()
    ]


def measured(seconds: int, *, spark: bool) -> list[WayCost]:
    """Measure one way after the other, and report each when it is done."""
    costs = []
    for one in chain(overhead(seconds, spark=spark), scaling(seconds) if spark else ()):
        costs.append(one)
        tell(one.fault or f"{one.way}: {one.seconds:.1f} s")
    return costs


def main() -> int:
    """Kill or measure, and print."""
    kinds: list[Victim | Ailment] = [*Victim, *Ailment]
    names = [kind.name.lower() for kind in kinds]
    parser = parser_of(__doc__, kills=100, pages=20, seconds=150, seed=1)
    parser.add_argument("--victim", action="append", choices=names, help="a kind; all of them without it")
    parser.add_argument("--spark", action="store_true", help="on a Spark cluster of real processes")
    parser.add_argument("--log", type=Path, metavar="FILE", help="of crawls that were judged, a line of JSON each")
    parser.add_argument("--costs", action="store_true", help="measure instead of killing")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # a Spark cluster then ends with this
    if options.spark and missing():
        raise SystemExit(f"cluster: {missing()}")
    victims = [kind for kind in kinds if kind.name.lower() in (options.victim or names)]
    if not options.spark:
        victims = [victim for victim in victims if not victim.needs_spark]
    for lacking in [victim for victim in victims if isinstance(victim, Ailment) and victim.lacks]:
        victims.remove(lacking)
        tell(f"cluster: {lacking.name.lower()} is left out: {lacking.lacks}")
    if not victims:
        raise SystemExit("cluster: executors and workers are Spark's: add --spark")
    if options.costs:
        costs = measured(options.seconds, spark=options.spark)
        aims = [{"way": said, "met": is_well} for said, is_well in verdicts(costs)]
        show({"costs": costs, "aims": aims}, options)
        return 0 if all(aim["met"] for aim in aims) and not any(one.fault for one in costs) else 1
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
            tell(f"{one.victim}: {one.kills} kills, {len(one.faults)} faults", *one.faults)
    show({"killed": sums(found), "faults": [fault for one in found for fault in one.faults]}, options)
    return 1 if any(one.faults or not one.kills for one in found) else 0
