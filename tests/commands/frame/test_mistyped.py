"""The message about a mistyped word says what was given and what would work: by real command lines."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import MODULES
from commands.frame.command import explain_mistake, parse_words
from commands.frame.exits import MISUSED

WORDS = (
    "unrecognized arguments: ",
    "argument -a/--b: ",
    "invalid choice: ",
    "'x'",
    " (choose from ",
    ")",
    "invalid int value: ",
)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("robots --dialect foo x", "--dialect foo: choose ", id="none of the choices"),
        pytest.param("why --query", "--query: no value: give --query VALUE.", id="no value"),
        pytest.param("report foo", ": foo: choose traps", id="a word, not an option"),
        pytest.param("demo --port 1.5", "--port 1.5: give a whole number.", id="no whole number"),
        pytest.param("demo --prot 1", "--prot 1: unknown option; did you mean --port?", id="misspelt"),
        pytest.param("demo -z", "Put -- before a value that starts with a dash.", id="a word taken for an option"),
        pytest.param("demo b", ": b: too many arguments. Quote an argument with spaces.", id="too many words"),
        pytest.param("index --follow --until-closed", "--until-closed and --follow can't be combined", id="two"),
        pytest.param("why", ": URL is missing.", id="no word"),
    ],
)
def test_a_mistyped_word_is_told_with_what_would_work(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_mistyped(line, said, capsys)


def check_mistyped(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Check what is said of a command line that can't be read."""
    name, *words = line.split()
    with pytest.raises(SystemExit) as ended:
        parse_words(import_module(MODULES[name]).COMMAND, words)
    told = capsys.readouterr().err
    assert ended.value.code == MISUSED
    assert told.startswith(f"breadcrumb {name}: ")
    assert told.endswith(f" breadcrumb {name} --help shows an example.\n")
    assert said in told


def test_pythons_of_all_ages_mean_the_same() -> None:
    for choices in ("'all', 'due'", "all, due"):
        told = explain_mistake(f"argument --mode: invalid choice: 'a b' (choose from {choices})", "")
        assert told == "--mode a b: choose all or due."


@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text()), max_size=4).map("".join), st.text())
def test_whatever_argparse_says_something_is_told(message: str, usage: str) -> None:
    assert explain_mistake(message, usage).endswith((".", "?"))
