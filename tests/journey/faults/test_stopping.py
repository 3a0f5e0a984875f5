"""Stopping a crawl: by Ctrl-C as a terminal sends it, by SIGTERM, and what the next crawl finds."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from scrapy import signals

from commands.__main__ import main
from commands.frame.data_folder import folder_option
from commands.frame.stopping import SAME_SECONDS
from extension_points import extends, manager
from indexer import open_index
from indexer.segments.generation import WriterLock
from spiders import settings
from tests.child import PATIENCE, wait_until, without_progress
from tests.forks import forked
from tests.journey.conftest import Folder, Site, html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from tests.forks import Fork, ForkServer

PAGES = 60
CTRL_C = signal.SIGINT
HEARD = r"crawl: stopping: waiting for \d+ running requests? and the index; Ctrl-C again stops at once\n"
NO_PROBES = ("-s", "PROBE_AFTER=0")  # they ask for pages a second time


@pytest.fixture
def big(site: Site) -> Site:
    """A site of many pages."""
    site.pages = {"/robots.txt": (200, {"Content-Type": "text/plain"}, b"")}
    site.pages["/"] = html("home", *(f"/{place}" for place in range(PAGES)))
    site.pages |= {f"/{place}": html(f"page {place}", text=f"Only here: word{place}.") for place in range(PAGES)}
    return site


@pytest.fixture
def free(big: Site) -> threading.Event:
    """Until it is set, two thirds of the pages do not come: nothing but the test ends a crawl."""
    return big.hold(*(f"/{place}" for place in range(PAGES // 3, PAGES)))


@pytest.fixture
def started(folder: Folder, big: Site) -> Iterator[Fork]:
    """A crawl of it."""
    with folder.start("crawl", "site", *NO_PROBES, "-a", f"seeds={big.url}/") as process:
        yield process


def stored(folder: Folder) -> dict[str, str]:
    """The URLs of the stored pages, with when they were fetched."""
    with folder.database() as database:
        rows = database.connection.execute("SELECT url.url, fetched_at FROM page JOIN url ON url.id = page.url")
        return dict(rows.fetchall())


def goes_on(folder: Folder, site: Site) -> None:
    """Crawl again, and find everything there, and what had been stored not asked for a second time."""
    before = stored(folder)
    site.log.clear()
    done = folder.crawl(PROBE_AFTER=0)
    assert done.returncode == 0, done.stderr
    after = stored(folder)
    assert before.items() <= after.items()
    assert not {f"{site.url}{path}" for path in site.asked()} & before.keys()
    assert len(after) == PAGES + 1
    assert open_index(folder.path).documents == PAGES + 1
    assert folder.report()["urls"]["done"] == folder.report()["urls"]["discovered"] == PAGES + 1
    assert folder.report()["rounds"] == {"begun": 1, "open": 0}


@pytest.mark.slow
@pytest.mark.parametrize("stop", [CTRL_C, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_one_signal_ends_the_crawl_with_everything_saved_and_the_next_goes_on(
    folder: Folder, big: Site, free: threading.Event, stop: signal.Signals
) -> None:
    with folder.start_anew("crawl", "site", *NO_PROBES, "-a", f"seeds={big.url}/") as process:
        wait_until(lambda: len(big.log) > PAGES // 3 + 2, process)
        assert process.stderr
        os.killpg(process.pid, stop)
        heard = next(filter(without_progress, process.stderr))  # it comes while the server is silent
        free.set()
        said, complaints = process.communicate(timeout=PATIENCE)
    assert re.fullmatch(HEARD, heard)
    assert (process.returncode, without_progress(complaints)) == (130, "")
    assert "ended (shutdown)" in said
    urls = folder.report()["urls"]
    assert urls["leased"] == 0
    assert urls["queued"] > 0
    assert open_index(folder.path).documents == len(stored(folder))
    assert len(stored(folder)) == len(set(big.asked()) - {"/robots.txt"}), "what was under way had time to arrive"
    goes_on(folder, big)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["/7", "/40"])  # at either, Scrapy's engine waits somewhere else as a rule
def test_a_server_that_hangs_does_not_keep_a_stopped_crawl(folder: Folder, big: Site, page: str) -> None:
    released = big.hold(page)
    limits = ("-s", "STOP_SECONDS=1", "-s", f"DOWNLOAD_TIMEOUT={10 * PATIENCE:.0f}")  # so that nothing else ends it
    with folder.start("crawl", "site", *NO_PROBES, "-a", f"seeds={big.url}/", *limits) as process:
        wait_until(lambda: page in big.asked(), process)
        os.killpg(process.pid, CTRL_C)
        process.communicate(timeout=PATIENCE)
    released.set()
    assert process.returncode == 130
    with folder.database() as database:
        assert database.value("SELECT reason FROM journal WHERE rule = 'stopped'") == (
            "the crawl was stopped before an answer came"
        )
    goes_on(folder, big)


@pytest.mark.slow
def test_a_second_ctrl_c_ends_at_once_and_loses_nothing_that_was_committed(
    folder: Folder, big: Site, free: threading.Event
) -> None:
    words = (*NO_PROBES, "-a", f"seeds={big.url}/", "-L", "INFO", "-s", f"STOP_SECONDS={10 * PATIENCE:.0f}")
    with folder.start("crawl", "site", *words) as process:
        wait_until(lambda: len(big.log) > PAGES // 3 + 2, process)
        before = stored(folder)
        os.killpg(process.pid, CTRL_C)
        wait_until(lambda: re.search(HEARD, process.said()), process)
        os.killpg(process.pid, CTRL_C)  # as timeout(1) sends it twice
        assert process.wait(SAME_SECONDS) is None, "this was the first one still"
        os.killpg(process.pid, CTRL_C)
        said, _ = process.communicate(timeout=PATIENCE)
    free.set()
    assert process.returncode == 130
    assert "Run 1 ended (cut short)" in said
    assert "Traceback" not in process.said()
    assert before.items() <= stored(folder).items()
    goes_on(folder, big)


def test_a_run_that_is_stopped_before_its_first_response_does_not_read_as_if_the_server_were_down(
    folder: Folder, big: Site
) -> None:
    released = big.hold("/robots.txt")
    with folder.start("crawl", "site", *NO_PROBES, "-a", f"seeds={big.url}/") as process:
        wait_until(lambda: big.log, process)
        os.killpg(process.pid, CTRL_C)
        wait_until(lambda: re.search(HEARD, process.said()), process)
        time.sleep(SAME_SECONDS)
        os.killpg(process.pid, CTRL_C)
        said, _ = process.communicate(timeout=PATIENCE)
    released.set()
    assert said.splitlines()[-1] == "1 URL queued or leased: run the same crawl again to continue."


class StopsAtBegin:
    """An extension that sends Ctrl-C when the run has begun, and Scrapy does not handle signals yet."""

    @extends
    def crawl_begins(self) -> None:
        signal.raise_signal(CTRL_C)


class StopsAtOpen:
    """A component that sends Ctrl-C when Scrapy has opened the spider, and its engine does not run yet."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StopsAtOpen:
        made = cls()
        crawler.signals.connect(made.opened, signals.spider_opened)
        return made

    def opened(self) -> None:
        signal.raise_signal(CTRL_C)


def stopped_at_begin(words: list[str]) -> int:
    manager().register(StopsAtBegin())
    return main(words)


AT_OPEN = json.dumps({**settings.EXTENSIONS, f"{__name__}.{StopsAtOpen.__name__}": 2})


@pytest.mark.parametrize(
    ("entry", "words"), [(stopped_at_begin.__name__, ()), (main.__name__, ("-s", f"EXTENSIONS={AT_OPEN}"))]
)
def test_a_run_that_is_stopped_as_it_begins_has_an_end_and_no_lease(
    forks: ForkServer, folder: Folder, big: Site, entry: str, words: tuple[str, ...]
) -> None:
    line = folder.command("crawl", "site", *NO_PROBES, "-a", f"seeds={big.url}/", *words)
    done = forked(forks, *line[2:], entry=f"{__name__}:{entry}")
    assert done.returncode == 130, done.stderr
    assert "Run 1 ended (shutdown)" in done.stdout
    report = folder.report()
    assert (report["last_run"] or {})["ending"] == "shutdown"
    assert (report["urls"]["queued"], report["urls"]["leased"]) == (1, 0)


@pytest.mark.slow
@pytest.mark.parametrize("stop", [CTRL_C, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_signals_also_end_the_wait_for_the_index(folder: Folder, started: Fork, stop: signal.Signals) -> None:
    index = folder.path / "index"
    index.mkdir(parents=True, exist_ok=True)
    with closing(WriterLock(index)._file):  # so that the crawl's own writer has to wait
        wait_until(lambda: _has_ended(folder), started)
        impatient = threading.Thread(target=_send_until_it_ends, args=(stop, started))
        impatient.start()
        said, complaints = started.communicate(timeout=PATIENCE)
    impatient.join()
    assert started.returncode == 130
    assert "61 stored" in said
    again = f"./breadcrumb index{folder_option(folder.path)}"
    *heard, told = without_progress(complaints).splitlines()
    assert told == f"crawl: the index is not complete. To complete it: {again}"
    assert heard in ([], ["crawl: stopping: waiting for the index; Ctrl-C again stops at once"]), "the crawl's own end"
    assert folder.run("index").returncode == 0
    assert open_index(folder.path).documents == PAGES + 1


def _send_until_it_ends(stop: signal.Signals, process: Fork) -> None:
    """Send a signal again and again: the first may come while the crawl is still putting its things away."""
    while process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, stop)
        time.sleep(0.2)


def _has_ended(folder: Folder) -> bool:
    """Whether the crawl has closed its run."""
    try:
        return folder.report()["rounds"] == {"begun": 1, "open": 0}
    except Exception:  # noqa: BLE001 - the database is not there yet, or has no tables
        return False


def test_a_second_crawl_of_the_same_folder_is_refused_with_the_number_of_the_first(
    folder: Folder, big: Site, free: threading.Event, started: Fork
) -> None:
    wait_until(lambda: big.log, started)
    second = folder.crawl(f"{big.url}/")
    free.set()
    assert second.returncode == 2
    assert second.stderr == (
        f"crawl: {folder.path} is in use by a crawl (process {started.pid}): wait for it, end it with Ctrl-C or kill "
        f"{started.pid}, or give another folder with -s DATA_DIR=FOLDER\n"
    )
    assert started.wait(PATIENCE) == 0, "the first is not disturbed"
    assert len(stored(folder)) == PAGES + 1
