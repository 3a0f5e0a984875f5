"""What runs next, and when is a round over? Simulated: partitions that end in every way, and messages between them."""

from __future__ import annotations

import signal
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.parts.partition import Partition
from extensions.machines.driving import driver, stages
from extensions.machines.driving.driver import Driver, EndedTurn
from extensions.machines.driving.stages import MAX_FAILURES, PartProgress, TurnEnd, due, given_up, pause_after

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

ENDS = list(TurnEnd)
PARTS = 4


def parts() -> list[PartProgress]:
    return [PartProgress(Partition(number, PARTS)) for number in range(1, PARTS + 1)]


class Paper:
    """An engine whose turns end as they are told to, the last of them at rest; `letters` go out as turns end."""

    def __init__(self, script: Sequence[tuple[TurnEnd, int]], *, in_stages: bool) -> None:
        self.in_stages = in_stages
        self.script = list(script)
        self.under_way: list[int] = []
        self.letters: set[int] = set()
        self.begun: list[list[int]] = []
        self.stops = 0
        self.closed = False

    def begin(self, parts: Sequence[PartProgress]) -> None:
        assert not self.in_stages or not self.under_way, "a stage begins when the one before is over"
        assert not set(self.under_way) & {each.part.number for each in parts}, "a part has one turn at a time"
        assert not any(each.is_given_up for each in parts)
        self.begun.append([each.part.number for each in parts])
        self.under_way += self.begun[-1]
        self.letters -= set(self.begun[-1])

    def ended(self) -> Iterator[EndedTurn]:
        for number in self.under_way[: 2 if self.in_stages else 1]:
            self.under_way.remove(number)
            end, to = self.script.pop() if self.script else (TurnEnd.AT_REST, number)
            if to != number:
                self.letters.add(to)
            yield EndedTurn(number, end, "a reason")

    def called(self, at_rest: Collection[int]) -> set[int]:
        return self.letters & set(at_rest)

    def stop(self) -> None:
        self.stops += 1

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LOOK_SECONDS", 0)
    monkeypatch.setattr(stages, "FIRST_PAUSE", 0)


def test_a_stage_that_failed_as_a_whole_is_followed_by_a_pause_twice_as_long_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stages, "FIRST_PAUSE", 2)
    all_parts, pauses = parts(), []
    for _ in range(MAX_FAILURES + 1):
        all_parts = [part.after(TurnEnd.FAILED, "the store is full") for part in all_parts]
        pauses.append(pause_after(all_parts))
    assert pauses == [2, 4, 8, 16, 32, 0], "and none when all are given up"
    one_did = [all_parts[0], parts()[1].after(TurnEnd.CUT_SHORT), parts()[2].after(TurnEnd.FAILED, "lost")]
    assert pause_after(one_did) == 0


@given(st.lists(st.tuples(st.sampled_from(ENDS), st.integers(1, PARTS)), max_size=40), st.booleans())
def test_a_round_ends_with_every_part_at_rest_or_given_up_and_no_letter_left(
    script: list[tuple[TurnEnd, int]], in_stages: bool
) -> None:
    told: list[str] = []
    engine = Paper(script, in_stages=in_stages)
    crawl = Driver(engine, parts(), told.append)
    assert crawl.run()
    ends = {number: part.latest for number, part in crawl.parts.items()}
    lost = {part.part.number for part in given_up(crawl.parts.values())}
    assert {number for number, end in ends.items() if end is TurnEnd.AT_REST} == set(ends) - lost
    assert engine.letters <= lost, "only who was given up leaves letters where they are"
    assert engine.closed
    assert not engine.under_way
    assert sum(line.count("/4") for line in told if line.endswith("a reason (given up)")) == len(lost)


def test_a_part_that_fails_is_tried_again_and_given_up_after_so_many_failures_in_a_row() -> None:
    part = parts()[0].after(TurnEnd.FAILED, "lost").after(TurnEnd.CUT_SHORT)
    assert (part.failures, part.failures_in_a_row, part.told) == (1, 0, "")
    for _ in range(MAX_FAILURES):
        part = part.after(TurnEnd.FAILED, "lost")
        assert not part.is_given_up
    assert part.after(TurnEnd.FAILED, "lost").is_given_up
    assert parts()[0].after(TurnEnd.MISTAKEN, "no such seed").is_given_up, "another turn would be refused, too"


def test_who_rests_has_a_turn_only_where_letters_wait() -> None:
    first, second, third, fourth = (part.after(TurnEnd.AT_REST) for part in parts())
    assert due([first, second, third, fourth], under_way={3}, called={2, 3}) == [second]
    again = second.after(TurnEnd.CUT_SHORT)
    assert (again.has_rested, due([again], set(), set())) == (True, [again])


def test_a_stage_waits_for_all_its_turns_and_parts_side_by_side_for_none() -> None:
    script = [(TurnEnd.CUT_SHORT, each) for each in (2, 1)]
    staged, live = Paper(script, in_stages=True), Paper(script, in_stages=False)
    for engine in (staged, live):
        assert Driver(engine, parts(), print).run()
    assert staged.begun == [[1, 2, 3, 4], [1, 2]]
    assert live.begun[:2] == [[1, 2, 3, 4], [1]]


@pytest.mark.parametrize("in_stages", [True, False])
def test_a_part_that_failed_waits_twice_as_long_each_time_before_it_begins_again(
    in_stages: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    class Clock:
        monotonic = staticmethod(lambda: now[0])
        sleep = staticmethod(lambda seconds: now.__setitem__(0, now[0] + seconds))

    monkeypatch.setattr(driver, "time", Clock)
    monkeypatch.setattr(driver, "LOOK_SECONDS", 0.5)
    monkeypatch.setattr(stages, "FIRST_PAUSE", 4)
    engine = Paper([(TurnEnd.FAILED, 1)] * 2, in_stages=in_stages)
    begun: list[float] = []
    begin = engine.begin

    def noted(parts: Sequence[PartProgress]) -> None:
        begun.append(now[0])
        begin(parts)

    engine.begin = noted  # type: ignore[method-assign]  # the engine itself goes on
    assert Driver(engine, parts()[:1], print).run()
    assert [after - before for before, after in pairwise(begun)] == [4.5, 8.5], "and half a second until it is seen"


def test_ctrl_c_begins_nothing_more_and_waits_for_what_is_under_way() -> None:
    engine = Paper([(TurnEnd.CUT_SHORT, 1)] * 40, in_stages=True)
    ended, before = engine.ended, signal.getsignal(signal.SIGINT)

    def interrupted() -> Iterator[EndedTurn]:
        if len(engine.begun) == 2 and not engine.stops:
            signal.raise_signal(signal.SIGINT)
        yield from ended()

    engine.ended = interrupted  # type: ignore[method-assign]  # a person at this moment
    crawl = Driver(engine, parts(), print)
    assert not crawl.run()
    assert (len(engine.begun), engine.under_way, engine.closed) == (2, [], True)
    assert signal.getsignal(signal.SIGINT) is before
