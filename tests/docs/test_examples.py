"""Do the examples of the documentation print what it says? Its console blocks are typed, as those of the labs are.

The practice web is crawled once. Each document gets an empty folder with `./breadcrumb`, the practice web at the port
that it names, and each of its sections a fresh copy of that crawl as `data/demo`.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from bisect import bisect
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

from commands.frame.command import COMMANDS
from demo import PracticeWeb
from tests.child import elsewhere
from tests.docs.conftest import DOCS, ROOT, name_of, pages
from tests.docs.lab import Shell, differing_steps, steps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.forks import ForkServer

PORT = 8400  # of the practice web in the documentation; the next ones are for what an example serves
COLUMNS = 80
TYPED = re.compile(r"^ *\$ ", re.MULTILINE)
FENCED = re.compile(r"^( *)```(?P<kind>[a-z]*)\n(?P<lines>.*?)^\1```$", re.MULTILINE | re.DOTALL)
OTHERWISE = {DOCS / "labs", DOCS / "decisions"}  # labs have a test of their own
TASKS = sorted((DOCS / "tasks").glob("*.md"))
EXAMPLES = [path for path in pages() if path.parent not in OTHERWISE and steps(path.read_text("utf-8"))]


@pytest.mark.timeout(900)  # a crawl, and some two hundred commands
def test_every_example_prints_what_the_documentation_says(
    tmp_path: Path, ports: Iterator[int], forks: ForkServer
) -> None:
    assert set(TASKS) <= set(EXAMPLES)
    port = next(ports)
    demo = subprocess.run(
        [ROOT / "breadcrumb", "demo", "--once", "--port", str(port)],
        env=elsewhere() | {"BREADCRUMB_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert demo.returncode == 0, demo.stdout + demo.stderr
    web = PracticeWeb(port)
    web.start()
    try:
        apart = {
            name_of(path): differing
            for path in EXAMPLES
            if (differing := differences(path, tmp_path / f"demo-{port}", {0: port, 1: next(ports)}, forks))
        }
    finally:
        web.stop()
    assert not apart, "\n".join(f"{name}, {one}" for name, differing in apart.items() for one in differing)


def differences(document: Path, crawl: Path, at: dict[int, int], forks: ForkServer) -> list[str]:
    """Type the examples of a document; tell each that printed something else."""
    text = document.read_text("utf-8").replace(str(PORT), str(at[0]))
    for after in range(1, 4):
        text = text.replace(str(PORT + after), str(at[1] + after))
    place = crawl.parent / name_of(document).replace("/", "-")
    place.mkdir()
    headings = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith("## ")]
    program = place / "breadcrumb"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, forks.calling(COMMANDS)))} "$@"\n')
    program.chmod(0o755)
    with Shell(place, place) as shell:
        shell.run(f"export COLUMNS={COLUMNS} BREADCRUMB_DATA_DIR={shlex.quote(str(place / 'data'))}; set +m")
        apart = []
        for _, section in groupby(steps(text), key=lambda step: bisect(headings, step.line)):
            shutil.rmtree(place / "data" / "demo", ignore_errors=True)
            shutil.copytree(crawl, place / "data" / "demo")
            apart += differing_steps(section, shell)
        shell.run("kill $(jobs -p)")
    return apart


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_a_printed_command_is_one_that_a_test_types(page: Path) -> None:
    others = (block["lines"] for block in FENCED.finditer(page.read_text("utf-8")) if block["kind"] != "console")
    untyped = [lines for lines in others if TYPED.search(lines)]
    assert untyped == [], "make it a console block; a command without its output stands without a $"


@pytest.mark.parametrize("task", TASKS, ids=name_of)
def test_a_task_is_short_and_is_listed(task: Path) -> None:
    assert len(task.read_text("utf-8").split()) <= 400
    assert f"](tasks/{task.name})" in (DOCS / "README.md").read_text("utf-8")
