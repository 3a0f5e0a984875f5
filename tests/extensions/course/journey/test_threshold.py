"""The advice of /inside/duplicates, carried out: a threshold that was tried is the one of the crawl from then on."""

from __future__ import annotations

import html as entities
import re
from typing import TYPE_CHECKING

import pytest

from commands import COMMANDS
from commands.frame.command_settings import CommandSettings
from commands.serve import gateway
from tests.advice import commands_in
from tests.extensions.course.gateway.test_duplicates import sheet
from tests.forks import forked
from tests.journey.conftest import Folder, Site, html

if TYPE_CHECKING:
    from pathlib import Path

TRIED = "/inside/duplicates?threshold=0.2"


def view(folder: Folder) -> str:
    """Return the view of a gateway that is started with the settings of now."""
    client = gateway(folder.path, CommandSettings([])).test_client()
    return " ".join(entities.unescape(client.get(TRIED).text).split())


def clusters(folder: Folder) -> list[set[str]]:
    """Return the paths of the pages of each cluster."""
    with folder.database() as database:
        rows = database.connection.execute(
            "SELECT cluster, url.url FROM page JOIN url ON url.id = page.url WHERE refusals = '[]'"
        )
        found: dict[int, set[str]] = {}
        for cluster, url in rows:
            found.setdefault(cluster, set()).add("/" + url.split("/", 3)[3])
    return sorted(found.values(), key=len)


@pytest.mark.skipif("reparse" not in COMMANDS, reason="the extension that reads stored pages again is off")
def test_a_threshold_is_saved_as_the_view_of_duplicates_says_for_stored_pages_and_for_the_next_crawl(
    site: Site, folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"/one": sheet("", 0), "/two": sheet("b", 5)}
    site.pages = {path: html(f"Sheet {path}", text=text) for path, text in texts.items()}
    assert folder.crawl(f"{site.url}/one", f"{site.url}/two").returncode == 0
    assert len(clusters(folder)) == 2
    advice = view(folder)
    assert "1 pair of 2 clusters would merge" in advice
    [setting] = re.findall(r"To save this threshold: <code>([A-Z_]+=[0-9.]+)</code>", advice)
    [command] = [words for words in commands_in(advice) if words[0] == "reparse"]

    saved = tmp_path / "breadcrumb.toml"
    saved.write_text(f"{setting}\n")
    monkeypatch.setenv("BREADCRUMB_SETTINGS", str(saved))
    done = forked(folder.forks, *command)
    assert done.returncode == 0, done.stderr
    assert clusters(folder) == [{"/one", "/two"}]
    assert "This is the saved threshold." in view(folder)

    site.pages["/three"] = html("Sheet three", text=sheet("c", 5))
    assert folder.crawl(f"{site.url}/three").returncode == 0
    assert clusters(folder) == [{"/one", "/two", "/three"}]
