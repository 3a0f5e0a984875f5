#!/usr/bin/env python3
"""How does reading robots.txt compare with Protego and the standard library in cost, and do the verdicts agree?

    bench/robots FILES.jsonl.gz [--json] [--repeats 5] [--show 10]
    bench/robots --largest [--json] [--repeats 5]
    bench/robots situations [H01 H14 …]      what a robot does where a robots.txt is: bench/robots_txt/situations.py

FILES holds one JSON object a line with `id` and `body_base64`, the octets of a robots.txt. The paths to decide are made
from the files' own rules. The engines take turns inside each repeat, so a busy machine slows them alike; the median of
the ratios between them counts. Times are CPU seconds. With FILES the largest files are measured too. Exit code 0: as it
should be; 1: more than one verdict in 10,000 differs from Protego's and no rule explains it.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import bench.environment  # noqa: F401 - starts again with the project's own Python
from bench.harness.program import parser_of, positive, run, show, table
from bench.robots_txt.differences import RIVAL, RULES, verdict_differences
from bench.robots_txt.engines import OURS, read_cases, take_turns
from bench.robots_txt.largest_files import CROWD, cost_of_a_crowd, milliseconds_of_stars, time_shape
from tests.robots.largest_files import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_UNEXPLAINED = 0.0001  # of all verdicts


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
    """Return the report for a person as lines."""
    if "engines" in report:
        yield from told_of_files(report)
    heads = ("500 KiB of rules", "rules", "parse ms", "first ms", "again ms")
    rows = ((row["name"], row["rules"], row["parse"], row["first"], row["again"]) for row in report["largest"])
    yield from table(heads, rows, {"parse ms": ".1f", "first ms": ".1f", "again ms": ".3f"})
    yield f"a thousand stars against two thousand octets: {report['thousand_stars_ms']:.2f} ms"
    crowd_read = "{parse_ms:.0f} ms, {peak_mib:.0f} MiB".format(**report["crowd"])
    yield f"{CROWD:,} robots x {CROWD:,} rules: {crowd_read}"


def told_of_files(report: dict[str, Any]) -> Iterator[str]:
    """Return the times and the differences as lines."""
    yield ", ".join(f"{report[count]} {count}" for count in ("files", "octets", "verdicts", "repeats"))
    columns = [f"{phase}_{what}" for phase in ("parse", "first", "again") for what in ("s", "ratio")]
    rows = ((name, *(row[column] for column in columns)) for name, row in report["engines"].items())
    yield from table(("CPU s, x ours", *columns), rows, dict.fromkeys(columns, ".3f"))
    agree = 1 - report["apart"] / report["verdicts"]
    yield f"{report['apart']} of {report['verdicts']} verdicts differ from Protego's ({agree:.3%} agree):"
    for rule in RULES:
        yield f"  {report['explained'][rule.name]:4} by {rule.name!r}: {rule.ours} ({rule.source})"
    yield f"  {report['unexplained']:4} unexplained ({report['unexplained_share']:.4%}, at most {MAX_UNEXPLAINED:.2%})"
    for row in report["examples"]:
        word = "we allow" if row["ours"] else "we refuse"
        yield f"  {row['file']} {row['agent']} {word} {row['url']} ({row['explained_by']})"


def main() -> int:
    """Measure and print."""
    parser = parser_of(__doc__)
    parser.add_argument("files", type=Path, nargs="?", metavar="FILES.jsonl.gz")
    parser.add_argument("--repeats", type=positive, default=5, metavar="N")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="differences to list, the unexplained first")
    parser.add_argument("--largest", action="store_true", help="measure the largest files alone")
    options = parser.parse_args()
    if not options.files and not options.largest:
        parser.error("name a collection of robots.txt files, or give --largest")
    report = of_files(options.files, options.repeats, options.show) if options.files else {}
    report |= of_largest(options.repeats)
    show(report, told(report), as_json=options.json)
    return 0 if report.get("unexplained_share", 0.0) <= MAX_UNEXPLAINED else 1


if __name__ == "__main__":
    sys.exit(run(main, situations="bench.robots_txt.situations"))
