"""Is the project packed and scheduled as Scrapy people do it? scrapyd-deploy sends its egg, a real scrapyd runs it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from tests.child import PATIENCE, child, elsewhere, run_elsewhere, wait_until
from tests.docs.conftest import ROOT, project_files
from tests.journey.conftest import html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.journey.conftest import Folder, Site

CONFIGURATION = """[scrapyd]
bind_address = 127.0.0.1
http_port = {port}
poll_interval = 0.1
"""


@pytest.fixture
def programs(python: Path) -> Path:
    """The folder of scrapyd's programs."""
    return python.parent


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project as it is in a clone: packing leaves things beside it."""
    for path in project_files():
        to = tmp_path / "clone" / path.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    return tmp_path / "clone"


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
    with (
        (folder / "scrapyd.log").open("w") as log,  # a line for each request: a pipe that nobody reads would fill up
        child([programs / "scrapyd"], cwd=folder, env=elsewhere(), stdout=log, stderr=log) as process,
    ):
        server = Scrapyd(port)
        wait_until(server.answers, process)
        yield server


@pytest.mark.slow
def test_an_egg_is_sent_to_scrapyd_and_its_job_crawls_and_indexes(
    programs: Path, copy: Path, scrapyd: Scrapyd, site: Site, folder: Folder
) -> None:
    site.pages = {"/": html("home", "/a"), "/a": html("Rye", text="Rye bread keeps for a week.")}
    config = copy / "scrapy.cfg"
    config.write_text(config.read_text().replace("http://localhost:6800", scrapyd.url))
    run_elsewhere(programs / "scrapyd-deploy", cwd=copy)
    job = {"project": "breadcrumb", "spider": "site", "seeds": f"{site.url}/", "setting": f"DATA_DIR={folder.path}"}
    scheduled = scrapyd.ask("schedule", job)
    assert scheduled["status"] == "ok", scheduled
    wait_until(lambda: scrapyd.ask("listjobs")["finished"])
    assert folder.search("rye") == ["/a"]
    assert folder.report()["urls"]["done"] == 2
