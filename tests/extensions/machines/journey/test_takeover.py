"""One machine is switched off during a partition, one sleeps, and a third continues, with a clock minutes off.

The log of the crawled server proves it: nothing is lost, and a former owner sends nothing after the new one has begun.
No request from any machine comes sooner than its delay.
"""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from commands import COMMANDS
from crawldb.database import CrawlDatabase
from crawldb.parts.partition import Partition
from extensions.machines.store.outcomes import EpochOutcome
from extensions.machines.store.part_folders import fetch
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.store.versions import Versions
from extensions.machines.tasks.task import Task
from indexer import open_index
from tests.child import PATIENCE, wait_until
from tests.extensions.machines.executor import crawls_of, executor, is_at_work
from tests.journey.conftest import Folder, Site, html, served_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.forks import Fork, ForkServer

pytestmark = pytest.mark.slow  # whichever comes first pays for the takeover
PAGES = 10
LEASE = 2.0  # seconds: long enough that a busy machine does not lose it
DELAY = 0.35  # seconds between two requests
LEEWAY = 0.1  # seconds by which a busy machine may note a request late
PART = Partition(1, 2)
HOST = next(f"host{number}.localhost" for number in range(20) if PART.owns(f"host{number}.localhost"))
ELSEWHERE = next(f"host{number}.localhost" for number in range(20) if not PART.owns(f"host{number}.localhost"))
MINUTES_OFF = -11 * 60  # seconds by which the last machine's clock is wrong


@dataclass
class Takeover:
    """What happened: of each of the machines what it said, and how long the server's log was when it ended."""

    site: Site
    store: SharedStore
    outcomes: list[EpochOutcome] = field(default_factory=list)
    stopped_said: str = ""
    asked_by_the_stopped: int = 0  # requests after it was let go on


@pytest.fixture(scope="module")
def takeover(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[Takeover]:
    """Without a compiler, the last machine's clock is right."""
    folder = tmp_path_factory.mktemp("takeover")
    with served_site() as site:
        for number in range(PAGES):
            links = [f"/p{number + 1}"] if number + 1 < PAGES else [f"http://{ELSEWHERE}:{site.port}/there"]
            site.pages[f"/p{number}"] = html(f"page {number}", *links, text=f"This story has number word{number}.")
        told = Takeover(site, SharedStore.make(str(folder / "store"), PART.of))
        seeds = f"seeds=http://{HOST}:{site.port}/p0,http://{ELSEWHERE}:{site.port}/"
        given = (f"DOWNLOAD_DELAY={DELAY}", "MAX_CRAWL_DELAY=1", "CONCURRENT_REQUESTS_PER_DOMAIN=1", "PROBE_AFTER=0")
        settings = [word for setting in given for word in ("-s", setting)]
        task = Task(
            told.store.objects.uri, PART.number, 1, ("-a", seeds, *settings), Versions.here(), seconds=0, pages=3,
            lease=LEASE, scratch=str(folder / "scratch"),
        )  # fmt: skip
        told.store.begin_stage(1, {})
        with executor(task, fork_server) as machine:
            told.outcomes.append(outcome_of(machine))
        told.store.begin_stage(2, {PART.number: 1})
        play(told, replace(task, stage=2, pages=0), fork_server)
        yield told


def outcome_of(machine: Fork) -> EpochOutcome:
    """Wait until a machine has ended; return what it has committed."""
    out, err = machine.communicate()
    assert machine.returncode == 0, err
    return EpochOutcome.of(json.loads(out), "what a machine has committed")


def play(told: Takeover, task: Task, forks: ForkServer) -> None:
    """Let one machine be switched off, the next be stopped, and a third end the stage; then the second goes on."""
    site = told.site
    first_held = site.hold("/p6")
    with executor(task, forks) as killed:
        wait_until(lambda: "/p6" in site.asked(), killed)
        crawls = crawls_of(killed)
        killed.kill()
        killed.wait()
        wait_until(lambda: not any(map(is_at_work, crawls)))
        first_held.set()
    second_held = site.hold("/p8")
    with executor(task, forks) as stopped:
        wait_until(lambda: "/p8" in site.asked(), stopped)
        asleep = [*crawls_of(stopped), stopped.pid]
        for process in asleep:
            os.kill(process, signal.SIGSTOP)
        second_held.set()
        third_held = site.hold("/p4")
        so_far = len(site.log)
        with executor(task, forks, wrong_by=MINUTES_OFF) as third:
            wait_until(lambda: "/p4" in site.asked()[so_far:], third)
            os.kill(crawls_of(third)[0], signal.SIGKILL)  # its crawl alone: the task replaces it
            third_held.set()
            told.outcomes.append(outcome_of(third))
        before = len(site.log)
        for process in asleep:
            os.kill(process, signal.SIGCONT)
        _, told.stopped_said = stopped.communicate(timeout=PATIENCE)
        told.asked_by_the_stopped = len(site.log) - before


def test_the_part_ends_as_if_nothing_had_happened(takeover: Takeover, tmp_path: Path) -> None:
    first, last = takeover.outcomes
    assert [(each.ending, each.counts["pages"]) for each in (first, last)] == [("bounded", 3), ("finished", PAGES)]
    assert (last.base, last.term, last.told) == (1, 4, ()), "two terms came to nothing"
    assert fetch(takeover.store, PART.number, tmp_path).outcome == last
    with CrawlDatabase(tmp_path, readonly=True) as database:
        assert database.count("SELECT count(*) FROM url WHERE state = 2") == PAGES
        assert database.count("SELECT count(*) FROM url") == PAGES
    assert open_index(tmp_path).documents == PAGES
    assert takeover.site.asked().count("/p9") == 1
    assert (last.letters.letters, last.letters.sender) == (2, PART.number), (
        "a URL for the other part, and a page's links"
    )


def test_who_was_stopped_sends_nothing_more_and_commits_nothing(takeover: Takeover) -> None:
    assert takeover.asked_by_the_stopped == 0
    assert takeover.stopped_said.startswith("part 1, stage 2: ")
    terms = takeover.store.terms(PART.number)
    outcomes = [terms.outcome(number) or {} for number in (1, 2, 3, 4)]
    assert [outcome["kind"] for outcome in outcomes] == ["committed", "abandoned", "abandoned", "committed"]
    assert all("gave no sign for 2 s" in outcome["reason"] for outcome in outcomes[1:3])


@pytest.mark.skipif("audit" not in COMMANDS, reason="that extension is not here")
def test_the_server_s_log_proves_the_manners_whoever_asked(takeover: Takeover, folder: Folder, tmp_path: Path) -> None:
    lines = [
        {"end": start, "took": 0, "url": path, "host": headers["Host"], "agent": headers["User-Agent"]}
        | {"status": 404 if path == "/robots.txt" else 200}
        for (path, headers), start in zip(takeover.site.log, takeover.site.starts, strict=True)
    ]
    log = tmp_path / "access.log"
    log.write_text("\n".join(map(json.dumps, lines)))
    done = folder.run("audit", str(log), "--delay", str(DELAY - LEEWAY), "--json")
    claims = {claim["name"]: claim["proof"] for claim in json.loads(done.stdout)["claims"]}
    assert (claims["delay"], claims["robots-first"]) == ("proved", "proved"), done.stdout
    hurried = json.loads(folder.run("audit", str(log), "--delay", "5", "--json").stdout)
    assert {"name": "delay", "proof": "violated"}.items() <= hurried["claims"][2].items(), "the log can disprove it"
