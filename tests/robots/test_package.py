"""Is `robots/` under its own name, breadcrumb_robots, what it is here? Its files, and the cases of its source archive.

tests/journey/scrapy/test_robots_package.py builds and installs it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.child import run_elsewhere

if TYPE_CHECKING:
    from types import ModuleType

FOLDER = Path(__file__).resolve().parents[2] / "package" / "robots_wheel"


@pytest.fixture(scope="module")
def backend() -> ModuleType:
    spec = importlib.util.spec_from_file_location("robots_backend", FOLDER / "backend.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def project(backend: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    backend.lay_out(folder)
    return folder


def test_it_needs_the_standard_library_alone_and_passes_the_cases_of_its_archive(project: Path) -> None:
    """-S leaves out all installed packages, -I what the environment names."""
    run = (
        "import sys, runpy; sys.path.insert(0, sys.argv[1]); sys.argv = [sys.argv[2]];"
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    cases = project / "tests" / "test_conformance.py"
    done = run_elsewhere(sys.executable, "-I", "-S", "-c", run, project / "src", cases)
    assert "Ran 2 tests" in done.stderr
    assert done.stderr.endswith("OK\n")


def test_no_module_of_it_knows_the_names_of_the_source_tree(project: Path) -> None:
    for module in (project / "src").rglob("*.py"):
        text = module.read_text()
        assert "robots_addon." not in text
        imports = [line.split()[1] for line in text.splitlines() if line.strip().startswith(("import ", "from "))]
        assert not [name for name in imports if name.split(".")[0] in {"robots", "robots_addon"}], module


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("from robots import parse", "from breadcrumb_robots import parse"),
        ("    from robots.file import parse", "    from breadcrumb_robots.file import parse"),
        ("from robots_addon.gate import x", "from breadcrumb_robots.scrapy.gate import x"),
        ("import robots", "import breadcrumb_robots"),
        ('ADDONS = {"robots_addon.RobotsAddon": 100}', 'ADDONS = {"breadcrumb_robots.scrapy.RobotsAddon": 100}'),
        ("GET /robots.txt", "GET /robots.txt"),
        ("what comes from robots.txt", "what comes from robots.txt"),
        ('"robots_addon_bytes"', '"robots_addon_bytes"'),
        ("from robotsparser import x", "from robotsparser import x"),
    ],
)
def test_names_of_modules_are_renamed_and_nothing_else(backend: ModuleType, ours: str, theirs: str) -> None:
    assert backend.renamed(ours) == theirs
