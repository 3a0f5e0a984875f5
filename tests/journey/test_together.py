"""Is what ends within a moment judged and stored as if it came one by one? It shares a transaction, and no more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.journey.conftest import html

if TYPE_CHECKING:
    from tests.journey.conftest import Folder, Site


def test_what_is_written_together_with_a_fault_is_written_all_the_same(site: Site, folder: Folder) -> None:
    paths = [f"/sun/{number}" for number in range(40)]
    paths[20] = "/moon"
    site.pages = {"/": html("home", *paths), **{path: html(f"Of {path[1:5]} and number {path}") for path in paths}}
    stages = {"tests.journey.faults.faulty.Eclipsed": 900}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, PROBE_AFTER=0, ITEM_PIPELINES=json.dumps(stages))
    assert folder.rules() == dict.fromkeys(["/", *paths], "fetched") | {"/moon": "fault"}
    with folder.database() as database:
        assert database.count("SELECT count(*) FROM fetch WHERE rule = 'fetched'") == 40
        assert database.count("SELECT count(*) FROM page JOIN url ON url.id = page.url WHERE url.url LIKE '%moon'") == 0


def test_copies_that_come_in_one_moment_know_each_other(site: Site, folder: Folder) -> None:
    paths = [f"/copy/{number}" for number in range(24)]
    site.pages = {"/": html("home", *paths), **dict.fromkeys(paths, html("The same words on each of these pages"))}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, PROBE_AFTER=0)
    rules = folder.rules()
    assert sorted(rules[path] for path in paths) == ["duplicate"] * 23 + ["fetched"]
