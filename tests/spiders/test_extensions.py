"""What the live line tells beside its numbers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.job import CrawlJob
from frontier.session import Session
from spiders.extensions import hosts_and_sites_in_trouble
from urls.canonical import canonicalize

NOW = 1000.0


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    seeds = tuple(canonicalize(f"http://{letter}.example/") for letter in "abc")
    session = Session(tmp_path, CrawlJob(seeds))
    yield session
    session.close("finished")


def test_a_crawl_in_good_order_adds_nothing(session: Session) -> None:
    assert hosts_and_sites_in_trouble(session.database, NOW) == ""


def test_the_line_tells_of_hosts_at_rest_and_of_alarms(session: Session) -> None:
    execute = session.database.connection.execute
    for letter in "abc":
        execute("INSERT INTO host (name, rests_until) VALUES (?, ?)", (f"{letter}.example", NOW + 60))
    execute("INSERT INTO alarm VALUES ((SELECT id FROM site WHERE name = 'b.example'), ?, 1, 30, 40, 'so it is')",
            (session.run.round,))  # fmt: skip
    said = hosts_and_sites_in_trouble(session.database, NOW)
    assert said == "; resting: a.example, b.example and 1 more; ALARM, mostly failing: b.example"
    assert hosts_and_sites_in_trouble(session.database, NOW + 61) == "; ALARM, mostly failing: b.example"
