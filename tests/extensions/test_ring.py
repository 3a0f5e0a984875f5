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
from itertools import combinations, permutations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands import MODULES
from extension_points import built_in
from tests.child import PATIENCE, elsewhere
from tests.docs.conftest import ROOT, project_files
from tests.journey.conftest import html, served_site
from tests.one_process import run_in_a_fork

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.commands.conftest import Breadcrumb
    from tests.forks import ForkServer

HERE = ROOT / "tests" / "extensions"
ONLY_READ = ("docs", "tests")  # no command uses them
# Tests of the engine that also try what extensions add, as far as that is there.
NEAR_EXTENSIONS = (
    "tests/commands/crawling/test_words.py::test_a_mistake_is_told_in_a_sentence",
    "tests/commands/crawling/test_words.py::test_where_it_is_not_sure_the_crawl_itself_finds_out",
    "tests/commands/frame/test_command.py::test_a_missing_data_folder_is_told_and_not_made",
    "tests/commands/frame/test_mistyped.py::test_a_mistyped_word_is_told_with_what_would_work",
    "tests/commands/test_serve.py::test_what_it_shows_names_the_folder_and_the_index",
    "tests/gateway/in_a_browser/test_every_view_in_a_browser.py::test_every_class_of_the_templates_is_in_a_row",
    "tests/gateway/why/test_why_sections.py::test_each_section_leads_to_the_view_of_the_inside_that_it_is_about",
    "tests/journey/scrapy/test_filters.py::test_each_filter_drops_one_row_and_passes_the_other",
)
PROJECTS, GONE_FROM = 7, 3
VIEWS = ("/search", "/search?q=bread", "/stats")
OF_EXTENSIONS = {"openapi": "/api/openapi.json", "course": "/inside"}


def projects_without_some() -> list[list[str]]:
    """Return seven lists of extensions. Each extension is in three of them, and no two are in the same three.

    So of any two extensions, some list has the first and not the second: a project without these tries each extension
    without any other one, as projects that lack one extension each would do.
    """
    lists: list[list[str]] = [[] for _ in range(PROJECTS)]
    for name, places in zip(built_in(), combinations(range(PROJECTS), GONE_FROM), strict=False):
        for place in places:
            lists[place].append(name)
    return lists


def copy_without(names: Sequence[str], folder: Path, *others: str) -> Path:
    """Copy the project as `git rm -r` of extensions leaves it, with the names gone from the list; without `others`."""
    gone = [ROOT / place / name for name in names for place in ("extensions", "tests/extensions")]
    for path in project_files():
        if any(place in path.parents for place in (*gone, *(ROOT / name for name in ("bench", *others)))):
            continue
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
        compiled, copied = (Path(cache_from_source(place)) for place in (path, target))
        if path.suffix == ".py" and compiled.exists():  # else each copy is compiled anew, which takes half of the test
            copied.parent.mkdir(exist_ok=True)
            shutil.copy2(compiled, copied)
    write_list(folder, names)
    return folder


def write_list(project: Path, without: Sequence[str]) -> None:
    """Write the list of built-in extensions, but for some."""
    left = [name for name in built_in() if name not in without]
    (project / "extensions" / "built_in.txt").write_text("".join(f"{name}\n" for name in left))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as its commands use it: one copy, which takes as long as a test with it."""
    return copy_without([], tmp_path_factory.mktemp("ring") / "project", *ONLY_READ)


@pytest.fixture
def project_without(whole: Path, tmp_path: Path, names: list[str]) -> Iterator[Path]:
    """The project without some extensions, for the time of a test."""
    for name in names:
        (whole / "extensions" / name).rename(tmp_path / name)
    write_list(whole, names)
    yield whole
    for name in names:
        (tmp_path / name).rename(whole / "extensions" / name)
    write_list(whole, [])


def run(forks: ForkServer, project: Path, *lines: list[str]) -> list[str]:
    """Run commands of a project in one process; return what each prints."""
    done = run_in_a_fork(lines, project, elsewhere(), forks)
    assert [each.returncode for each in done] == [0] * len(lines), done
    return [each.stdout for each in done]


def test_every_folder_of_extensions_is_in_the_list() -> None:
    folders = {path.parent.name for path in (ROOT / "extensions").glob("*/__init__.py")}
    assert sorted(folders) == sorted(built_in())
    assert {path.name for path in HERE.iterdir() if path.is_dir() and path.name != "__pycache__"} <= folders


def assert_works_without(names: list[str], project: Path, data: Path, forks: ForkServer) -> None:
    """See that only the commands of some extensions are gone, and that a crawl is found, counted and shown."""
    of_crawl = ["--json", "-s", f"DATA_DIR={data}"]
    added = [path for name, path in OF_EXTENSIONS.items() if name not in names]
    search, views = ["search", "bread", *of_crawl], ["views", str(data), *VIEWS, *added]
    commands, found, report, pages = run(forks, project, ["--help"], search, ["report", *of_crawl], views)
    for command, module in MODULES.items():
        gone = module.split(".")[:2] in [["extensions", name] for name in names]
        assert (f"\n  {command:<8} " in commands) != (gone or command == "test")
    assert json.loads(found)["total"] > 0
    assert json.loads(report)["pages"]["indexed"] > 0
    assert all(('href="/inside"' in json.loads(pages)[path]) == ("/inside" in added) for path in VIEWS)


def test_each_extension_is_tried_without_any_other_one() -> None:
    tried = {(gone, there) for names in projects_without_some() for gone in names for there in {*built_in()} - {*names}}
    assert tried == set(permutations(built_in(), 2))


@pytest.mark.slow
@pytest.mark.parametrize("names", projects_without_some(), ids=range(PROJECTS))
def test_commands_a_search_and_a_report_work_without_them(
    names: list[str], project_without: Path, bakery: Breadcrumb, forks: ForkServer
) -> None:
    assert_works_without(names, project_without, bakery.data, forks)


@pytest.mark.slow
@pytest.mark.parametrize("names", [pytest.param([name], marks=pytest.mark.long) for name in built_in()] + [built_in()])
def test_a_crawl_works_without_them(names: list[str], tmp_path: Path, forks: ForkServer) -> None:
    project, data = copy_without(names, tmp_path / "project", *ONLY_READ), tmp_path / "data"
    with served_site() as site:
        site.pages = {
            "/": html("Home", "/bread", "/pan", "/leaflet"),
            "/bread": html("Bread"),
            "/pan": html("食パン", text="毎朝、焼きたての食パンを店で売っています。"),
            "/leaflet": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.7"),
        }
        run(forks, project, ["crawl", "site", "-a", f"seeds={site.url}/", "-s", f"DATA_DIR={data}"])
    assert_works_without(names, project, data, forks)


@pytest.mark.slow
@pytest.mark.parametrize("names", [pytest.param([name], marks=pytest.mark.long) for name in built_in()] + [built_in()])
def test_the_tests_of_the_engine_pass_without_them(names: list[str], tmp_path: Path) -> None:
    project = copy_without(names, tmp_path / "project")
    environment = {name: value for name, value in elsewhere().items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *NEAR_EXTENSIONS],
        cwd=project,
        env=environment | {"PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_filter_of_an_extension_that_left_is_no_class(tmp_path: Path, forks: ForkServer) -> None:
    project, filters = copy_without(["spoofing"], tmp_path / "project", *ONLY_READ), '{"filters_addon.Spoofing": 350}'
    line = ["crawl", "textbook", "-a", "seeds=http://127.0.0.1:9/", "-s", f"ITEM_PIPELINES={filters}"]
    [done] = run_in_a_fork([line], project, elsewhere(), forks)
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no class filters_addon.Spoofing" in done.stderr


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
