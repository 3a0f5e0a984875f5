"""Is a robot judged by what it did? By made-up logs, and by both robots in a few situations."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.answers.judging import Seen, doing, judge, keeps_pauses
from bench.answers.record import Asked, Did, Site, Situation, Verdict, Visit, site
from bench.answers.reply import octets
from bench.answers.situations import HOSTILE, SITUATIONS

BENCH = Path(__file__).resolve().parents[2] / "bench" / "situations"
NO_RULES = octets(b"")
HOME, OPEN, PRIVATE = "/", "/open", "/private"


def asked(*paths: str, label: str = "", visit: int = 1) -> list[Asked]:
    return [Asked(number, visit, label, path, {}) for number, path in enumerate(paths)]


@pytest.mark.parametrize(
    ("paths", "did"),
    [
        pytest.param((), Did.WAITED, id="nothing at all"),
        pytest.param(("/robots.txt",), Did.WAITED, id="robots.txt alone"),
        pytest.param((HOME, OPEN), Did.OBEYED, id="all that is allowed"),
        pytest.param((HOME, OPEN, PRIVATE), Did.OPENED, id="all there is"),
        pytest.param((HOME,), Did.LESS, id="a part of what is allowed"),
        pytest.param((HOME, PRIVATE), Did.MORE, id="what is disallowed, and not all that is allowed"),
    ],
)
def test_the_paths_tell_what_was_done(paths: tuple[str, ...], did: Did) -> None:
    assert doing(site(NO_RULES, Did.OBEYED), paths) is did


def situation(right: Did, *permitted: Did, waits: bool = True) -> Situation:
    visit = Visit(right, frozenset(permitted), waits=waits)
    return Situation("X01", {"": Site(NO_RULES, (visit,))})


@pytest.mark.parametrize(
    ("played", "paths", "verdict"),
    [
        pytest.param(situation(Did.OBEYED), (HOME, OPEN), Verdict.RIGHT, id="as advised"),
        pytest.param(situation(Did.OBEYED), (HOME, OPEN, PRIVATE), Verdict.WRONG, id="against the standard"),
        pytest.param(situation(Did.OBEYED, Did.OPENED), (HOME, OPEN, PRIVATE), Verdict.PERMITTED, id="another way"),
        pytest.param(situation(Did.WAITED), (HOME, OPEN), Verdict.WRONG, id="it should have waited"),
    ],
)
def test_a_judgement_is_by_the_standard_and_by_the_advice(
    played: Situation, paths: tuple[str, ...], verdict: Verdict
) -> None:
    assert judge(played, Seen(asked(*paths))).verdict is verdict


@pytest.mark.parametrize(
    ("queue", "waits", "verdict"),
    [
        pytest.param([HOME], True, Verdict.RIGHT, id="it waits"),
        pytest.param([], True, Verdict.WRONG, id="it is lost"),
        pytest.param([], False, Verdict.RIGHT, id="it is disallowed"),
    ],
)
def test_a_page_that_should_wait_must_be_in_the_queue(queue: list[str], verdict: Verdict, *, waits: bool) -> None:
    assert judge(situation(Did.WAITED, waits=waits), Seen([], {("", 1): queue}, {"": []})).verdict is verdict


def test_what_is_done_at_a_later_visit_is_judged_apart() -> None:
    played = Situation("X02", {"": Site(NO_RULES, (Visit(Did.OBEYED), Visit(Did.WAITED)))})
    first = asked(HOME, OPEN)
    assert judge(played, Seen(first)).verdict is Verdict.RIGHT
    assert judge(played, Seen([*first, *asked(HOME, visit=2)])).verdict is Verdict.WRONG


def test_one_short_pause_is_enough() -> None:
    requests = [Asked(at, 1, "", HOME, {}) for at in (0.0, 1.0, 2.0, 2.1, 4.0)]
    assert keeps_pauses("", 1.0)(tuple(requests[:3])) == ""
    assert keeps_pauses("", 1.0)(tuple(requests)) == "leaves less than 1 s between two requests"


def test_a_robot_that_never_came_is_right_only_where_nothing_was_to_be_fetched() -> None:
    judged = {one.id: judge(one, Seen([])).verdict for one in (*SITUATIONS, *HOSTILE)}
    assert {name for name, verdict in judged.items() if verdict is Verdict.RIGHT} == {"H18", "H24", "H25", "H26"}


def test_a_robot_that_fetches_everything_is_right_only_where_there_are_no_rules() -> None:
    judged = {}
    for one in SITUATIONS:
        requests: list[Asked] = []
        for label, each in one.sites.items():
            for visit in range(1, len(each.visits) + 1):
                requests += asked("/robots.txt", HOME, *each.allowed, *each.forbidden, label=label, visit=visit)
        judged[one.id] = judge(one, Seen(requests)).verdict
    assert {name for name, verdict in judged.items() if verdict is Verdict.RIGHT} == {
        "H02", "H14", "H15", "H17", "H20", "H33",
    }  # fmt: skip


def test_both_robots_are_played_with_and_judged() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCH), "H01", "H14", "H25", "H38", "--json"],
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    verdicts = {name: [one["verdict"] for one in both.values()] for name, both in json.loads(done.stdout).items()}
    assert verdicts == {
        "H01": ["right", "right"],
        "H14": ["right", "permitted"],
        "H25": ["right", "wrong"],
        "H38": ["right", "wrong"],
    }


def test_the_table_for_site_owners_has_every_row() -> None:
    told = (BENCH.parent.parent / "docs" / "robots.md").read_text("utf-8")
    assert re.findall(r"^\| (H\d\d) \|", told, re.MULTILINE) == [one.id for one in SITUATIONS]


def test_a_situation_that_there_is_not_is_refused_with_those_there_are() -> None:
    done = subprocess.run([sys.executable, str(BENCH), "H41"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "H41: there are H01, H02" in done.stderr
