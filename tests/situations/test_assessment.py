"""Is a robot judged by what it did? By made-up logs."""

from __future__ import annotations

import pytest

from tests.situations.assessment import Observation, assess, doing, keeps_pauses
from tests.situations.catalogue import HOSTILE, SITUATIONS
from tests.situations.scripted_reply import robots_octets
from tests.situations.situation import Did, ExpectedVisit, Grade, PlayedSite, SeenRequest, Situation, visited_once

NO_RULES = robots_octets(b"")
HOME, OPEN, PRIVATE = "/", "/open", "/private"


def asked(*paths: str, label: str = "", visit: int = 1) -> list[SeenRequest]:
    return [SeenRequest(number, visit, label, path, {}) for number, path in enumerate(paths)]


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
    assert doing(visited_once(NO_RULES, Did.OBEYED), paths) is did


def situation(right: Did, *permitted: Did, waits: bool = True) -> Situation:
    visit = ExpectedVisit(right, frozenset(permitted), waits=waits)
    return Situation("X01", {"": PlayedSite(NO_RULES, (visit,))})


@pytest.mark.parametrize(
    ("played", "paths", "verdict"),
    [
        pytest.param(situation(Did.OBEYED), (HOME, OPEN), Grade.RIGHT, id="as advised"),
        pytest.param(situation(Did.OBEYED), (HOME, OPEN, PRIVATE), Grade.WRONG, id="against the standard"),
        pytest.param(situation(Did.OBEYED, Did.OPENED), (HOME, OPEN, PRIVATE), Grade.PERMITTED, id="another way"),
        pytest.param(situation(Did.WAITED), (HOME, OPEN), Grade.WRONG, id="it should have waited"),
    ],
)
def test_a_judgement_is_by_the_standard_and_by_the_advice(
    played: Situation, paths: tuple[str, ...], verdict: Grade
) -> None:
    assert assess(played, Observation(asked(*paths))).grade is verdict


@pytest.mark.parametrize(
    ("queue", "waits", "verdict"),
    [
        pytest.param([HOME], True, Grade.RIGHT, id="it waits"),
        pytest.param([], True, Grade.WRONG, id="it is lost"),
        pytest.param([], False, Grade.RIGHT, id="it is disallowed"),
    ],
)
def test_a_page_that_should_wait_must_be_in_the_queue(queue: list[str], verdict: Grade, *, waits: bool) -> None:
    assert assess(situation(Did.WAITED, waits=waits), Observation([], {("", 1): queue}, {"": []})).grade is verdict


def test_what_is_done_at_a_later_visit_is_judged_apart() -> None:
    played = Situation("X02", {"": PlayedSite(NO_RULES, (ExpectedVisit(Did.OBEYED), ExpectedVisit(Did.WAITED)))})
    first = asked(HOME, OPEN)
    assert assess(played, Observation(first)).grade is Grade.RIGHT
    assert assess(played, Observation([*first, *asked(HOME, visit=2)])).grade is Grade.WRONG


def test_one_short_pause_is_enough() -> None:
    requests = [SeenRequest(at, 1, "", HOME, {}) for at in (0.0, 1.0, 2.0, 2.1, 4.0)]
    assert keeps_pauses("", 1.0)(tuple(requests[:3])) == ""
    assert keeps_pauses("", 1.0)(tuple(requests)) == "leaves less than 1 s between two requests"


def test_a_robot_that_never_came_is_right_only_where_nothing_was_to_be_fetched() -> None:
    judged = {one.id: assess(one, Observation([])).grade for one in (*SITUATIONS, *HOSTILE)}
    assert {name for name, verdict in judged.items() if verdict is Grade.RIGHT} == {"H18", "H24", "H25", "H26"}


def test_a_robot_that_fetches_everything_is_right_only_where_there_are_no_rules() -> None:
    judged = {}
    for one in SITUATIONS:
        requests: list[SeenRequest] = []
        for label, each in one.sites.items():
            for visit in range(1, len(each.visits) + 1):
                requests += asked("/robots.txt", HOME, *each.allowed, *each.forbidden, label=label, visit=visit)
        judged[one.id] = assess(one, Observation(requests)).grade
    assert {name for name, verdict in judged.items() if verdict is Grade.RIGHT} == {
        "H02",
        "H14",
        "H15",
        "H17",
        "H20",
        "H33",
    }
