"""Does a soak find a robot that is not polite? By planted requests, and by a short soak of the real one."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.durability.hosts.access_log import LoggedAccess, audit_faults, missed_pauses
from tests.durability.hosts.host import LIVE, HostKind, PlayedHost, hosts_of
from tests.forks import forked

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import Bench, ForkServer

POLITE = (("/robots.txt", 0.0, 200), ("/", 1.0, 200), ("/p1.html", 2.0, 429), ("/p1.html", 4.0, 200))
HOST = PlayedHost("s0.localhost", HostKind.DELAY, 3, 0.75)


def accesses(*requests: tuple[str, float, int]) -> list[LoggedAccess]:
    return [
        LoggedAccess(1e9 + at, 1e9 + at + 0.01, "s0.localhost:80", path, status, "Breadcrumb/0.1")
        for path, at, status in requests
    ]


def found(requests: list[LoggedAccess], forks: ForkServer, folder: Path) -> list[str]:
    return audit_faults(HOST, 80, requests, 0.1, folder, partial(forked, forks))


def test_a_polite_robot_leaves_nothing_to_find(forks: ForkServer, tmp_path: Path) -> None:
    assert found(accesses(*POLITE), forks, tmp_path) == []
    assert missed_pauses(HOST, accesses(*POLITE)) == []


@pytest.mark.parametrize(
    ("requests", "told"),
    [
        pytest.param(POLITE[1:], "robots.txt first", id="no robots.txt"),
        pytest.param((*POLITE, ("/private/1.html", 5.0, 200)), "/private/1.html", id="a disallowed page"),
        pytest.param((*POLITE, ("/p2.html", 4.4, 200)), "no gap under 0.5 s", id="a short pause"),
        pytest.param((*POLITE, ("/", 5.0, 200)), "no URL twice", id="a page for the second time"),
    ],
)
def test_what_is_impolite_is_found(
    requests: tuple[tuple[str, float, int], ...], told: str, forks: ForkServer, tmp_path: Path
) -> None:
    assert told in "\n".join(found(accesses(*requests), forks, tmp_path))


def test_a_pause_that_was_asked_for_and_not_given_is_found() -> None:
    hurried = accesses(*POLITE[:3], ("/p2.html", 2.5, 200))
    assert missed_pauses(HOST, hurried) == ["s0.localhost: /p2.html was asked for 0.49 s after a 429"]


def test_the_hosts_have_as_many_pages_as_were_asked_for_and_are_of_every_kind() -> None:
    hosts = list(hosts_of(10, 103, 0.1))
    assert sum(host.pages for host in hosts if not host.kind.dead) == 103
    assert {host.kind for host in hosts} == set(HostKind)


def test_a_short_soak_finds_nothing(bench: Bench) -> None:
    done = bench("guard", "soak", "--pages", "48", "--hosts", str(len(LIVE)), "--delay", "0.1", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert (told["faults"], told["pages"], told["dead"]) == ([], 48, 2)
    assert told["disallowed"] == len(LIVE) - 1, "one page each links to what is disallowed, but where nothing is"
    assert told["pauses"] == 1
