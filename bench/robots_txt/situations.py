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
    from collections.abc import Mapping, Sequence

NAMES = {"ours": "Breadcrumb", "theirs": "Scrapy's own"}
Found = dict[str, dict[str, Assessment]]  # by situation and robot


def assessed(chosen: Sequence[Situation]) -> Found:
    """Let both crawl, and assess them."""
    with tempfile.TemporaryDirectory(prefix="bench-situations-") as folder:
        seen = {"ours": observe_breadcrumb(chosen, Path(folder)), "theirs": observe_scrapy(chosen)}
    return {one.id: {who: assess(one, found[one.id]) for who, found in seen.items()} for one in chosen}


def sums(found: Found) -> dict[str, dict[str, Any]]:
    """Return for each robot its number of assessments of each grade."""
    grades = {who: Counter(both[who].grade for both in found.values()) for who in NAMES}
    return {NAMES[who]: {grade.value: counts[grade] for grade in Grade} for who, counts in grades.items()}


def as_markdown(found: Found, words: Mapping[str, str]) -> list[str]:
    """Return the rows for bench/README.md."""
    rows = ((id_, words[id_], str(both["theirs"])) for id_, both in found.items())
    cells = (" | ".join(row).replace("*", "\\*") for row in rows)
    return [f"| row | situation | {NAMES['theirs']} |", "|---|---|---|", *(f"| {each} |" for each in cells)]


def main() -> int:
    """Play, and print."""
    parser = parser_of(__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help="situations; without any, all")
    parser.add_argument("--markdown", action="store_true", help="print the table of bench/README.md: the 40 alone")
    options = parser.parse_args()
    known = {situation.id: situation for situation in (*SITUATIONS, *(() if options.markdown else HOSTILE))}
    if unknown := set(options.ids) - known.keys():
        parser.error(f"{', '.join(sorted(unknown))}: there are {', '.join(known)}")
    chosen = [known[name] for name in options.ids or known]
    rows = catalogue_rows()
    words = {one.id: one.words or rows[one.id]["situation"] for one in chosen}
    found = assessed(chosen)
    if options.markdown:
        print(*as_markdown(found, words), sep="\n")
    else:
        situations = {
            id_: {"situation": words[id_]} | {who: str(one) for who, one in both.items()} for id_, both in found.items()
        }
        faults = [f"{id_}: {fault}" for id_, both in found.items() for fault in both["ours"].faults]
        show({"situations": situations, "robots": sums(found), "faults": faults}, options)
    return int(any(both["ours"].grade is not Grade.RIGHT for both in found.values()))
