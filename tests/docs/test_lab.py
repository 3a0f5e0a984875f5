"""Does the runner of labs type what a reader would type, and see what a reader would see?"""

from __future__ import annotations

import re
from shutil import which
from typing import TYPE_CHECKING

import pytest

from tests.docs.lab import ROOT, differences, matches, run_once, steps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.forks import ForkServer

LAB = """# A lab

Some prose, `$ not a command`.

```console
$ mkdir kept && cd kept
$ basename "$PWD"
kept
$ printf '%s\\n' one two \\
>   three
one
...
three
```

```python
$ not = "a console"
```

```console
$ basename "$PWD"; crumb=42
kept
$ echo "at 12:34 it took $crumb ms" >&2
at ... it took 42 ms
$ cat
$ false
```
"""


def test_commands_are_those_of_console_blocks_with_their_lines() -> None:
    found = steps(LAB)
    assert [(step.line, step.command) for step in found][:3] == [
        (6, "mkdir kept && cd kept"),
        (7, 'basename "$PWD"'),
        (9, "printf '%s\\n' one two \\\n  three"),
    ]
    assert found[2].expected == "one\n...\nthree\n"


def test_a_lab_that_is_right_has_no_differences(tmp_path: Path) -> None:
    assert differences(LAB, tmp_path) == []


def test_a_wrong_answer_is_told_with_its_line_and_the_rest_goes_on(tmp_path: Path) -> None:
    lab = "```console\n$ echo yes\nno\n$ echo also\nalso\n$ nowhere\n```\n"
    first, second = differences(lab, tmp_path)
    assert first == "line 2: $ echo yes\nthe lab says:\nno\nit printed:\nyes\n\n"
    assert "line 6: $ nowhere" in second
    assert "command not found" in second


def test_what_a_lab_leaves_running_ends_with_it(tmp_path: Path) -> None:
    lab = "```console\n$ sleep 600 &\n$ echo on\non\n```\n"
    assert differences(lab, tmp_path) == [], "it returns once nobody holds the shell's output: long before 600 s"


def test_a_bare_sign_goes_on_with_an_empty_line(tmp_path: Path) -> None:
    lab = "```console\n$ cat > kept <<'END'\n> one\n>\n> two\n> END\n$ cat kept\none\n\ntwo\n```\n"
    assert differences(lab, tmp_path) == []


@pytest.mark.parametrize("unclosed", ["cat <<END\n> one", "echo 'one", "(echo one"])
def test_a_command_that_is_not_closed_ends_with_its_step(unclosed: str, tmp_path: Path) -> None:
    assert differences(f"```console\n$ {unclosed}\n...\n$ echo on\non\n```\n", tmp_path) == []


def test_breadcrumb_is_on_the_path(tmp_path: Path) -> None:
    lab = (
        "```console\n$ breadcrumb --version\nBreadcrumb 0...\n$ breadcrumb nonsense\n...no command 'nonsense'...\n```\n"
    )
    assert differences(lab, tmp_path) == []


def test_output_before_any_command_is_an_error_in_the_lab() -> None:
    with pytest.raises(ValueError, match="line 2: 'out' stands before any command"):
        steps("```console\nout\n```\n")


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        pytest.param("a\n...\nz\n", "a\nz\n", True, id="a line of dots may be no line"),
        pytest.param("a\n...\nz\n", "a\nb\n\nc\nz\n", True, id="or many"),
        pytest.param("a ... z\n", "a b\nc z\n", False, id="dots within a line stay on it"),
        pytest.param("took ... s\n", "took 1.5 s\n", True, id="dots within a line"),
        pytest.param("a.c\n", "abc\n", False, id="a full stop is a full stop"),
        pytest.param("a\n", "a  \n\n", True, id="blanks at the ends do not count"),
        pytest.param("a\n", "b\na\n", False, id="nothing comes unannounced"),
        pytest.param("", "a\n", False, id="a command of which nothing is said prints nothing"),
    ],
)
def test_dots_stand_for_any_text(expected: str, printed: str, *, same: bool) -> None:
    assert matches(expected, printed) is same


LABS = sorted((ROOT / "docs" / "labs").glob("[0-9]*.md"))


def test_there_is_a_lab_to_run() -> None:
    assert LABS


STRICTER = "zsh" if which("zsh") else "bash"  # zsh, the shell of macOS, refuses more of what a line may say
SHELLS = [
    pytest.param(shell, marks=[] if shell == STRICTER else pytest.mark.long)
    for shell in ("bash", "zsh")
    if which(shell) is not None
]


@pytest.mark.slow
@pytest.mark.timeout(600)  # a lab crawls, and on a fresh machine it sets the environment up first
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("lab", LABS, ids=lambda path: path.stem)
def test_a_lab_prints_what_it_says(
    lab: Path,
    shell: str,
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
    ports: Iterator[int],
    forks: ForkServer,
) -> None:
    folder = run_once(tmp_path_factory, worker_id, lab, shell, ports, forks)
    assert not (folder / "differences").read_text()


@pytest.mark.parametrize("lab", LABS, ids=lambda path: path.stem)
def test_a_lab_has_all_its_parts_and_changes_a_line_that_is_there(lab: Path) -> None:
    text = lab.read_text()
    parts = re.findall("^## (.*)$", text, re.MULTILINE)
    assert parts[-4:] == ["Change one line", "Hand in", "Answers", "What you have seen"]
    change = text.partition("## Change one line")[2].partition("\n## ")[0]
    source, line = re.findall("`([^`]+)`", change)[:2]
    source, line = (source, line) if source.endswith(".py") else (re.findall("`([^`]+[.]py)`", change)[0], line)
    assert line in (ROOT / source).read_text(), f"{source} has no {line}"


def test_each_prediction_has_its_answer() -> None:
    for lab in LABS:
        text, _, answers = lab.read_text().partition("## Answers")
        asked = {int(number) for number in re.findall(r"\*\*(?:Predict|Question) ([0-9]+)[:.]\*\*", text)}
        assert asked == {int(number) for number in re.findall("^([0-9]+)[.] ", answers, re.MULTILINE)}, lab.name


def test_no_command_of_a_lab_has_a_tab() -> None:
    for lab in LABS:  # typed into a shell, a tab completes a word and is lost
        assert "\t" not in lab.read_text(), lab.name
