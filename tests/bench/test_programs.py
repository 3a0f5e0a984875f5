"""Is every program of bench/ read by mypy, does it begin as its docstring says, and does nothing else lean on it?"""

from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bench.environment import FOR_TESTS
from tests.child import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted(path for path in (ROOT / "bench").iterdir() if path.is_file() and not path.suffix)
OTHER_PYTHON = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)


def imported(path: Path) -> list[str]:
    """The modules that a file imports at its beginning, in order."""
    modules: list[str] = []
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            modules += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules += [node.module]
    return modules


@each_program
def test_its_docstring_tells_how_it_is_called_and_so_does_help(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert os.access(program, os.X_OK)
    assert f"\n    bench/{program.name} " in (ast.get_docstring(ast.parse(program.read_text("utf-8"))) or "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "argv", [str(program), "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(program), run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ")


@each_program
def test_its_own_python_comes_before_whatever_is_installed_in_it(program: Path) -> None:
    others = [module for module in imported(program) if module.partition(".")[0] not in sys.stdlib_module_names]
    before = others[: others.index("bench.environment")]
    assert [
        module for module in before if module not in {"bench", "bench.harness.comparison", "bench.harness.cost"}
    ] == []


@pytest.mark.skipif(not OTHER_PYTHON.exists(), reason="there is no Python but that of the environment")
def test_whatever_python_it_is_started_by_it_runs_in_the_environment() -> None:
    words = [str(OTHER_PYTHON), "-I", str(ROOT / "bench" / "visited"), "--lossy", "10", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert '"urls": 10' in done.stdout


def test_the_package_by_which_the_packages_of_the_tests_are_known_is_theirs_alone() -> None:
    having = [path.name for path in ROOT.glob("requirements*.lock") if f"\n{FOR_TESTS}==" in path.read_text("utf-8")]
    assert having == ["requirements-test.lock"]


def test_mypy_reads_every_program() -> None:
    files = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]["files"]
    with_suffix = {f"bench/{path.name}" for path in PROGRAMS if path.resolve().suffix}
    assert with_suffix == {"bench/cluster", "bench/robots"}, "they would be taken for the rooms"
    assert {f"bench/{path.name}" for path in PROGRAMS} - with_suffix == {
        name for name in files if name.startswith("bench/")
    }
    assert "bench" in files


def test_only_tests_of_bench_import_from_it() -> None:
    leaning = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in (ROOT / "tests").rglob("*.py")
        if ROOT / "tests" / "bench" not in path.parents
        if "bench" in (text := path.read_text("utf-8"))  # to parse all tests takes two seconds
        for node in ast.walk(ast.parse(text))
        for module in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        if module.partition(".")[0] == "bench"
    ]
    assert leaning == []
