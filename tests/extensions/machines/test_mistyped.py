"""The message about a mistyped word of `farm` and `cluster` says what was given and what would work."""

from __future__ import annotations

import pytest

from tests.commands.frame.test_mistyped import check_mistyped


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("cluster --mode foo", "--mode foo: choose all, due or discover.", id="none of the choices"),
        pytest.param("cluster --job", "--job: no value: give --job VALUE.", id="no value"),
        pytest.param("cluster --parts 1.5", "--parts 1.5: give a whole number.", id="no whole number"),
        pytest.param("cluster --stage 1m", "--stage 1m: give a number.", id="no number"),
        pytest.param("cluster --stor s3://b", "--stor: unknown option; did you mean --store?", id="misspelt"),
        pytest.param("cluster -z", "Put -- before a value that starts with a dash.", id="a word taken for an option"),
        pytest.param("farm a b", ": b: too many arguments. Quote an argument with spaces.", id="too many words"),
    ],
)
def test_a_mistyped_word_is_told_with_what_would_work(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_mistyped(line, said, capsys)
