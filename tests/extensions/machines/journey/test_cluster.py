"""A crawl in a store, by processes in Spark's place: its driver is killed, and another continues from the store."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from crawldb.database import CrawlDatabase
from crawldb.parts.partition import Partition
from extensions.machines.store.part_folders import fetch
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.tasks.run_spec import SEEDS, give
from tests.child import PATIENCE, wait_until
from tests.extensions.machines.executor import below, is_at_work
from tests.forks import Fork, fork
from tests.journey.conftest import Answer, Folder, Site, html, served_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

HOSTS = [f"host{number}.localhost" for number in range(4)]
PAGES = 4  # of a host
PARTS = 2


def ring(site: Site) -> set[str]:
    """Hosts each of whose last page leads to one of the next host that nobody else knows."""

    def page(headers: dict[str, str], number: int) -> Answer:
        host = headers["Host"].partition(":")[0]
        after = HOSTS[(HOSTS.index(host) + 1) % len(HOSTS)]
        onward = f"/p{number + 1}" if number + 1 < PAGES else f"http://{after}:{site.port}/hidden"
        return html(f"page {number} of {host}", onward, text=f"{host} tells story number {number} of {host}")

    for number in range(PAGES):
        site.pages[f"/p{number}"] = lambda headers, number=number: page(headers, number)  # type: ignore[misc]  # a default binds it
    site.pages["/hidden"] = lambda headers: html("hidden", text=f"what only the neighbour of {headers['Host']} knows")
    paths = [*(f"/p{number}" for number in range(PAGES)), "/hidden"]
    return {f"http://{host}:{site.port}{path}" for host in HOSTS for path in paths}


@dataclass
class Story:
    """What happened to one store, by what each driver said."""

    site: Site
    store: str
    everything: set[str]
    first: int = 0  # the number of the first driver's process
    second: tuple[int | None, str] = (None, "")
    third: tuple[int | None, str, dict[str, Any]] = field(default_factory=lambda: (None, "", {}))


def cluster(store: str, *words: str) -> AbstractContextManager[Fork]:
    line = ("cluster", "--master", "processes[2]", "--store", store, "--lease", "1.5", "--no-jobs", *words)
    return fork(Folder.forks, *line, environment={"BREADCRUMB_INDEX_FOLLOW": "no", "BREADCRUMB_PROBE_AFTER": "0"})


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("cluster")
    with served_site() as site:
        told = Story(site, str(folder / "store"), ring(site))
        seeds = folder / "where to begin.txt"
        seeds.write_text("# each host\n" + "".join(f"http://{host}:{site.port}/p0\n" for host in HOSTS))
        held = site.hold("/p2")
        with cluster(told.store, "--parts", str(PARTS), str(seeds)) as first:
            told.first = first.pid
            wait_until(lambda: "/p2" in site.asked(), first)
            with cluster(told.store, str(seeds)) as second:
                _, said = second.communicate(timeout=PATIENCE)
                told.second = (second.returncode, said)
            its_own = below(first.pid)
            first.kill()
            first.wait()
        wait_until(lambda: not any(map(is_at_work, its_own)))  # on a busy machine they would ask for more
        held.set()
        seeds.unlink()
        with cluster(told.store, "--json") as third:
            out, said = third.communicate(timeout=PATIENCE)
            told.third = (third.returncode, said, json.loads(out) if out else {})
        yield told


def test_a_second_driver_is_refused_with_the_name_of_the_first(story: Story) -> None:
    code, said = story.second
    assert code == 2
    assert f"has a driver: {os.uname().nodename}, process {story.first} is at work on it" in said


def test_another_driver_goes_on_from_the_store_alone_and_loses_nothing(story: Story, tmp_path: Path) -> None:
    code, said, told = story.third
    assert (code, told["complete"]) == (0, True), said
    store, pages = SharedStore.open(story.store), Counter[str]()
    for number in range(1, PARTS + 1):
        fetch(store, number, tmp_path / str(number))
        with CrawlDatabase(tmp_path / str(number), readonly=True) as database:
            urls = database.connection.execute("SELECT url.url FROM page JOIN url ON url.id = page.url").fetchall()
            pages.update(url for (url,) in urls)
            assert all(Partition(number, PARTS).owns(url.split("/")[2]) for (url,) in urls)
            assert database.value("SELECT 1 FROM url WHERE state <> 2") is None, "every URL of a part is done"
    assert pages == dict.fromkeys(story.everything, 1), "with the pages that only another part's letter led to"
    assert sum(part["pages"] for part in told["parts"]) == len(story.everything)


def test_only_what_was_not_put_back_is_asked_for_again(story: Story) -> None:
    asked = Counter((headers["Host"], path) for path, headers in story.site.log if path != "/robots.txt")
    assert set(asked.values()) <= {1, 2}
    assert all(times == 1 for (_, path), times in asked.items() if path in {"/p3", "/hidden"}), (
        "the held ones and before"
    )


@pytest.mark.slow
def test_progress_is_a_line_a_stage(story: Story) -> None:
    lines = [line for line in story.third[1].splitlines() if line.startswith("cluster: stage")]
    assert lines[0] == "cluster: stage 2: 2 parts of 2, each for 60 s at most"
    assert lines[-1].endswith(f"is over: {len(story.everything)} pages stored, 0 queued")
    assert "PageRank" not in story.third[1], "--no-jobs; lab 9 shows what is said without"


UNOWNED = "http://nosuch.invalid/"


def test_what_a_crawl_would_refuse_is_refused_before_anything_begins(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with cluster(str(store), "--parts", "4", f"{UNOWNED},http://river.localhost/") as driver:
        _, told = driver.communicate(timeout=PATIENCE)
    assert (driver.returncode, told.count("is on the internet"), told.count("\n")) == (2, 1, 1), told
    assert not store.exists()


def test_what_each_part_refuses_is_told_once_and_tried_no_more(tmp_path: Path) -> None:
    store = SharedStore.make(str(tmp_path / "store"), 4)
    (tmp_path / "seeds.txt").write_text(UNOWNED)
    give(store.objects, 1, SEEDS, tmp_path / "seeds.txt")
    with cluster(store.objects.uri) as driver:
        _, told = driver.communicate(timeout=PATIENCE)
    assert (driver.returncode, told.count("is on the internet"), told.count("given up")) == (2, 1, 1), told
    assert "tries it again" not in told
