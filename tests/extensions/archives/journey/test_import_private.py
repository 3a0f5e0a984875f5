"""What does a crawl do with an imported site at a private IP address? It sends nothing there until it is a seed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.advice import commands_in
from tests.extensions.archives.made_archives import http, packed, page, response
from tests.forks import forked
from tests.journey.conftest import Folder, Site, html

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.parametrize("robots", ["User-agent: *\nDisallow:\n", ""])
def test_a_crawl_that_reaches_nothing_of_an_import_names_the_seed_that_it_needs(
    site: Site, folder: Folder, tmp_path: Path, robots: str
) -> None:
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    records = [response(f"{site.url}/", http(page("Home", f"{site.url}/more")), date=date)]
    if robots:
        records.append(response(f"{site.url}/robots.txt", http(robots, content_type="text/plain"), date=date))
    file = tmp_path / "site.warc.gz"
    file.write_bytes(packed(records))
    site.pages = {"/": html("home", "/more"), "/more": html("more")}
    remedy = f"-a seeds={site.url}/"

    told = folder.run("import", str(file))
    [goes_on] = commands_in(told.stdout.splitlines()[-1])
    assert (told.returncode, remedy in told.stdout) == (0, True), told.stdout

    refused = folder.crawl(WAIT_SECONDS=1, pages=5)
    assert refused.returncode == 1
    assert commands_in(refused.stdout.splitlines()[-1]) == [goes_on]
    assert site.asked() == []

    done = forked(folder.forks, *goes_on)
    assert done.returncode == 0, done.stdout
    assert {"/", "/more"} <= set(site.asked())
    assert remedy not in folder.run("import", str(file)).stdout
