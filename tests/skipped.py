"""Which tests did a run leave out? Those that are slow, or need an extra; `--skipped-before` runs them alone.

Each run writes the tests that it skipped into pytest's cache. `./breadcrumb test --skipped-before --extras` adds the
extras and runs them. `./breadcrumb test` is for waiting: it also skips (`--quick`) what takes more than half of the
time, the tests marked `slow` and those of the programs in bench/. A path runs all of its tests. `.ci/run` has twelve
minutes, and lets the files with slow tests take turns: `--turn K/N` runs those of every Nth file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEY = "breadcrumb/skipped"
BENCH_OF_AN_EXTENSION = "test_bench.py"
SLOW = "slow: ./breadcrumb test --skipped-before runs it, or its path, as ./breadcrumb test tests/bench"


def add_option(parser: pytest.Parser) -> None:
    parser.addoption("--skipped-before", action="store_true", help="run only the tests that the last run skipped")
    parser.addoption(
        "--turn",
        type=numbers,
        metavar="K/N",
        help="of the slow tests, run only those of every Nth file; K, from 0, says which",
    )
    parser.addoption("--extras", action="store_true", help="add all extras first; ./breadcrumb does it")
    parser.addoption("--quick", action="store_true", help="skip the slow tests, and those of the programs in bench/")


def numbers(text: str) -> tuple[int, int]:
    """Read K/N; of anything else, pytest says that it is invalid."""
    turn, turns = map(int, text.split("/"))
    if turns < 1:
        raise ValueError(text)
    return turn, turns


class SkippedTests:
    """A plugin: records the tests that this run skips; with --skipped-before, runs only those of the last run."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.cache = getattr(config, "cache", None)  # absent with -p no:cacheprovider
        self.records = self.cache is not None and not config.option.collectonly
        self.skipped: set[str] = set()
        self.before: set[str] | None = None
        if self.cache is not None and config.option.skipped_before:
            self.before = set(self.cache.get(KEY, []))
        self.files = {test.partition("::")[0] for test in self.before or ()}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Don't read a file of which no test was skipped: its imports and its tests take longer than one that was."""
        if self.before is None or not collection_path.name.startswith("test_"):
            return None
        return collection_path.relative_to(self.config.rootpath).as_posix() not in self.files or None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.config.option.quick:
            for item in filter(is_slow, items):
                item.add_marker(pytest.mark.skip(reason=SLOW))
        if (before := self.before) is not None:
            keep_those(items, lambda item: item.nodeid in before)
        if self.config.option.turn:
            turn, turns = self.config.option.turn
            keep_those(items, lambda item: not is_slow(item) or turn_of(item, turns) == turn % turns)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self.skipped.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        if self.cache is not None and self.records:
            self.cache.set(KEY, sorted(self.skipped))


def keep_those(items: list[pytest.Item], wanted: Callable[[pytest.Item], bool]) -> None:
    """Deselect the other tests."""
    others = [item for item in items if not wanted(item)]
    if others:
        others[0].config.hook.pytest_deselected(items=others)
        items[:] = filter(wanted, items)


def turn_of(item: pytest.Item, turns: int) -> int:
    """Return the turn of a test's file, which no other file changes."""
    return crc32(item.nodeid.partition("::")[0].encode()) % turns


def is_slow(item: pytest.Item) -> bool:
    measures = item.nodeid.startswith("tests/bench/") or item.path.name == BENCH_OF_AN_EXTENSION
    return measures or item.get_closest_marker("slow") is not None
