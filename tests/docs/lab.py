"""How is a lab executed? Its console blocks are typed, one by one, into a bash or a zsh, and the output is compared.

In a block ```console a line that begins with `$ ` is a command. One with `> ` continues it (a bare `>` with an empty
line). The lines after it are its output, stdout and stderr together. `...` matches any text on a line; a line that is
only `...` matches any number of lines. Variables and `cd` last from block to block, as they do for a reader. The shell
starts in an empty folder, with `breadcrumb` on the PATH.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from commands.frame.command import COMMANDS
from tests.child import without_progress
from tests.shared import made_once

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

    from tests.forks import ForkServer

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^(?P<indent> *)```console\n(?P<lines>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
ANY = "..."
PORT = 8410  # of the practice web; the search page and the reader's own site have the next two, and one more is his
OPENS_A_SHELL = re.compile(r"breadcrumb lab [0-9]")


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a lab, what it should print, and the line of the lab where it stands (from 1)."""

    command: str
    expected: str
    line: int


def steps(lab: str) -> list[Step]:
    """The commands of a lab in order. Raises ValueError at output that no command printed."""
    found: list[Step] = []
    for block in BLOCK.finditer(lab):
        first = lab.count("\n", 0, block.start("lines")) + 1
        fresh = True
        for number, indented in enumerate(block["lines"].splitlines(), first):
            line = indented.removeprefix(block["indent"])
            if line.startswith("$ "):
                found.append(Step(line[2:], "", number))
            elif fresh:
                raise ValueError(f"line {number}: {line!r} stands before any command; begin a command with '$ '")
            elif (line == ">" or line.startswith("> ")) and not found[-1].expected:
                found[-1] = Step(f"{found[-1].command}\n{line[2:]}", "", found[-1].line)
            else:
                found[-1] = Step(found[-1].command, f"{found[-1].expected}{line}\n", found[-1].line)
            fresh = False
    return found


def matches(expected: str, printed: str) -> bool:
    """Is this what the lab says is printed?

    Blanks at line ends, empty lines around the whole, and the progress that a busy machine sees do not count.
    """
    pattern = ""
    for line in tidy(expected):
        if line.strip() == ANY:
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*?".join(map(re.escape, line.split(ANY))) + r"\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in tidy(printed))) is not None


def tidy(text: str) -> list[str]:
    return [line.rstrip() for line in without_progress(text.strip("\n")).splitlines()]


class Shell:
    """A shell that is told one command after another, in a session of its own, so that all it started can be ended."""

    END = "--- end of the step ---"

    def __init__(self, folder: Path, programs: Path, shell: str = "bash", lab: str = "") -> None:
        """Start the shell, or the lab that starts it."""
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        at_once = {
            "PYTHONUNBUFFERED": "1"
        }  # as at a terminal: else what is printed may come behind what is complained of
        self.process = subprocess.Popen(
            shlex.split(lab) or {"bash": ["bash", "--noprofile", "--norc"], "zsh": ["zsh", "--no-rcs"]}[shell],
            cwd=folder,
            env=os.environ
            | at_once
            | {"PATH": path, "SHELL": shell, "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "COLUMNS": "100"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._groups = [self.process.pid]

    def is_in_a_fork(self) -> None:
        """Note the group of a shell that a fork has started: the fork leads a session of its own."""
        self._groups.append(os.getpgid(int(self.run("echo $$"))))

    def run(self, command: str) -> str:
        """What the command prints. It gets no input: the rest of the lab is not for it to read.

        It is evaluated as one text, so that a quote or a here-document that nobody closes ends with it.
        """
        return self.printed(f"{{ eval {shlex.quote(command)}\n}} </dev/null\n")

    def printed(self, line: str = "") -> str:
        """What comes until the shell has read a line; of none, what it said when it began."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}printf '\\n%s\\n' '{self.END}'\n")
        self.process.stdin.flush()
        printed = ""
        for said in self.process.stdout:
            if said.rstrip("\n") == self.END:
                break
            printed += said
        return printed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for group in self._groups:
            with suppress(ProcessLookupError):  # the lab said `exit`
                os.killpg(group, signal.SIGKILL)
        self.process.communicate()  # until nobody holds the shell's output any more


def forked_project(folder: Path, forks: ForkServer) -> None:
    """Make a folder that has what the project's has, but a breadcrumb that is run as a fork."""
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name != "breadcrumb":
            (folder / path.name).symlink_to(path)
    program = folder / "breadcrumb"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, forks.calling(COMMANDS)))} "$@"\n')
    program.chmod(0o755)


def differences(
    lab: str, folder: Path, port: int = PORT, shell_name: str = "bash", forks: ForkServer | None = None
) -> list[str]:
    """Run a lab in an empty folder; tell each step that answered otherwise than the lab says.

    What it serves listens at `port` and the next three, and not where the lab has them. With `forks`, what the lab and
    the shell call breadcrumb is a fork: starts of Python take half of the time.
    """
    for after in range(4):
        lab = lab.replace(str(PORT + after), str(port + after))
    programs, place = folder / "programs", folder / "lab"
    place.mkdir()
    if forks is not None:
        forked_project(programs, forks)
    else:
        programs.mkdir()
        (programs / "breadcrumb").symlink_to(ROOT / "breadcrumb")
    first, *rest = steps(lab)
    opened = bool(OPENS_A_SHELL.fullmatch(first.command))
    with Shell(place, programs, shell_name, f"{first.command} --port {port}" if opened else "") as shell:
        opening = shell.printed() if opened else ""
        if forks is not None and opened:
            shell.is_in_a_fork()
            shell.run(f"PATH={programs}:$PATH")  # the lab has put the project's folder first
        apart = [] if not opened or matches(first.expected, opening) else [difference(first, opening)]
        return apart + differing_steps(rest if opened else (first, *rest), shell)


def run_once(
    factory: pytest.TempPathFactory, worker_id: str, lab: Path, shell: str, ports: Iterator[int], forks: ForkServer
) -> Path:
    """Return the folder in which a lab was run, by the first test that needs it. Tests only read it.

    It has the lab's own folder as `lab/lab-N`, what differed as `differences`, and the first port as `port`.
    """

    def make(folder: Path) -> None:
        port = next(ports)
        (folder / "port").write_text(str(port))
        (folder / "differences").write_text("\n".join(differences(lab.read_text(), folder, port, shell, forks)))

    return made_once(factory, worker_id, f"{lab.stem}-{shell}", make)


def differing_steps(steps: Iterable[Step], shell: Shell) -> list[str]:
    """Run the steps in the shell, and return a text for each that printed something else than it should."""
    apart = []
    for step in steps:
        printed = shell.run(step.command)
        if not matches(step.expected, printed):
            apart.append(difference(step, printed))
    return apart


def difference(step: Step, printed: str) -> str:
    return f"line {step.line}: $ {step.command}\nthe lab says:\n{step.expected}it printed:\n{printed}"
