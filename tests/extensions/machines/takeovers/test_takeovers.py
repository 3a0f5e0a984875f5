"""Does the short form of `bench/cluster` kill, and do its judges see what is wrong?"""

from __future__ import annotations

import random
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands import COMMANDS
from extensions.machines.store.shared_store import SharedStore
from tests.durability.hosts.access_log import LoggedAccess
from tests.durability.hosts.host import HostKind, PlayedHost
from tests.durability.hosts.server import HostServer
from tests.extensions.machines.takeovers.judges import faults_of_the_logs, faults_of_the_store, truth
from tests.extensions.machines.takeovers.trial import Setting, Trial, TrialResult, Victim

if TYPE_CHECKING:
    from tests.forks import ForkServer

pytestmark = pytest.mark.skipif("audit" not in COMMANDS, reason="its judge is another extension")
SHORT = Setting(hosts=3, pages=6, delay=0.1, parts=2, stage=3, lease=1.2, pause=(0.5, 0.5))


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory, forks: ForkServer) -> Trial:
    return Trial(SHORT, tmp_path_factory.mktemp("trial"), random.Random(1), forks=forks)


@pytest.fixture(scope="module")
def result(trial: Trial) -> TrialResult:
    """A task is stopped, its driver killed; the next driver's task takes the part over, and the first one wakes up."""
    return trial.run(Victim.FROZEN, 1)


@pytest.mark.slow
def test_after_a_takeover_nothing_is_lost_or_twice_and_every_host_was_asked_politely(
    trial: Trial, result: TrialResult
) -> None:
    assert (result.kills, result.faults) == (1, [])
    assert result.pages == SHORT.hosts * SHORT.pages
    terms = [SharedStore.open(trial.store).terms(part) for part in (1, 2)]
    kinds = [(each.outcome(number) or {})["kind"] for each in terms for number in each.ended()]
    assert "abandoned" in kinds, "the frozen task had a term, and another ended it"
    assert all(each.newest() == each.ended()[0] for each in terms), "every term has an outcome"
    told = (trial.folder / "driver-2.log").read_text()
    assert "drives this crawl and has not ended; if it sends no heartbeat for 1 s, until " in told
    assert "a lost turn may have asked hosts that nothing is stored of; these rest for MAX_CRAWL_DELAY=" in told


@pytest.mark.slow
@pytest.mark.usefixtures("result")
def test_the_judges_see_what_is_missing_and_what_should_not_be_there(trial: Trial) -> None:
    pages = truth(trial.hosts, trial.server.port)
    first, *others = sorted(pages)
    assert list(faults_of_the_store(trial.store, pages | {"http://lost.localhost/": "Lost"})) == [
        "pages missing: http://lost.localhost/",
    ]
    assert f"pages too many: {first}" in list(faults_of_the_store(trial.store, {url: pages[url] for url in others}))
    renamed = list(faults_of_the_store(trial.store, pages | {first: "Another title"}))
    assert renamed == [f"{first} is found as [] instead of 'Another title'"]


@pytest.mark.slow
@pytest.mark.usefixtures("result")
def test_the_judges_see_a_host_that_two_asked_at_once_and_a_committed_page_that_was_asked_for_again(
    trial: Trial,
) -> None:
    host, server = trial.hosts[0], trial.server
    first = next(one for one in server.of(host) if one.path == "/")
    again = [("/p1.html", first.start + 0.01), ("/", first.end + 100.0)]  # it may have been answered late
    planted = [LoggedAccess(at, at, first.host, path, 200, first.agent) for path, at in again]
    server.log += planted
    try:
        found = list(faults_of_the_logs(trial.hosts, server, SHORT.delay, [(first.end, {f"http://{first.host}/"})]))
    finally:
        del server.log[-len(planted) :]
    assert any("no gap under" in fault for fault in found)
    assert f"http://{first.host}/ was committed, and asked for again 100.0 s later" in found


@pytest.mark.slow
@pytest.mark.usefixtures("result")
def test_a_damaged_folder_in_the_store_is_told(trial: Trial) -> None:
    newest = SharedStore.open(trial.store).newest()[1]
    file = Path(trial.store, next(iter(newest.files.values())).name)
    whole = file.read_bytes()
    try:
        file.write_bytes(whole[:-1])
        faults = list(faults_of_the_store(trial.store, truth(trial.hosts, trial.server.port)))
    finally:
        file.write_bytes(whole)
    assert any("is damaged" in fault for fault in faults)


def test_a_request_is_noted_when_it_came_and_not_when_the_server_was_awake() -> None:
    host = PlayedHost("a.localhost", HostKind.FREE, 1)
    server = HostServer([host])
    with socket.create_connection(("127.0.0.1", server.port)) as robot:
        before = time.time()
        robot.sendall(f"GET / HTTP/1.1\r\nHost: a.localhost:{server.port}\r\nConnection: close\r\n\r\n".encode())
        after = time.time()
        time.sleep(0.1)  # so long nobody listens
        with server, robot.makefile("rb") as answer:
            assert b"Page 0" in answer.read()
    [access] = server.of(host)
    assert before <= access.start <= after
    assert access.late >= 0.1
