"""Do the types hold whichever extras are installed? An exception that only one environment needs fails in the other."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from sqlite3 import connect

import pytest

ROOT = Path(__file__).resolve().parents[2]
GROUPS = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
MODULES = {  # of an extra: what its packages are called when they are imported
    "cluster": ("pyspark", "py4j", "pyarrow", "fsspec", "s3fs", "opensearchpy"),
}
PACKAGES = {
    path.parent.name: {line.split()[0] for line in path.read_text().splitlines()}
    for path in ROOT.glob("extensions/*/requirements.in")
}
OF_EXTENSIONS = {  # but for those that the tests need themselves: where types are checked, they are there
    name: tuple(sorted(package.replace("-", "_") for package in packages))
    for name, packages in PACKAGES.items()
    if not packages <= set(GROUPS["test"])
}


EXTRAS = MODULES | OF_EXTENSIONS


def test_every_extra_is_checked() -> None:
    assert set(MODULES) == set(GROUPS) - {"test", "cluster-test", "build", "pip"}


def calls(path: Path, extra: str) -> bool:
    lines = tuple(f"{word} {name}" for name in EXTRAS[extra] for word in ("import", "from"))
    return any(line in path.read_text() for line in lines)


@pytest.fixture(scope="module")
def callers() -> dict[str, set[Path]]:
    """By extra, the files that import its packages."""
    files = sorted(ROOT.glob("[a-z]*/**/*.py"))
    return {extra: {path for path in files if calls(path, extra)} for extra in EXTRAS}


def test_no_file_calls_two_extras(callers: dict[str, set[Path]]) -> None:
    """So all extras may be absent at once where types are checked without each of them."""
    own = {extra: paths for extra, paths in callers.items() if not set(EXTRAS[extra]) <= set(MODULES["cluster"])}
    assert all(callers.values()), "some file calls each extra"
    assert sum(map(len, own.values())) == len(set[Path]().union(*own.values()))


def copy_cache(folder: Path) -> None:
    """Copy what mypy has read of the project, also while it runs: it keeps that in databases."""
    for path in ROOT.glob(".mypy_cache/3.*/*.db"):
        copy = folder / path.relative_to(ROOT / ".mypy_cache")
        copy.parent.mkdir(parents=True, exist_ok=True)
        with closing(connect(f"{path.as_uri()}?mode=ro", uri=True)) as old, closing(connect(copy)) as new:
            old.backup(new)


def test_the_types_hold_without_the_extras_that_are_installed(callers: dict[str, set[Path]], tmp_path: Path) -> None:
    absent = [extra for extra, modules in EXTRAS.items() if any(map(find_spec, modules))]
    if not absent:
        pytest.skip("no extra is installed: the check of types itself ran without them")
    names = [pattern for extra in absent for name in EXTRAS[extra] for pattern in (name, f"{name}.*")]
    override = f"\n[[tool.mypy.overrides]]\nmodule = {names}\nfollow_imports = 'skip'\n"
    config = tmp_path / "pyproject.toml"
    config.write_text((ROOT / "pyproject.toml").read_text() + override)
    copy_cache(tmp_path / "cache")
    users = sorted(set[Path]().union(*(callers[extra] for extra in absent)))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", config, f"--cache-dir={tmp_path / 'cache'}", *users],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
