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

from collections import Counter
from pathlib import Path
from typing import Any

from bench.harness.program import parser_of, show
from bench.robots_txt.differences import RIVAL, RULES, verdict_differences
from bench.robots_txt.engines import OURS, read_cases, take_turns
from bench.robots_txt.largest_files import CROWD, cost_of_a_crowd, milliseconds_of_stars, time_shape
from tests.robots.largest_files import SHAPES

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
        "rules": [{"rule": rule.name, "ours": rule.ours, "source": rule.source} for rule in RULES],
        "unexplained": reasons[None],
        "unexplained_share": reasons[None] / asked if asked else 0.0,
        "examples": sorted(apart, key=lambda row: row.explained_by is not None)[:show],
    }


def of_largest(repeats: int) -> dict[str, Any]:
    """Measure the largest files."""
    milliseconds, mebibytes = cost_of_a_crowd()
    return {
        "largest": [time_shape(shape, repeats) for shape in SHAPES],
        "thousand_stars_ms": milliseconds_of_stars(),
        "crowd": {"robots": CROWD, "rules": CROWD, "parse_ms": milliseconds, "peak_mib": mebibytes},
    }


def main() -> int:
    """Measure and print."""
    parser = parser_of(__doc__, repeats=5)
    parser.add_argument("files", type=Path, nargs="?", metavar="FILES.jsonl.gz")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="differences to list, the unexplained first")
    parser.add_argument("--largest", action="store_true", help="measure the largest files alone")
    options = parser.parse_args()
    if not options.files and not options.largest:
        parser.error("name a collection of robots.txt files, or give --largest")
    report = of_files(options.files, options.repeats, options.show) if options.files else {}
    report |= of_largest(options.repeats)
    show(report, options)
    return 0 if report.get("unexplained_share", 0.0) <= MAX_UNEXPLAINED else 1
