"""Is the project packed and scheduled as Scrapy people do it? scrapyd-deploy sends its egg, a real scrapyd runs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from tests.child import PATIENCE, child, wait_until
from tests.docs.conftest import ROOT, project_files
from tests.journey.conftest import html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.journey.conftest import Folder, Site

PACKAGES = ("scrapyd==1.6.0", "scrapyd-client==2.0.3", "setuptools>=77,<81")  # scrapyd needs pkg_resources
CONFIGURATION = """[scrapyd]
bind_address = 127.0.0.1
http_port = {port}
poll_interval = 0.1
"""
OF_OURS = {"PYTHONPATH", "SCRAPY_SETTINGS_MODULE"}  # what leads to this project


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of scrapyd's programs, in an environment that has what requirements.lock names."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    Path(packages, "requirements.pth").write_text(sysconfig.get_path("purelib"))
    run(python, "-m", "pip", "install", "--quiet", *PACKAGES)
    return folder / "bin"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project as it is in a clone: packing leaves things beside it."""
    for path in project_files():
        to = tmp_path / "clone" / path.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    return tmp_path / "clone"


def alone() -> dict[str, str]:
    """The environment of somebody who has only this copy."""
    return {name: value for name, value in os.environ.items() if name not in OF_OURS}


def run(*words: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=cwd, env=alone(), timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Scrapyd:
    """A scrapyd that listens on `port`."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def answers(self) -> bool:
        try:
            return bool(self.ask("daemonstatus"))
        except OSError:
            return False

    def ask(self, what: str, posted: dict[str, str] | None = None) -> dict[str, Any]:
        data = urlencode(posted).encode() if posted else None
        with urlopen(f"{self.url}/{what}.json", data, timeout=PATIENCE) as answer:
            found: dict[str, Any] = json.load(answer)
        return found


@pytest.fixture
def scrapyd(programs: Path, tmp_path: Path, ports: Iterator[int]) -> Iterator[Scrapyd]:
    port = next(ports)
    folder = tmp_path / "scrapyd"
    folder.mkdir()
    (folder / "scrapyd.conf").write_text(CONFIGURATION.format(port=port))
    with child([programs / "scrapyd"], cwd=folder, env=alone()) as process:
        server = Scrapyd(port)
        wait_until(server.answers, process)
        yield server


def test_an_egg_is_sent_to_scrapyd_and_its_job_crawls_and_indexes(
    programs: Path, copy: Path, scrapyd: Scrapyd, site: Site, folder: Folder
) -> None:
    site.pages = {"/": html("home", "/a"), "/a": html("Rye", text="Rye bread keeps for a week.")}
    config = copy / "scrapy.cfg"
    config.write_text(config.read_text().replace("http://localhost:6800", scrapyd.url))
    run(programs / "scrapyd-deploy", cwd=copy)
    job = {"project": "breadcrumb", "spider": "site", "seeds": f"{site.url}/", "setting": f"DATA_DIR={folder.path}"}
    assert scrapyd.ask("schedule", job)["status"] == "ok"
    wait_until(lambda: scrapyd.ask("listjobs")["finished"])
    assert folder.search("rye") == ["/a"]
    assert folder.report()["urls"]["done"] == 2
