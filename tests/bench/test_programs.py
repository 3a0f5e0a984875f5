"""Does every program of bench/ begin as its docstring says, in our own Python, and does nothing lean on it?"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.harness.start import FOR_TESTS, PROGRAMS, start
from tests.child import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
OTHER_PYTHON = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
CALLED = [
    (name, word, ROOT / "bench" / f"{module.replace('.', '/')}.py")
    for name, words in PROGRAMS.items()
    for word, module in words.items()
]


def test_every_program_is_a_link_to_the_one_start() -> None:
    programs = [path for path in (ROOT / "bench").iterdir() if path.is_file() and not path.suffix]
    assert {path.name for path in programs} == PROGRAMS.keys()
    assert {path.resolve() for path in programs} == {ROOT / "bench" / "harness" / "start.py"}
    assert all(os.access(path, os.X_OK) for path in programs)


@pytest.mark.parametrize(("name", "word", "module"), CALLED, ids=str)
def test_its_docstring_tells_how_it_is_called_and_so_does_help(
    name: str, word: str, module: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called = f"bench/{name} {word}".strip()
    assert f"\n    {called} " in (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "")
    monkeypatch.setattr(sys, "argv", [f"bench/{name}", *filter(None, [word]), "--help"])
    with pytest.raises(SystemExit) as ended:
        start(name)
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {called.rpartition('/')[2]} ")


@pytest.mark.skipif(not OTHER_PYTHON.exists(), reason="there is no Python but that of the environment")
def test_whatever_python_it_is_started_by_it_runs_in_the_environment() -> None:
    words = [str(OTHER_PYTHON), "-I", str(ROOT / "bench" / "crawl"), "lossy", "--pages", "10", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert '"urls": 10' in done.stdout


def test_the_package_by_which_the_packages_of_the_tests_are_known_is_theirs_alone() -> None:
    having = [path.name for path in ROOT.glob("requirements*.lock") if f"\n{FOR_TESTS}==" in path.read_text("utf-8")]
    assert having == ["requirements-test.lock"]


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
