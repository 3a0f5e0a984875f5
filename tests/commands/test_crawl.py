"""With which exit code does a crawl end?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from commands.crawl import exit_code
from commands.frame.exits import DONE, INTERRUPTED, NO
from crawldb.tables.runs import BY_ITSELF

if TYPE_CHECKING:
    from reports.numbers import Report


def numbers(ending: str | None = BY_ITSELF, *, stored: int = 3, **outcomes: int) -> Report:
    last: dict[str, Any] = {"ending": ending, "outcomes": {name.replace("_", "-"): n for name, n in outcomes.items()}}
    return cast("Report", {"last_run": last, "pages": {"stored": stored}})


@pytest.mark.parametrize(
    ("told", "waits", "indexed", "hurried", "code"),
    [
        pytest.param(numbers(fetched=3), False, True, False, DONE, id="all fetched"),
        pytest.param(numbers(fetched=1), True, True, False, DONE, id="some of it waits"),
        pytest.param(numbers(not_modified=2), True, True, False, DONE, id="nothing is new, and some of it waits"),
        pytest.param(numbers(), False, True, False, DONE, id="nothing was due"),
        pytest.param(numbers(), True, True, False, NO, id="all of it waits"),
        pytest.param(numbers(stored=0), False, True, False, NO, id="no page at all"),
        pytest.param(numbers(refused_connection=1), False, True, False, NO, id="its only site is down"),
        pytest.param(numbers(fetched=1, timeout=9), False, True, False, DONE, id="some of it is down"),
        pytest.param(numbers(fetched=3, fault=1), False, True, False, NO, id="a fault of ours"),
        pytest.param(numbers(fetched=3), False, False, False, NO, id="the index is not complete"),
        pytest.param(numbers("interrupted", fetched=3), False, True, False, INTERRUPTED, id="ended by a signal"),
        pytest.param(numbers(None), False, True, False, INTERRUPTED, id="no end was written down"),
        pytest.param(numbers(fetched=3), False, False, True, INTERRUPTED, id="the index was told to end"),
    ],
)
def test_the_exit_code_says_how_it_ended(told: Report, *, waits: bool, indexed: bool, hurried: bool, code: int) -> None:
    assert exit_code(told, idle=False, waits=waits, indexed=indexed, hurried=hurried) == code
