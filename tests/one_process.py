"""Runs several command lines in one process, as each start of Python would import everything again.

Takes a JSON list of lines, and prints a JSON list with the exit code, the output and the errors of each. A line that
begins with "views" has a data folder and the paths of views: its output is an object with the text of each.

A fork (`run_in_a_fork`) has imported the packages of others already, and imports what is ours from another project.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.forks import ForkServer

ROOT = Path(__file__).resolve().parents[1]


def run_in_one_process(
    lines: Sequence[Sequence[str]], folder: Path, environment: dict[str, str], seconds: float
) -> list[CompletedProcess[str]]:
    """Run lines in a process of the project that PYTHONPATH in the environment names."""
    done = subprocess.run(
        [sys.executable, "-P", __file__, json.dumps(lines)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    return each_of(lines, done)


def run_in_a_fork(
    lines: Sequence[Sequence[str]], project: Path, environment: dict[str, str], forks: ForkServer
) -> list[CompletedProcess[str]]:
    """Run lines in a fork, with the modules of another project."""
    from tests.forks import forked  # noqa: PLC0415 - what runs as a program can't import it

    words = str(project), json.dumps(lines)
    done = forked(
        forks,
        *words,
        entry="tests.one_process:become_another_project",
        environment=environment | {"PYTHONPATH": str(project)},
        folder=str(project),
    )
    return each_of(lines, done)


def each_of(lines: Sequence[Sequence[str]], done: CompletedProcess[str]) -> list[CompletedProcess[str]]:
    """Return how each of the lines ended that one process has run."""
    assert done.returncode == 0, done.stdout + done.stderr
    ended = json.loads(done.stdout)
    return [CompletedProcess(line, *each) for line, each in zip(lines, ended, strict=True)]


def become_another_project(words: list[str]) -> None:
    """Forget all modules of this project; run lines with those of the project in the folder given."""
    ours = {path.stem for path in ROOT.iterdir()}
    for name in [name for name in sys.modules if name.partition(".")[0] in ours]:
        del sys.modules[name]
    sys.path[:] = [words[0], *(place for place in sys.path if Path(place).resolve() != ROOT)]
    importlib.invalidate_caches()
    sys.dont_write_bytecode = False  # so that the next fork need not compile what this project has not imported
    json.dump([run(line) for line in json.loads(words[1])], sys.stdout)


def run(words: list[str]) -> tuple[int, str, str]:
    """Run one line; return its exit code, output and errors."""
    code: object = 0
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            if words[0] == "views":
                print(json.dumps(texts(Path(words[1]), words[2:])))
            else:
                from commands.__main__ import main  # noqa: PLC0415 - of the project that is tested

                code = main(words)
        except SystemExit as end:
            code = end.code or 0
    return (code if isinstance(code, int) else 1), out.getvalue(), err.getvalue()


def texts(data: Path, paths: list[str]) -> dict[str, str]:
    """Return the text of each view."""
    from gateway import GatewaySettings, create_app  # noqa: PLC0415 - as above

    client = create_app(data, GatewaySettings()).test_client()
    answers = {path: client.get(path) for path in paths}
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(paths, 200)
    return {path: answer.text for path, answer in answers.items()}


if __name__ == "__main__":
    json.dump([run(words) for words in json.loads(sys.argv[1])], sys.stdout)
