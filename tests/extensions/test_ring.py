"""Does each built-in extension leave as a whole? Its folders and its line are deleted, and the engine works on.

import-linter checks the imports of extensions; here the project is copied without one, and started.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands import MODULES
from extension_points import built_in
from tests.child import PATIENCE, elsewhere
from tests.docs.conftest import ROOT, project_files
from tests.journey.conftest import html, served_site

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

HERE = ROOT / "tests" / "extensions"
RUN = """
import contextlib, io, json, sys
from pathlib import Path
from commands.__main__ import main
from gateway import GatewaySettings, create_app
printed = []
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
    assert not code, (words, code)
    printed.append(out.getvalue())
client = create_app(Path(sys.argv[2]), GatewaySettings()).test_client()
for path in ("/search", "/search?q=bread", "/inside", "/inside/robots", "/stats", "/api/openapi.json"):
    assert client.get(path).status_code == 200, path
print(json.dumps(printed))
"""


def copy_without(names: list[str], folder: Path) -> Path:
    """Copy what a person runs of the project as `git rm -r` leaves it, with the names gone from the list."""
    gone = [ROOT / "extensions" / name for name in names]
    for path in project_files():
        if any(place in path.parents for place in (*gone, *(ROOT / name for name in ("bench", "docs", "tests")))):
            continue
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
        compiled, copied = (Path(cache_from_source(place)) for place in (path, target))
        if path.suffix == ".py" and compiled.exists():  # else each copy is compiled anew, which takes half of the test
            copied.parent.mkdir(exist_ok=True)
            shutil.copy2(compiled, copied)
    left = [name for name in built_in() if name not in names]
    (folder / "extensions" / "built_in.txt").write_text("".join(f"{name}\n" for name in left))
    return folder


def run(project: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", *words],
        cwd=project,
        env=elsewhere() | {"PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_folder_of_extensions_is_in_the_list() -> None:
    folders = {path.parent.name for path in (ROOT / "extensions").glob("*/__init__.py")}
    assert sorted(folders) == sorted(built_in())
    assert {path.name for path in HERE.iterdir() if path.is_dir() and path.name != "__pycache__"} <= folders


def assert_works_without(names: list[str], project: Path, data: Path) -> None:
    """See that of the commands those of some extensions alone are gone, and that a crawl is found, counted and shown.

    One process does all of it: each start of Python would import everything again.
    """
    of_crawl = ("--json", "-s", f"DATA_DIR={data}")
    lines = [["--help"], ["search", "bread", *of_crawl], ["report", *of_crawl]]
    commands, found, report = json.loads(run(project, "-c", RUN, json.dumps(lines), str(data)))
    for command, module in MODULES.items():
        gone = module.split(".")[:2] in [["extensions", name] for name in names]
        assert (f"\n  {command:<8} " in commands) != (gone or command == "test")
    assert json.loads(found)["total"] > 0
    assert json.loads(report)["pages"]["indexed"] > 0


@pytest.mark.parametrize("name", built_in())
def test_commands_a_search_and_a_report_work_without_it(name: str, tmp_path: Path, bakery: Breadcrumb) -> None:
    assert_works_without([name], copy_without([name], tmp_path / "project"), bakery.data)


@pytest.mark.slow
@pytest.mark.parametrize("names", [pytest.param([name], marks=pytest.mark.long) for name in built_in()] + [built_in()])
def test_a_crawl_works_without_them(names: list[str], tmp_path: Path) -> None:
    project, data = copy_without(names, tmp_path / "project"), tmp_path / "data"
    with served_site() as site:
        site.pages = {
            "/": html("Home", "/bread", "/pan", "/leaflet"),
            "/bread": html("Bread"),
            "/pan": html("食パン", text="毎朝、焼きたての食パンを店で売っています。"),
            "/leaflet": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.7"),
        }
        run(project, "-m", "commands", "crawl", "site", "-a", f"seeds={site.url}/", "-s", f"DATA_DIR={data}")
    assert_works_without(names, project, data)


def test_no_test_of_the_engine_imports_an_extension() -> None:
    """So the tests of the engine are collected where it is not there."""
    imported = {}
    for path in project_files():
        if path.suffix == ".py" and path.is_relative_to(ROOT / "tests") and not path.is_relative_to(HERE):
            source = path.read_bytes()
            for node in ast.walk(ast.parse(source)) if b"extensions." in source else ():
                modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if any(name.startswith("extensions.") for name in modules):
                    imported[str(path)] = modules
    assert not imported
