"""Which files are the project's? What git would track; without git, what no run and no tool has left there."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
OWN_ROOMS = (
    "extensions",
    "commands",
    "gateway",
    "reports",
    "spiders",
    "pipelines",
    "frontier",
    "indexer",
    "crawldb",
    "pages",
    "urls",
    "robots",
)
ROOMS = (*OWN_ROOMS, "demo", "robots_addon", "filters_addon", "textbook", "extension_points")
NOT_OURS = {".git", ".venv", ".venvs", "data", "__pycache__"}


@cache
def project_files() -> tuple[Path, ...]:
    """Every file of the project, as absolute paths in order."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0 and (ROOT / ".git").exists():
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if NOT_OURS.isdisjoint(path.relative_to(ROOT).parts)]
    return tuple(sorted(path for path in paths if path.is_file()))


@cache
def python_files() -> tuple[Path, ...]:
    """Modules, and the programs that a `python3` in their first line starts."""
    return tuple(path for path in project_files() if path.suffix == ".py" or is_program(path))


def is_program(path: Path) -> bool:
    with path.open("rb") as file:
        first = file.readline(100)
    return first.startswith(b"#!") and b"python" in first


@cache
def pages() -> tuple[Path, ...]:
    """The texts for people: every Markdown file."""
    return tuple(path for path in project_files() if path.suffix == ".md")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def constants(path: Path) -> set[str]:
    """Names in capitals that a module assigns at its top level."""
    targets: list[ast.expr] = []
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    return {target.id for target in targets if isinstance(target, ast.Name) and target.id.isupper()}
