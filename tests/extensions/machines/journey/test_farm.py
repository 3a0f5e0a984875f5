"""A crawl that several processes share: each host in one part, nothing lost between them, and a killed one replaced."""

import json
import os
import signal
from collections import Counter
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase
from crawldb.lock import CrawlLock, FolderInUse
from crawldb.parts.partition import Partition
from crawldb.tables.urls import State
from indexer.segments.generation import index_folder, read_generation
from indexer.segments.link_ranks import read_link_ranks
from tests.child import PATIENCE, wait_until
from tests.forks import Fork
from tests.journey.conftest import Answer, Folder, Site, html

HOSTS = [f"host{number}.localhost" for number in range(4)]
PAGES = 12  # of a host
NO_PROBES = ("-s", "PROBE_AFTER=0")  # a small site of short pages is asked for a made-up one, too


def ring(site: Site) -> set[str]:
    """Hosts of which each links to its own pages, and its last page to one of the next host that nobody else knows."""

    def page(headers: dict[str, str], number: int) -> Answer:
        host = headers["Host"].partition(":")[0]
        after = HOSTS[(HOSTS.index(host) + 1) % len(HOSTS)]
        onward = [f"/p{number + 1}"] if number + 1 < PAGES else [f"http://{after}:{site.port}/hidden"]
        return html(f"page {number} of {host}", *onward, text=f"{host} tells story number {number} of {host}")

    def hidden(headers: dict[str, str]) -> Answer:
        return html("hidden", text=f"what only the neighbour of {headers['Host']} knows")

    for number in range(PAGES):
        site.pages[f"/p{number}"] = lambda headers, number=number: page(headers, number)  # type: ignore[misc]  # a default binds it
    site.pages["/hidden"] = hidden
    paths = [*(f"/p{number}" for number in range(PAGES)), "/hidden"]
    return {f"http://{host}:{site.port}{path}" for host in HOSTS for path in paths}


def seeds(site: Site) -> str:
    return ",".join(f"http://{host}:{site.port}/p0" for host in HOSTS)


def stored(folder: Path, parts: int) -> list[tuple[str, int]]:
    """Each page with the part that holds it."""
    found = []
    for part in range(1, parts + 1):
        with CrawlDatabase(folder / f"part-{part}", readonly=True) as database:
            rows = database.connection.execute("SELECT url.url FROM page JOIN url ON url.id = page.url")
            found += [(url, part) for (url,) in rows]
            counts = dict(database.connection.execute("SELECT state, count(*) FROM url GROUP BY state").fetchall())
            assert set(counts) <= {2}, "every URL of a part is done"
    return found


def pages_ranked(folder: Path) -> int:
    """How many pages the graph has of which an index has ranks."""
    generation = read_generation(index_folder(folder))
    return read_link_ranks(index_folder(folder) / generation.build, generation.ranks).state.pages


def asked(site: Site) -> Counter[tuple[str, str]]:
    return Counter((headers["Host"], path) for path, headers in site.log if path != "/robots.txt")


@pytest.mark.slow
def test_each_host_is_crawled_by_one_part_and_foreign_urls_get_there(site: Site, folder: Folder) -> None:
    everything = ring(site)
    done = folder.run("farm", "-n", "2", "--json", *NO_PROBES, seeds(site))
    assert done.returncode == 0, done.stderr
    pages = stored(folder.path, 2)
    assert sorted(url for url, _ in pages) == sorted(everything)
    assert all(part == Partition(1, 2).owner(url.split("/")[2]) for url, part in pages)
    assert {part for _, part in pages} == {1, 2}
    assert set(asked(site).values()) == {1}, "no URL was asked for twice, by whomever"
    told = json.loads(done.stdout)
    assert (told["complete"], sum(part["pages"] for part in told["parts"])) == (True, len(everything))
    assert sum(part["handed_over"] for part in told["parts"]) >= 2
    found = json.loads(folder.run("search", "--json", "-n", "50", "story").stdout)
    assert (found["total"] + found["folded"], {hit["url"].split("/")[2] for hit in found["hits"]}) == (
        PAGES * len(HOSTS), {f"{host}:{site.port}" for host in HOSTS},
    )  # fmt: skip
    graphs = [pages_ranked(folder.path / f"part-{part}") for part in (1, 2)]
    assert graphs[0] == graphs[1] == len(everything), "each index has its share of PageRank over all parts"
    again = folder.run("farm", "-n", "3")
    assert (again.returncode, "continue with -n 2" in again.stderr) == (2, True)
    assert not (folder.path / "part-3").exists()


@pytest.mark.slow
def test_a_site_is_asked_about_itself_by_the_part_that_holds_it(site: Site, folder: Folder) -> None:
    everything = ring(site)
    done = folder.run("farm", "-n", "2", "-s", "PROBE_AFTER=4", seeds(site))
    assert done.returncode == 0, done.stderr
    journaled = []
    for part in (1, 2):
        with CrawlDatabase(folder.path / f"part-{part}", readonly=True) as database:
            sql = "SELECT DISTINCT url.url FROM journal JOIN url ON url.id = journal.url WHERE journal.rule = 'probe'"
            probes = [url for (url,) in database.connection.execute(sql)]
        assert {Partition(1, 2).owner(url.split("/")[2]) for url in probes} == {part}
        journaled += probes
    made_up = [host for host, path in asked(site) if f"http://{host}{path}" not in everything]
    twice = Counter(host for (host, _), times in asked(site).items() if times == 2)
    hosts = [f"{host}:{site.port}" for host in HOSTS]
    assert sorted(made_up) == hosts, "each host is asked for one address that is not there"
    assert twice == dict.fromkeys(hosts, 3), "and for three of its pages once more"
    assert set(journaled) >= {f"http://{host}{path}" for (host, path), times in asked(site).items() if times == 2}


def begun(folder: Folder, site: Site) -> AbstractContextManager[Fork]:
    return folder.start("farm", "-n", "2", "--json", *NO_PROBES, seeds(site))


@pytest.mark.slow
def test_the_share_of_a_killed_process_is_taken_over(site: Site, folder: Folder) -> None:
    everything = ring(site)
    held = {path: site.hold(path) for path in ("/p3", "/p6")}
    killed = []
    with begun(folder, site) as farm:
        for path, free in held.items():
            killed.append(killed_at(path, folder.path / "part-1", site))
            free.set()
        out, told = farm.communicate(timeout=PATIENCE)
    assert farm.returncode == 0, told
    assert all(f"process {victim} was killed" in told for victim, _ in killed)
    assert sorted(url for url, _ in stored(folder.path, 2)) == sorted(everything), out
    again = {f"http://{host}{path}" for (host, path), times in asked(site).items() if times > 1}
    assert again <= set().union(*(under_way for _, under_way in killed)), "only what was under way is asked for again"
    assert [part["kills"] for part in json.loads(out)["parts"]] == [2, 0]


@pytest.mark.slow
def test_where_the_farm_is_killed_its_processes_end_in_order_and_another_goes_on(site: Site, folder: Folder) -> None:
    everything = ring(site)
    first, later = site.hold("/p3"), site.hold("/p4")
    with begun(folder, site) as farm:
        for part in ("part-1", "part-2"):
            reached("/p3", folder.path / part, site)
        farm.kill()
        farm.communicate(timeout=PATIENCE)
    first.set()
    left = 0
    for part in ("part-1", "part-2"):
        ended(folder.path / part)
        with CrawlDatabase(folder.path / part, readonly=True) as database:
            (ending,) = database.connection.execute("SELECT ending FROM run ORDER BY id DESC LIMIT 1").fetchone()
            assert ending != "killed", "it had the time to put everything down"
            assert database.value("SELECT 1 FROM url WHERE state = 1") is None
            left += database.count("SELECT count(*) FROM url WHERE state = 0")
    assert left, "they did not go on"
    later.set()
    done = folder.run("farm", *NO_PROBES)
    assert done.returncode == 0, done.stderr
    assert sorted(url for url, _ in stored(folder.path, 2)) == sorted(everything)


def ended(part: Path) -> None:
    """Wait until no process crawls into a part: else it goes on, and nobody watches it."""

    def free() -> bool:
        try:
            CrawlLock(part).release()
        except FolderInUse:
            return False
        return True

    wait_until(free)


def reached(path: str, part: Path, site: Site) -> int:
    """Wait until the process that crawls a part has asked for a page; return its number."""
    mine = {host for host in HOSTS if part.name == f"part-{Partition(1, 2).owner(f'{host}:{site.port}')}"}
    wait_until(lambda: mine & {headers["Host"].partition(":")[0] for one, headers in tuple(site.log) if one == path})
    return int((part / "crawl.lock").read_text())


def killed_at(path: str, part: Path, site: Site) -> tuple[int, set[str]]:
    """Kill the process that crawls a part, while it waits for a page; return its number and what was under way."""
    victim = reached(path, part, site)
    os.kill(victim, signal.SIGKILL)
    with CrawlDatabase(part, readonly=True) as database:
        rows = database.connection.execute("SELECT url FROM url WHERE state = ?", (State.LEASED,))
        return victim, {url for (url,) in rows}


def test_a_folder_goes_on_as_the_part_that_it_is(site: Site, folder: Folder) -> None:
    ring(site)
    first = folder.run("crawl", "site", "-a", f"seeds={seeds(site)}", "-a", "part=1/2")
    assert first.returncode == 0, first.stderr
    other = folder.run("crawl", "site", "-a", "part=1/3")
    assert other.returncode == 2
    assert "part 1/2: it can't continue as part 1/3" in other.stderr


@pytest.mark.parametrize("part", ["0/2", "3/2", "1", "x/y", "1/4097"])
def test_what_is_no_part_is_refused_with_what_would_be_one(folder: Folder, part: str) -> None:
    done = folder.run("crawl", "site", "-a", "seeds=http://a.localhost/", "-a", f"part={part}")
    assert (done.returncode, "write 1/3 for the first of three" in done.stderr) == (2, True)
