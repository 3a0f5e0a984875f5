"""A mistyped collection of `search` or subject of `report` is told with those that there are, robots among them."""

from __future__ import annotations

import pytest

from tests.commands.frame.test_mistyped import check_mistyped


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("search --in foo x", "--in foo: choose pages or robots.", id="collection"),
        pytest.param("report foo", ": foo: choose traps, links or robots.", id="subject"),
    ],
)
def test_what_there_is_to_choose_is_told(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_mistyped(line, said, capsys)
