"""The common tools of the programs of bench/: a command line, turns, ratios of paired runs, reports.

A machine is never equally busy twice. So compared programs take turns, in another order each time. A ratio is taken
within one turn, and the median of these ratios counts. Times are CPU time unless stated otherwise: waiting for other
work on the machine does not count.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

EXACT, TENTH = 10, 0.1  # numbers below have three and six places
MIN_BYTES = 1000  # smaller HTML files are redirects and frames, not pages

T = TypeVar("T")


def parser_of(doc: str | None, **numbers: int) -> argparse.ArgumentParser:
    """Return the parser of a program whose docstring is its help; `numbers` are options, each with its default."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    for name, default in numbers.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(
            option, type=positive if default else int, default=default, metavar="N", help=f"default {default:,}"
        )
    return parser


def positive(text: str) -> int:
    """Parse a number of the command line: of pages, hosts, repeats."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def tell(*lines: object) -> None:
    """Print progress, as some measurements take minutes."""
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def show(report: object, options: argparse.Namespace) -> None:
    """Print a report: as JSON for a program, else as lines and tables for a person."""
    told = _plain(report)
    print(json.dumps(told, indent=2) if options.json else "\n".join(lines_of(told)))


def _plain(value: Any) -> Any:
    """Return records as mappings, and their keys as JSON has them."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def lines_of(report: Any) -> Iterator[str]:
    """Yield a report as lines: a value after its name, rows that are alike as a table, the rest indented."""
    if isinstance(report, dict) and all(map(_is_row, report.values())):
        report = [{"": name} | row for name, row in report.items()]
    if isinstance(report, list):
        yield from table(report) if all(map(_is_row, report)) else map(cell, report)
        return
    for name, value in report.items():
        label = name.replace("_", " ")
        if not value or not isinstance(value, (dict, list)) or _are_numbers(value):
            yield f"{label}: {cell(value)}"
        else:
            yield f"{label}:"
            yield from (f"  {line}" for line in lines_of(value))


def _is_row(value: object) -> bool:
    return isinstance(value, dict) and not any(
        isinstance(each, dict) or (isinstance(each, list) and any(map(_is_row, each))) for each in value.values()
    )


def _are_numbers(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, (int, float)) for each in value)


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return rows as lines under their names: words left-aligned, numbers right-aligned."""
    heads = list(dict.fromkeys(name for row in rows for name in row))
    columns = []
    for head in heads:
        values = [row.get(head) for row in rows]
        cells = [head.replace("_", " "), *map(cell, values)]
        side = "<" if all(isinstance(value, str) for value in values) else ">"
        columns.append([f"{each:{side}{max(map(len, cells))}}" for each in cells])
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def cell(value: Any) -> str:
    """Return a value as a person reads it."""
    if isinstance(value, list):
        return "; ".join(map(cell, value)) or "none"
    if isinstance(value, float):
        return f"{value:,.{1 if abs(value) >= EXACT else 3 if abs(value) >= TENTH or not value else 6}f}"
    return f"{value:,}" if type(value) is int else "-" if value is None else str(value)


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


def size_of(folder: Path, pattern: str = "*") -> int:
    """Return the bytes of the files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob(pattern) if path.is_file())


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
