"""Which tests does an extra change? Those that were skipped without it: `--skipped-before` runs them alone.

Each run writes the tests that it skipped into pytest's cache. Add an extra, then run
`./breadcrumb test --skipped-before`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

KEY = "breadcrumb/skipped"


def add_option(parser: pytest.Parser) -> None:
    parser.addoption("--skipped-before", action="store_true", help="run only the tests that the last run skipped")


class SkippedTests:
    """A plugin: selects the tests that the last run skipped, if asked to, and records those that this run skips."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.cache = getattr(config, "cache", None)  # absent with -p no:cacheprovider
        self.records = self.cache is not None and not hasattr(config, "workerinput") and not config.option.collectonly
        self.skipped: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.cache is not None and self.config.option.skipped_before:
            before = set(self.cache.get(KEY, []))
            self.config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in before])
            items[:] = [item for item in items if item.nodeid in before]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self.skipped.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        if self.cache is not None and self.records:
            self.cache.set(KEY, sorted(self.skipped))
