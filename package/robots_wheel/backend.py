"""How do `robots/` and `robots_addon/` become the package breadcrumb-robots? Renamed, and packed by hatchling.

    python -m build package/robots_wheel

`robots` is no name for a package in other people's environments. So each import of it is written again as
`breadcrumb_robots`, and `robots_addon` as `breadcrumb_robots.scrapy`; nothing else changes. The source archive has the
renamed files and is an ordinary project: whoever builds it needs hatchling, and not this file (PEP 517).
hatchling gives all files one date and sorts them, so two builds have the same bytes.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = Path("src", "breadcrumb_robots")
PLACES = {ROOT / "robots": PACKAGE, ROOT / "robots_addon": PACKAGE / "scrapy"}
CASES = ("rules", "sources", "page_controls")
OTHERS = {
    HERE / "pyproject.toml": "pyproject.toml",
    HERE / "README.md": "README.md",
    HERE / "conformance.py": "tests/test_conformance.py",
    ROOT / "LICENSE": "LICENSE",
    **{ROOT / "tests" / "conformance" / f"{name}.jsonl": f"tests/{name}.jsonl" for name in CASES},
}
RENAMED = (
    (re.compile(r"^(\s*(?:from|import) )robots\b", re.MULTILINE), r"\1breadcrumb_robots"),
    (re.compile(r"`robots\.(?=[A-Z])"), "`breadcrumb_robots."),  # a class that a docstring names
    (re.compile(r"\brobots_addon\b"), "breadcrumb_robots.scrapy"),
)
OWN_BACKEND = 'build-backend = "backend"\nbackend-path = ["."]'
PLAIN_BACKEND = 'build-backend = "hatchling.build"'


def renamed(source: str) -> str:
    """Return the text of a module under the names of the package."""
    for pattern, name in RENAMED:
        source = pattern.sub(name, source)
    return source


def lay_out(project: Path) -> None:
    """Write the project of the package into an empty folder."""
    for folder, place in PLACES.items():
        (project / place).mkdir(parents=True)
        for module in folder.glob("*.py"):
            (project / place / module.name).write_text(renamed(module.read_text("utf-8")), "utf-8")
    (project / PACKAGE / "py.typed").touch()
    (project / "tests").mkdir()
    for source, name in OTHERS.items():
        shutil.copyfile(source, project / name)
    pyproject = project / "pyproject.toml"
    pyproject.write_text(pyproject.read_text("utf-8").replace(OWN_BACKEND, PLAIN_BACKEND), "utf-8")
    for path in project.rglob("*"):  # an archive has the modes of its files, and a umask must not show
        path.chmod(0o755 if path.is_dir() else 0o644)


@contextmanager
def _inside_project() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Write the wheel, and return its name."""
    from hatchling import build  # noqa: PLC0415 - `lay_out` needs no hatchling

    del config_settings, metadata_directory
    wheel_directory = str(Path(wheel_directory).resolve())
    with _inside_project():
        return str(build.build_wheel(wheel_directory))


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Write the source archive, and return its name."""
    from hatchling import build  # noqa: PLC0415 - `lay_out` needs no hatchling

    del config_settings
    sdist_directory = str(Path(sdist_directory).resolve())
    with _inside_project():
        return str(build.build_sdist(sdist_directory))
