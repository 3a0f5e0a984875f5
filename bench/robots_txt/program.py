#!/usr/bin/env python3
"""What does reading robots.txt cost, beside Protego and the standard library, and do the verdicts agree?

    bench/robots FILES.jsonl.gz [--json] [--repeats 5] [--show 10]
    bench/robots --largest [--json] [--repeats 5]
    bench/robots --fuzz 1000000 [--growths 500] [--seed 1]

FILES holds one JSON object a line with `id` and `body_base64`, the octets of a robots.txt. The paths asked about are
made from the files' own rules. The engines take turns inside each repeat, so that a busy machine slows them alike; of
the ratios between them, the median counts. Times are CPU seconds. With FILES the largest files are measured too.
Exit code 0: as it should be; 1: more than one verdict in 10,000 differs from Protego's and no rule explains it, or an
input failed or took more than its share of time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import bench.environment  # noqa: F401 - begins anew with the project's own Python
from bench.robots_txt import fuzz
from bench.robots_txt.differences import RIVAL, RULES, verdict_differences
from bench.robots_txt.engines import OURS, read_cases, take_turns
from bench.robots_txt.largest_files import CROWD, SHAPES, cost_of_a_crowd, milliseconds_of_stars, time_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_UNEXPLAINED = 0.0001  # of all verdicts
A_WHILE = 20.0  # seconds between two lines that tell how far it has got


def of_files(path: Path, repeats: int, show: int) -> dict[str, Any]:
    """Measure the engines on real files, and compare the verdicts."""
    cases = list(read_cases(path))
    engines, verdicts = take_turns(cases, repeats)
    apart = list(verdict_differences(cases, verdicts[OURS], verdicts[RIVAL]))
    reasons = Counter(difference.explained_by for difference in apart)
    asked = len(verdicts[OURS])
    return {
        "files": len(cases),
        "octets": sum(len(case.body) for case in cases),
        "verdicts": asked,
        "repeats": repeats,
        "engines": engines,
        "apart": len(apart),
        "explained": {rule.name: reasons[rule.name] for rule in RULES},
        "unexplained": reasons[None],
        "unexplained_share": reasons[None] / asked if asked else 0.0,
        "examples": [asdict(row) for row in sorted(apart, key=lambda row: row.explained_by is not None)[:show]],
    }


def of_largest(repeats: int) -> dict[str, Any]:
    """Measure the largest files."""
    milliseconds, mebibytes = cost_of_a_crowd()
    return {
        "largest": [asdict(time_shape(shape, repeats)) for shape in SHAPES],
        "thousand_stars_ms": milliseconds_of_stars(),
        "crowd": {"parse_ms": milliseconds, "peak_mib": mebibytes},
    }


def told(report: dict[str, Any]) -> Iterator[str]:
    """Lay a report out for a person."""
    if "engines" in report:
        yield from told_of_files(report)
    if "largest" in report:
        yield ""
        yield f"{'500 KiB of rules':28}{'rules':>7}{'parse ms':>10}{'first ms':>10}{'again ms':>10}"
        for row in report["largest"]:
            yield f"{row['name']:28}{row['rules']:7}{row['parse']:10.1f}{row['first']:10.1f}{row['again']:10.3f}"
        yield f"a thousand stars against two thousand octets: {report['thousand_stars_ms']:.2f} ms"
        crowd_read = "{parse_ms:.0f} ms, {peak_mib:.0f} MiB".format(**report["crowd"])
        yield f"{CROWD:,} robots x {CROWD:,} rules: {crowd_read}"


def told_of_files(report: dict[str, Any]) -> Iterator[str]:
    """Lay the times and the differences out."""
    yield ", ".join(f"{report[count]} {count}" for count in ("files", "octets", "verdicts", "repeats"))
    phases = ("parse", "first", "again")
    yield f"{'':12}" + "".join(f"{phase + ' s':>10}{'x ours':>8}" for phase in phases)
    for name, row in report["engines"].items():
        cells = ((row[f"{phase}_s"], row[f"{phase}_ratio"]) for phase in phases)
        yield f"{name:12}" + "".join(
            f"{'-':>18}" if seconds is None else f"{seconds:10.3f}{ratio:8.2f}" for seconds, ratio in cells
        )
    agree = 1 - report["apart"] / report["verdicts"]
    yield f"{report['apart']} of {report['verdicts']} verdicts differ from Protego's ({agree:.3%} agree):"
    for rule in RULES:
        yield f"  {report['explained'][rule.name]:4} by {rule.name!r}: {rule.ours} ({rule.source})"
    yield f"  {report['unexplained']:4} unexplained ({report['unexplained_share']:.4%}, at most {MAX_UNEXPLAINED:.2%})"
    for row in report["examples"]:
        word = "we allow" if row["ours"] else "we refuse"
        yield f"  {row['file']} {row['agent']} {word} {row['url']} ({row['explained_by']})"


def run_fuzz(count: int, growths: int, seed: int) -> bool:
    """Try inputs and print what became of it; say whether all went well."""
    said = time.monotonic()
    for done in fuzz.try_inputs(count, seed):
        if time.monotonic() - said > A_WHILE:
            said = time.monotonic()
            print(f"{done:,} inputs", file=sys.stderr)
    print(f"{count:,} inputs by chance from seed {seed}: no exception, and each question answered twice alike")
    found = sorted(fuzz.growths(growths, seed), key=lambda growth: growth.ratio)
    if found:
        middle, worst = found[len(found) // 2], found[-1]
        print(
            f"{len(found)} inputs doubled: {middle.ratio:.2f} times the time in the middle, {worst.ratio:.2f} at most"
        )
        print(f"  {worst.what} of {worst.piece!r}")
    return not found or found[-1].ratio < fuzz.SUSPECT


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="?", metavar="FILES.jsonl.gz")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeats", type=int, default=5, metavar="N")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="differences to list, the unexplained first")
    parser.add_argument("--largest", action="store_true", help="measure the largest files alone")
    parser.add_argument("--fuzz", type=int, metavar="N", help="try so many inputs by chance")
    parser.add_argument("--growths", type=int, default=500, metavar="N", help="with --fuzz: inputs to double")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args()
    if options.fuzz is not None:
        return 0 if run_fuzz(options.fuzz, options.growths, options.seed) else 1
    if not options.files and not options.largest:
        parser.error("name a collection of robots.txt files, or give --largest or --fuzz N")
    report = of_files(options.files, options.repeats, options.show) if options.files else {}
    report |= of_largest(options.repeats)
    print(json.dumps(report, indent=2) if options.json else "\n".join(told(report)))
    return 0 if report.get("unexplained_share", 0.0) <= MAX_UNEXPLAINED else 1


if __name__ == "__main__":
    sys.exit(main())
