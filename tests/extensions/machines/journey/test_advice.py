"""The commands that a crawl in parts prints, carried out one after the other on one crawl: each does what it says."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from crawldb.database import DatabaseError
from crawldb.databases import Parts
from crawldb.parts.division import check_divides
from crawldb.parts.partition import Partition
from tests.advice import commands_in
from tests.forks import forked
from tests.journey.conftest import Folder, Site, html

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

HOSTS = [f"host{number}.localhost" for number in range(20)]
HERE, THERE = (next(host for host in HOSTS if Partition(number, 2).owns(host)) for number in (1, 2))
NO_PROBES = ("-s", "PROBE_AFTER=0")


def carried_out(words: list[str], *more: str, **places: str) -> subprocess.CompletedProcess[str]:
    """Carry out a command that succeeds, with what a person fills in at SEEDS, WORDS, FOLDER."""
    done = forked(Folder.forks, *[places.get(word, word) for word in words], *more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def named(text: str) -> dict[str, list[str]]:
    """Return the commands of a text by their names."""
    return {words[0]: words for words in commands_in(text)}


def stored(data: Path) -> set[str]:
    with Parts.in_folder(data) as parts:
        pages = "SELECT url.url FROM page JOIN url ON url.id = page.url"
        return {url for database in parts for (url,) in database.connection.execute(pages)}


def fill(site: Site) -> str:
    """Let both hosts have a home page, a page, and one that is gone; return the seeds."""
    site.pages = {"/": lambda headers: html(headers["Host"], "/page", "/broken")}
    site.pages["/page"] = lambda headers: html("page", text=f"The page of {headers['Host']} tells of rye.")
    site.pages["/broken"] = (500, {}, b"")
    site.pages["/new"] = lambda headers: html("new", text=f"The new page of {headers['Host']} tells of malt.")
    return ",".join(f"http://{host}:{site.port}/" for host in (HERE, THERE))


@pytest.mark.slow
def test_each_command_that_a_farm_and_its_errors_name_does_what_they_say(site: Site, folder: Folder) -> None:
    seeds, data, here = fill(site), folder.path, ["-s", f"DATA_DIR={folder.path}"]
    pages = {f"{seed}{path}" for seed in seeds.split(",") for path in ("", "page")}
    begins = named(folder.run("farm", "-n", "2").stderr)["farm"]
    end = carried_out(begins, *NO_PROBES, "-s", "RETRY_ATTEMPTS=1", "-s", "INDEX_FOLLOW=no", SEEDS=seeds).stdout
    assert stored(data) == pages
    shown = named(end)
    assert shown.keys() == {"search", "serve", "index", "report", "why"}
    carried_out(shown["index"])
    assert f"{HERE}:{site.port}/page" in carried_out(shown["search"], WORDS="rye").stdout
    assert "+ 2 failed" in " ".join(carried_out(shown["report"]).stdout.split())
    assert "server-error" in carried_out(shown["why"], URL=f"{seeds.split(',')[0]}broken").stdout

    refused = folder.run("crawl", "site").stderr
    goes_on = named(refused)["farm"]
    [first] = re.findall(r"-s (DATA_DIR=\S+)", refused)
    alone = carried_out(["search", "-s", first, "rye"]).stdout
    assert (HERE in alone, THERE in alone) == (True, False)
    new = f"http://{THERE}:{site.port}/new"
    assert named(carried_out(["submit", *here, new]).stdout)["farm"] == goes_on
    assert named(carried_out(["why", *here, new]).stdout)["farm"] == goes_on
    shutil.rmtree(data / "part-1" / "index")
    lacks = named(carried_out(["search", *here, "rye"]).stdout)
    assert lacks["farm"] == goes_on
    carried_out(lacks["index"])
    assert HERE in carried_out(["search", *here, "rye"]).stdout
    shutil.rmtree(data / "part-1" / "index")
    assert named(carried_out(goes_on, *NO_PROBES).stderr) == {}
    assert stored(data) == pages | {new}
    assert HERE in carried_out(["search", *here, "rye"]).stdout

    shutil.rmtree(data / "part-2")
    missing = folder.run("forget", new).stderr
    assert "is missing" in missing
    [other] = re.findall(r"-s (DATA_DIR=\S+)", missing)
    assert "2 pages" in carried_out(["report", "-s", other.replace("part-K", "part-1").rstrip(".")]).stdout
    assert folder.run("farm").returncode == 2, "without seeds nothing would tell what was there"
    again = named(missing)["farm"]
    carried_out(again, *NO_PROBES, SEEDS=seeds)
    assert stored(data) == pages | {new}
    with pytest.raises(DatabaseError) as wrong_number:
        check_divides(data, 3)
    assert "-n 2" in str(wrong_number.value)


@pytest.mark.slow
def test_each_command_that_a_cluster_and_its_errors_name_does_what_they_say(site: Site, folder: Folder) -> None:
    seeds, store = fill(site), str(folder.path.parent / "a store")
    quick = ["-s", "RETRY_ATTEMPTS=1", "-s", "INDEX_FOLLOW=no", "--no-jobs"]
    begins = named(forked(folder.forks, "cluster", "--store", store, seeds).stderr)["cluster"]
    for words in (["--master", "processes[2]"], ["--fetch", "x"]):
        said = forked(folder.forks, "cluster", *words, "--store", store).stderr
        assert named(said)["cluster"] == ["SEEDS" if word == seeds else word for word in begins]
    end = carried_out(begins, *NO_PROBES, *quick).stdout
    fetch = named(end)["cluster"]
    assert named(forked(folder.forks, "report", "--data", store).stderr)["cluster"] == fetch
    report = named(carried_out(fetch, FOLDER=str(folder.path)).stdout)["report"]
    assert "+ 2 failed" in " ".join(carried_out(report).stdout.split())
    assert stored(folder.path) == {f"{seed}{path}" for seed in seeds.split(",") for path in ("", "page")}
