"""How does a robot behave in each situation of a robots.txt? Breadcrumb and Scrapy's own middleware.

    bench/robots situations [H01 H14 …] [--json | --markdown]

Both crawl the same sites on loopback, which play the rows of tests/conformance/http.jsonl and four of a hostile server.
tests/situations has the sites and the checks: of the server's log, and for Breadcrumb of its queue and journal too. A
robot is `right` if it does what the row advises. It is `permitted` if it does otherwise and no standard forbids it. It
is `not offered` if it lacks what no standard demands; else it is `wrong`. Exit code 0: Breadcrumb was right everywhere.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.harness.program import parser_of, show
from tests.situations.assessment import Assessment, assess
from tests.situations.catalogue import HOSTILE, SITUATIONS, catalogue_rows
from tests.situations.crawl import observe_breadcrumb
from tests.situations.scrapys_own import observe_scrapy
from tests.situations.situation import Grade, Situation

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = {"ours": "Breadcrumb", "theirs": "Scrapy's own"}
WIDTH = 44  # columns of a situation's words and of its result, on a terminal

Row = tuple[Situation, str, dict[str, Assessment]]  # with its words


def rows_of(chosen: Sequence[Situation]) -> list[Row]:
    """Let both crawl, and assess them."""
    with tempfile.TemporaryDirectory(prefix="bench-situations-") as folder:
        seen = {"ours": observe_breadcrumb(chosen, Path(folder)), "theirs": observe_scrapy(chosen)}
    known = catalogue_rows()
    rows: list[Row] = []
    for situation in chosen:
        words = known.get(situation.id, {})
        judged = {who: assess(situation, found[situation.id]) for who, found in seen.items()}
        rows.append((situation, situation.words or words["situation"], judged))
    return rows


def sums(rows: Sequence[Row]) -> list[str]:
    """Return a line for each robot: its number of assessments of each grade."""
    lines = []
    for who, name in NAMES.items():
        counts = Counter(judged[who].grade for *_, judged in rows)
        parts = (f"{counts[grade]} {grade.value}" for grade in Grade)
        lines.append(f"{name}: {counts[Grade.RIGHT]} of {len(rows)} ({', '.join(parts)})")
    return lines


def told(rows: Sequence[Row]) -> list[str]:
    """Return the rows for a terminal, with all faults of Breadcrumb."""
    lines = []
    for situation, words, judged in rows:
        cells = [text[:WIDTH].ljust(WIDTH) for text in (words, str(judged["ours"]), str(judged["theirs"]))]
        lines.append(f"{situation.id:11}{'  '.join(cells)}".rstrip())
        lines += (f"{'':11}{fault}" for fault in judged["ours"].faults)
    return [f"{'':11}{'situation':{WIDTH}}  {NAMES['ours']:{WIDTH}}  {NAMES['theirs']}", *lines, "", *sums(rows)]


def as_markdown(rows: Sequence[Row]) -> list[str]:
    """Return the rows for bench/README.md."""
    lines = [f"| row | situation | {NAMES['theirs']} |", "|---|---|---|"]
    for situation, words, judged in rows:
        cells = (situation.id, words, str(judged["theirs"]))
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("*", "\\*") for cell in cells) + " |")
    return [*lines, "", *sums(rows)]


def as_report(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the assessments of each situation by robot."""
    return {
        situation.id: {
            who: {"verdict": judgement.grade.value, "faults": [str(fault) for fault in judgement.faults]}
            for who, judgement in judged.items()
        }
        for situation, *_, judged in rows
    }


def main() -> int:
    """Play, and print."""
    parser = parser_of(__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help="situations; without any, all")
    parser.add_argument("--markdown", action="store_true", help="print the table of bench/README.md: the 40 alone")
    options = parser.parse_args()
    known = {situation.id: situation for situation in (*SITUATIONS, *(() if options.markdown else HOSTILE))}
    if unknown := set(options.ids) - known.keys():
        parser.error(f"{', '.join(sorted(unknown))}: there are {', '.join(known)}")
    rows = rows_of([known[name] for name in options.ids or known])
    show(as_report(rows), as_markdown(rows) if options.markdown else told(rows), as_json=options.json)
    return int(any(judged["ours"].grade is not Grade.RIGHT for *_, judged in rows))
