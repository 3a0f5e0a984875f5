"""Do the types hold whichever extras are installed? An exception that only one environment needs fails in the other."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

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


def test_every_extra_is_checked() -> None:
    assert set(MODULES) == set(GROUPS) - {"test", "cluster-test", "build"}


@pytest.mark.parametrize("extra", [*MODULES, *OF_EXTENSIONS])
def test_the_types_hold_without_an_extra_that_is_installed(extra: str, tmp_path: Path) -> None:
    modules = (MODULES | OF_EXTENSIONS)[extra]
    if not any(map(find_spec, modules)):
        pytest.skip(f"the extra {extra} is not installed: the check of types itself ran without it")
    lines = tuple(f"{word} {name}" for name in modules for word in ("import", "from"))
    users = sorted(path for path in ROOT.glob("[a-z]*/**/*.py") if any(line in path.read_text() for line in lines))
    assert users, "some file calls the extra"
    absent = "\n[[tool.mypy.overrides]]\nmodule = {}\nfollow_imports = 'skip'\n"
    config = tmp_path / "pyproject.toml"
    names = [pattern for name in modules for pattern in (name, f"{name}.*")]
    config.write_text((ROOT / "pyproject.toml").read_text() + absent.format(names))
    with suppress(FileNotFoundError):  # what the check of types has read is not read again
        shutil.copytree(ROOT / ".mypy_cache", tmp_path / "cache")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", config, f"--cache-dir={tmp_path / 'cache'}", *users],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
