"""Do the lock files say all of what is installed, and nothing of where it comes from?"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import distributions, metadata, packages_distributions
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.docs.conftest import ROOMS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
MODULES = {"opensearchpy": ["opensearch-py"]}  # of an extra, which may not be installed: not called as its package
KINDS = ("", "-test", "-cluster", "-cluster-test", "-build", "-pip")
LISTED = ("extensions/*/requirements-*.lock", "package/requirements-*.lock")  # each beside its requirements.in
EXTRAS = sorted(str(path.relative_to(ROOT)) for pattern in LISTED for path in ROOT.glob(pattern))
LOCKS = (*(f"requirements{kind}.lock" for kind in KINDS), *EXTRAS)
PIN = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>[^ ]+)(?: ; (?P<marker>[^\\]+))? \\$", re.MULTILINE)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[ =<>~\[;]", name)[0]).lower()


def pins(lock: str) -> set[tuple[str, str, str]]:
    found = PIN.finditer((ROOT / lock).read_text())
    return {(match["name"], match["version"], (match["marker"] or "").strip()) for match in found}


def declared() -> tuple[set[str], ...]:
    """What is asked for, in the order of LOCKS."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    asked = (project["project"]["dependencies"], *(groups[kind.removeprefix("-")] for kind in KINDS[1:]))
    lists = [(ROOT / lock).with_name("requirements.in").read_text().splitlines() for lock in EXTRAS]
    return tuple(set(map(normal, names)) for names in (*asked, *lists))


def imported(room: Path) -> set[str]:
    names = set()
    for path in room.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {*ROOMS, "tests", "bench", "breadcrumb"}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_is_pinned_with_hashes(lock: str) -> None:
    text = (ROOT / lock).read_text()
    unread = [line for line in text.splitlines() if not re.match(r"^(#| +(#|--hash=sha256:[0-9a-f]{64}))", line)]
    assert len(unread) == len(pins(lock)), "every other line is a pin"
    assert text.count("\n    --hash=") >= len(pins(lock))


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_index_and_no_folder(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert not re.search(r"://|--find-links|index-url|--trusted-host|@ |\s/\w", text)


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_locks_agree_where_they_share_a_package(lock: str) -> None:
    run = {(name, version) for name, version, _ in pins(LOCKS[0])}
    shared = {name for name, _ in run}
    assert {(name, version) for name, version, _ in pins(lock) if name in shared} <= run


def test_the_locks_hold_what_the_project_asks_for() -> None:
    for asked, lock in zip(declared(), LOCKS, strict=True):
        assert asked <= {name for name, _, _ in pins(lock)}


@pytest.fixture(scope="module")
def providers() -> Mapping[str, list[str]]:
    """By the name of a module: the packages that are installed and have it."""
    return packages_distributions()


@pytest.mark.parametrize("room", [*ROOMS, pytest.param("tests", marks=pytest.mark.slow)])
def test_what_a_room_imports_is_a_declared_dependency(room: str, providers: Mapping[str, list[str]]) -> None:
    run, test, cluster, cluster_test, _, _, *extras = declared()
    known = run.union(cluster, *extras) | (test | cluster_test if room == "tests" else set())
    undeclared = {
        name
        for name in imported(ROOT / room)
        if not known & {normal(provider) for provider in providers.get(name, MODULES.get(name, [name]))}
    }
    assert not undeclared, "add it to pyproject.toml with what it is for, then run bash .ci/lock"


def test_locks_that_are_installed_together_agree_on_each_version() -> None:
    versions: dict[tuple[str, str], set[str]] = {}
    for lock in LOCKS:
        for name, version, marker in pins(lock):
            versions.setdefault((name, marker), set()).add(version)
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}


def program(name: str) -> ModuleType:
    """A program of package/ as a module."""
    spec = spec_from_file_location(name, ROOT / "package" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_packing_with_a_python_that_is_too_old_says_which_would_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """pip loads it before it knows that."""
    monkeypatch.setattr(sys, "version_info", (3, 10, 13))
    with pytest.raises(
        SystemExit, match=r"needs Python 3\.11 or newer, and this is .*\nWhat would work: python3\.13 -m pip"
    ):
        program("backend")


def test_the_licence_of_each_locked_package_is_that_of_its_metadata() -> None:
    licences = program("licences")
    listed = licences.listed()
    names = dict.fromkeys(package.name for package in licences.locked())
    assert list(listed) == list(names), "run .venv/bin/python package/licences.py"
    installed = {normal(each.name) for each in distributions()}
    assert {name: licences.declared(metadata(name)) for name in listed if name in installed}.items() <= listed.items()
