"""The line that decided, in its place: its neighbours, its number, and the group that applies."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawldb.tables.robots_files import note_request, write_robots
from reports.why.site_files import AROUND, robots_excerpt, robots_status
from robots import RobotsRecord, RobotsRequest

if TYPE_CHECKING:
    from frontier.session import Session
    from reports.why.site_files import RobotsExcerpt

ORIGIN = "http://a.example:80"
RULES = (b"User-agent: *\nDisallow: /all\n\n# ours\nUser-agent: Breadcrumb\nUser-agent: other\nCrawl-delay: 1\n"
         b"Disallow: /tmp\nAllow: /tmp/rye\nUser-agent: third\nDisallow: /\n")  # fmt: skip


def told(session: Session, body: bytes, path: str = "/tmp/rye", **record: object) -> RobotsExcerpt | None:
    kept = RobotsRecord(ORIGIN, "PARSED", "answered 200", time.time(), time.time() + 60, 200, body, **record)  # type: ignore[arg-type]  # a dict of several types
    hop = RobotsRequest("http://a.example/robots.txt", kept.fetched_at, 0.01, 200, len(body))
    note_request(session.database, session.run, kept.origin, hop)
    write_robots(session.database, session.run, kept)
    answer = robots_status(session.database, f"http://a.example{path}", "Breadcrumb")
    return robots_excerpt(session.database, answer)


def test_the_deciding_line_stands_between_its_neighbours(session: Session) -> None:
    found = told(session, RULES)
    assert found is not None
    assert {line.number: line.role for line in found.lines if line.role} == {5: "group", 9: "decides"}
    assert [line.number for line in found.lines] == [5, *range(9 - AROUND, 12)]
    assert (found.total, found.lines[-3].text) == (11, "Allow: /tmp/rye")
    assert found.group == "its group for Breadcrumb applies; the group for * does not"


@pytest.mark.parametrize(
    ("body", "group"),
    [
        pytest.param(b"User-agent: *\nDisallow: /tmp\n", "it has no group for Breadcrumb, so the group for *",
                     id="everybody"),
        pytest.param(b"User-agent: x\nDisallow: /tmp\n", "it has no group for Breadcrumb or for *",
                     id="others only"),
        pytest.param(b"", "it has no group", id="empty"),
        pytest.param(b"User-agent: *\nUser-agent: breadcrumb\n\nDisallow: /no\n", "its group for breadcrumb",
                     id="both"),
        pytest.param(b"User-agent: x\nDisallow: /a\nUser-agent: Breadcrumb\n", "its group for Breadcrumb",
                     id="no rule"),
    ],
)  # fmt: skip
def test_the_group_that_applies_is_named(session: Session, body: bytes, group: str) -> None:
    found = told(session, body)
    assert found is not None
    assert found.group.startswith(group)
    assert [line.number for line in found.lines] == sorted({line.number for line in found.lines})


def test_of_two_groups_for_us_the_one_with_the_line_is_marked(session: Session) -> None:
    found = told(session, b"User-agent: breadcrumb\nDisallow: /x\nUser-agent: Breadcrumb\nDisallow: /tmp\n")
    assert found is not None
    assert {line.number: line.role for line in found.lines if line.role} == {3: "group", 4: "decides"}


def test_where_misspelt_lines_are_read_as_they_are_meant_they_are_found(session: Session) -> None:
    found = told(session, b"useragent: *\ndissallow: /tmp\n", meant=1)
    assert found is not None
    assert [line.role for line in found.lines] == ["group", "decides"]


def test_where_no_file_decides_there_is_no_line(session: Session) -> None:
    assert robots_excerpt(session.database, robots_status(session.database, "http://a.example/", "Breadcrumb")) is None
    assert robots_excerpt(session.database, None) is None


LINES = st.sampled_from((b"User-agent: *", b"User-agent: Breadcrumb", b"Disallow: /tmp", b"Allow: /", b"", b"# x",
                         b"Sitemap: http://a.example/s", b"Crawl-delay: 2", b"useragent: *", b"\xff: x"))  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(lines=st.lists(LINES, max_size=12), ends=st.sampled_from((b"\n", b"\r", b"\r\n")))
def test_whatever_the_file_the_deciding_line_is_the_one_of_the_verdict(
    session: Session, lines: list[bytes], ends: bytes
) -> None:
    body = ends.join(lines)
    found = told(session, body)
    answer = robots_status(session.database, "http://a.example/tmp/rye", "Breadcrumb")
    assert found is not None
    deciding = [line.number for line in found.lines if line.role == "decides"]
    assert deciding == ([answer.line] if answer.line else [])
    groups = [line.number for line in found.lines if line.role == "group"]
    assert bool(groups) == (f"for {answer.agent} or for *" not in found.group)
    assert all(number < answer.line for number in groups if answer.line)
