"""What `why` tells of a robots.txt: the verdict, the copy that decides, the failures, and what held before."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

from crawldb.tables.robots_files import RobotsRecord, write_robots
from reports.why.robots_answer import CHANGES_SHOWN, RobotsAnswer, robots_answer, robots_sentences
from robots import AccessState
from tests.robots.answers import ANSWERS, DAY, STATES, T

if TYPE_CHECKING:
    from frontier.session import Session

URL = "http://seeds.example/other"


def ask(session: Session, *states: AccessState) -> RobotsAnswer:
    for state in states:
        write_robots(session.database, session.run, RobotsRecord.of("http://seeds.example:80", state))
    return robots_answer(session.database, URL, "Breadcrumb")


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        ("open", True),
        ("a file", False),
        ("denied", False),
        ("failing for an hour, a copy", False),
        ("failing for a day, a copy", False),
        ("failing for 31 days, no copy", True),
    ],
)
def test_the_verdict_is_that_of_what_holds(session: Session, state: str, allowed: bool) -> None:
    found = ask(session, STATES[state])
    assert (found.allowed, found.state) == (allowed, STATES[state].access.name)
    assert json.loads(json.dumps(asdict(found)))["allowed"] is allowed


def test_what_was_never_asked_for_decides_nothing(session: Session) -> None:
    assert list(robots_sentences(ask(session))) == [
        "Its robots.txt was never asked for; that is the first thing a crawl would do."
    ]


def test_a_site_that_answers_takes_one_sentence(session: Session) -> None:
    verdict = "Disallowed for Breadcrumb by line 2, 'Disallow: /other' (the longest rule that matches)"
    told = f"{verdict}; http://seeds.example/robots.txt, 2026-11-20 06:00 UTC."
    assert list(robots_sentences(ask(session, STATES["a file"]))) == [told]


def test_a_failure_is_told_with_its_beginning_its_copy_and_the_next_try(session: Session) -> None:
    failed = "It has failed since 2026-11-21 05:00 UTC, 2 times in a row"
    told = f"{failed}; the last good copy is of 2026-11-20 06:00 UTC; it is asked again 2026-11-21 06:00 UTC."
    assert told in robots_sentences(ask(session, STATES["failing for an hour, a copy"]))
    first = ask(session, AccessState().after(ANSWERS["500"], T))
    assert any("once; there is no copy" in text for text in robots_sentences(first))


def test_the_latest_changes_are_told_and_the_newest_first(session: Session) -> None:
    names = ("200", "500", "404", "503", "204", "200", "404")
    found = ask(session, *(AccessState().after(ANSWERS[name], T + day * DAY) for day, name in enumerate(names)))
    told = [text for text in robots_sentences(found) if text.startswith("From")]
    assert len(told) == len(found.changes) == CHANGES_SHOWN
    assert told[0] == "From 2026-11-27 06:00 UTC: open (robots.txt answered 404: there is no file)."
    assert told[3].startswith("From 2026-11-24 06:00 UTC: closed (robots.txt answered 503")
