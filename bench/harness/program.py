"""The common tools of the programs of bench/: a command line, turns, ratios of paired runs, tables.

A machine is never equally busy twice. So compared programs take turns, in another order each time. A ratio is taken
within one turn, and the median of these ratios counts. Times are CPU time unless stated otherwise: waiting for other
work on the machine does not count.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

MIN_BYTES = 1000  # smaller HTML files are redirects and frames, not pages

T = TypeVar("T")


def parser_of(doc: str | None, *, as_json: bool = True) -> argparse.ArgumentParser:
    """Return the parser of a program whose docstring is its help; most print one JSON object with `--json`."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if as_json:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run(main: Callable[[], int | None], **others: str) -> int:
    """Run a program, or the module that `others` has for its first word. Return the exit code."""
    if sys.argv[1:] and sys.argv[1] in others:
        word = sys.argv.pop(1)
        sys.argv[0] = f"{sys.argv[0]} {word}"  # as the usage line shows it
        main = importlib.import_module(others[word]).main
    return int(main() or 0)


def positive(text: str) -> int:
    """Parse a number of the command line: of pages, hosts, repeats."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def show(report: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Print a report: as JSON for a program, else as lines for a person."""
    print(json.dumps(report, indent=2) if as_json else "\n".join(lines))


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], forms: Mapping[str, str] | None = None) -> list[str]:
    """Return rows as lines under their heads: the first column left-aligned, all others right-aligned.

    `forms` has the format of a column's numbers; None is shown as a dash.
    """
    forms = forms or {}
    cells = [
        [*heads],
        *([_cell(value, forms.get(head, "")) for head, value in zip(heads, row, strict=True)] for row in rows),
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    lines = ("  ".join(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)) for row in cells)
    return [f"{row[0]:{widths[0]}}  {line}".rstrip() for row, line in zip(cells, lines, strict=True)]


def _cell(value: object, form: str) -> str:
    return "-" if value is None else value if isinstance(value, str) else format(value, form)


def in_turns(names: Iterable[str], repeats: int, run: Callable[[str], T]) -> Iterator[tuple[int, str, T]]:
    """Run all names once in each repeat, in another order each time; yield the repeat, the name and the result."""
    order = list(names)
    for repeat in range(repeats):
        for name in order:
            yield repeat, name, run(name)
        order.append(order.pop(0))


def paired_ratio(ours: Sequence[T], theirs: Sequence[T], of: Callable[[T], float]) -> dict[str, float]:
    """Return median, least and greatest of the ratios ours / theirs, turn by turn."""
    ratios = [of(own) / of(other) for own, other in zip(ours, theirs, strict=True)]
    return {"median": median(ratios), "least": min(ratios), "greatest": max(ratios)}


def cpu_ms(call: Callable[..., object], *arguments: Any) -> float:
    """Return the milliseconds of CPU that a call takes."""
    start = time.process_time()
    call(*arguments)
    return (time.process_time() - start) * 1_000


def p50_p95(times: Iterable[float]) -> dict[str, float]:
    """Return the median and the 95th percentile of at least one time."""
    ordered = sorted(times)
    return {"p50": round(median(ordered), 2), "p95": round(ordered[int(len(ordered) * 0.95)], 2)}


def html_files(folder: Path) -> list[Path]:
    """Return the HTML files below a folder that are pages, sorted."""
    return sorted(path for path in folder.rglob("*.htm*") if path.is_file() and path.stat().st_size >= MIN_BYTES)
