"""Do the examples of the documentation print what it says? Its console blocks are typed, as those of the labs are.

The practice web is crawled once. Each document gets an empty folder with `./breadcrumb`, and the practice web at the
port that it names. Each of its sections gets a fresh copy of that crawl as `data/demo`.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from bisect import bisect
from itertools import groupby
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from commands.frame.command import COMMANDS
from demo import PracticeWeb
from gateway import create_app
from gateway.settings import GatewaySettings
from tests.child import elsewhere
from tests.docs.conftest import DOCS, ROOT, name_of, pages
from tests.docs.lab import Shell, differing_steps, steps
from tests.forks import forked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.forks import ForkServer

PORT = 8400  # of the practice web in the documentation; the next ones are for what an example serves
COLUMNS = 80
TYPED = re.compile(r"^ *\$ ", re.MULTILINE)
PYTHON = re.compile(r"^( *)```python\n(?P<lines>.*?)^\1```$", re.MULTILINE | re.DOTALL)
JSON = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^( *)```(?P<kind>[a-z]*)\n(?P<lines>.*?)^\1```$", re.MULTILINE | re.DOTALL)
OTHERWISE = {DOCS / "labs", DOCS / "decisions"}  # labs have a test of their own
TASKS = sorted((DOCS / "tasks").glob("*.md"))
EXAMPLES = [path for path in pages() if path.parent not in OTHERWISE and steps(path.read_text("utf-8"))]


@pytest.mark.slow
@pytest.mark.timeout(900)  # a crawl, and some two hundred commands
def test_every_example_prints_what_the_documentation_says(
    tmp_path: Path, practice_crawl: Path, ports: Iterator[int], forks: ForkServer
) -> None:
    assert set(TASKS) <= set(EXAMPLES)
    port = int(practice_crawl.name.removeprefix("demo-"))
    shutil.copytree(practice_crawl, tmp_path / practice_crawl.name)
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
    assert keys_that_the_gateway_lacks(tmp_path / f"demo-{port}") == set()
    for words in (("why", f"http://bakery.localhost:{port}/breads/", "--q", "bread", "--parse"), ("report",)):
        done = command(forks, *words, "--json", "--data", f"demo-{port}", folder=tmp_path)
        assert documented_keys(words[0]) - set(json.loads(done.stdout)) == set()
    program = DOCS / "tasks" / "use-it-from-a-program.md"
    assert "/breads/sourdough.html " in printed_by_python(program, folder_of(program, tmp_path))


def command(forks: ForkServer, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command whose crawls are in a folder."""
    done = forked(forks, *words, environment={"BREADCRUMB_DATA_DIR": str(folder)})
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def documented_keys(name: str) -> set[str]:
    """Return the keys in the table of docs/commands.md about the JSON of a command."""
    section = (DOCS / "commands.md").read_text("utf-8").partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    rows = section.partition("| JSON keys")[2].partition("\n\n")[0].splitlines()[2:]
    return {key for row in rows for key in re.findall("`([a-z_]+)`", row.split("|")[1])}


def folder_of(document: Path, folder: Path) -> Path:
    """Return where the examples of a document are typed."""
    return folder / name_of(document).replace("/", "-")


def keys_that_the_gateway_lacks(crawl: Path) -> set[str]:
    """Return the keys of the JSON in docs/gateway.md that a search and /healthz do not have."""
    search, health = (json.loads(block) for block in JSON.findall((DOCS / "gateway.md").read_text("utf-8")))
    with create_app(crawl, GatewaySettings()).test_client() as client:
        found, state = (client.get(path).get_json() for path in ("/api/search?q=sourdough", "/healthz"))
    return (keys(search) - keys(found)) | (keys(health) - keys(state))


def keys(value: object) -> set[str]:
    """Return the keys of an object and of all that is in it."""
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def printed_by_python(document: Path, folder: Path) -> str:
    """Run the one program of a document in a folder, and return what it prints."""
    programs = [block for block in PYTHON.finditer(document.read_text("utf-8")) if "print(" in block["lines"]]
    assert len(programs) == 1
    done = subprocess.run(
        [sys.executable, "-c", dedent(programs[0]["lines"])],
        cwd=folder,
        env=elsewhere() | {"PYTHONPATH": f"{ROOT}:{ROOT / 'package'}"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_program_of_the_page_on_robots_txt_prints_what_its_comment_says(tmp_path: Path) -> None:
    page = DOCS / "robots.md"
    assert f"  # {printed_by_python(page, tmp_path)}" in page.read_text("utf-8")


def differences(document: Path, crawl: Path, at: dict[int, int], forks: ForkServer) -> list[str]:
    """Type the examples of a document; tell each that printed something else."""
    text = document.read_text("utf-8").replace(str(PORT), str(at[0]))
    for after in range(1, 4):
        text = text.replace(str(PORT + after), str(at[1] + after))
    place = folder_of(document, crawl.parent)
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


def test_the_sections_that_the_task_on_missing_pages_explains_are_those_of_why() -> None:
    named = re.findall(
        r"^ +\| `(\w+)` \|", (DOCS / "tasks" / "why-is-my-page-missing.md").read_text("utf-8"), re.MULTILINE
    )
    source = (ROOT / "reports" / "why" / "rows.py").read_text("utf-8")
    assert named
    assert set(named) - set(re.findall(r'(?:Row|rows_under|_paragraph)\("(\w+)"', source)) == set()
