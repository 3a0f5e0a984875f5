"""The advice of `why`, carried out: the settings and commands that it prints bring in the URL, and no other one."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tests.advice import commands_in, settings_in
from tests.journey.advice.conftest import Crawled
from tests.journey.conftest import html

if TYPE_CHECKING:
    from pathlib import Path

    from tests.journey.advice.conftest import World

FETCHED = (2, "fetched")
# The value that a person gives to a setting which `why` names.
WIDE = {
    "MAX_DEPTH": "9",
    "DOWNLOAD_MAXSIZE": "50000",
    "DOWNLOAD_TIMEOUT": "60",
    "SITE_PAGES": "99",
    "SKIPPED_ENDINGS": "exe,gz",
}


def test_a_crawl_with_the_settings_that_why_names_fetches_what_they_stopped_and_nothing_else(
    world: World, crawled: Crawled
) -> None:
    stopped = [world.site.url + path for path in ("/deeper", "/lower", "/big", "/slow", "/form?x=1", "/cake.zip")]
    stopped += [url for url, (_, rule) in crawled.state().urls.items() if rule == "site-budget"]
    named = {name: value for url in stopped for name, value in settings_in(crawled.why(url))}
    assert named.keys() == {*WIDE, "SKIP_QUERIES"}
    before = crawled.state()
    threading.Timer(2.2, world.site.hold("/slow").set).start()
    crawled.crawl_with(named | WIDE)
    after = crawled.state()
    assert before.changed_to(after) == dict.fromkeys(stopped, FETCHED)
    assert after.results == before.results.union(stopped)


@pytest.mark.slow
def test_links_lead_to_a_port_with_the_settings_that_why_names_and_to_a_private_address_with_its_seed(
    world: World, crawled: Crawled
) -> None:
    url = f"{world.other.url}/bread"
    named = settings_in(crawled.why(url))
    assert named == [("SCOPE", "domain"), ("ALLOWED_PORTS", "N")]
    before, in_next_round = crawled.state(), {f"{world.site.url}/slow": FETCHED}
    crawled.crawl_with(dict(named) | {"ALLOWED_PORTS": str(world.other.port)})
    assert before.changed_to(crawled.state()) == in_next_round | {url: (0, None)}, "queued: no seed is at its address"
    [command] = commands_in(crawled.why(url))
    assert command[:2] == ["crawl", "site"]
    crawled.crawl_with(command=command)
    assert before.changed_to(crawled.state()) == in_next_round | {url: FETCHED}


@pytest.mark.slow
def test_what_why_says_to_submit_or_release_is_fetched_by_the_next_crawl_and_nothing_else(
    world: World, crawled: Crawled
) -> None:
    url = world.site.url
    elsewhere = f"http://elsewhere.localhost:{world.site.port}/elsewhere"
    by_submit = [f"{url}/unknown", f"{url}/lower", f"{world.other.url}/bread", elsewhere]
    before = crawled.state()
    by_release = [f"{url}/a/a/a/a", *(each for each, (_, rule) in before.urls.items() if rule == "site-budget")][:2]
    printed = ""
    for name, urls in (("submit", by_submit), ("release", by_release)):
        for each in urls:
            [command] = [words for words in commands_in(crawled.why(each)) if words[0] == name]
            printed += crawled.carried_out(command)
    caught = crawled.carried_out(["report", "traps", "-s", f"DATA_DIR={crawled.path}"])
    targets = [words[1] for words in commands_in(caught)]
    undone = [each for each in before.urls if each in targets or f"{each[:100]}*" in targets]
    assert len(undone) == len(targets) == 3
    printed += "".join(map(crawled.carried_out, commands_in(caught)))
    world.site.pages["/broken"] = html("Mended", text="The oven that was broken is mended.")
    crawl, *again = [words for words in commands_in(printed) if words[0] == "crawl"]
    assert all(words == crawl for words in again)
    assert commands_in(crawled.why(f"{url}/broken")) == [crawl]
    crawled.crawl_with(command=crawl)
    queued = [*by_submit, *by_release, *undone, f"{url}/broken", f"{url}/slow"]
    assert before.changed_to(crawled.state()) == dict.fromkeys(queued, FETCHED)


def test_the_summary_of_a_crawl_names_commands_that_search_it_and_show_its_waste(first_crawl: Path) -> None:
    printed = (first_crawl.parent / "printed").read_text()
    traps, search, serve = commands_in(printed)
    crawled = Crawled(first_crawl)
    assert "1 response without new content" in " ".join(crawled.carried_out(traps).split())
    assert "/rye" in crawled.carried_out(["rye" if word == "WORDS" else word for word in search])
    assert serve == ["serve", *search[2:]]
