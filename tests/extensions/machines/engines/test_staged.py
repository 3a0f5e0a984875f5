"""Which messages go to which stage, and what does a driver read from another's store? With real epochs."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from extensions.machines.driving.driver import Driver, EndedTurn, EngineError
from extensions.machines.driving.stages import TurnEnd
from extensions.machines.engines.staged import ROUND_OVER, Heard, PartWaits, Staged, Standing, driver_wait
from extensions.machines.store.outcomes import EpochOutcome, MessageFile, StoredFile
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.store.versions import Versions
from extensions.machines.tasks.messages import LostMessages
from extensions.machines.tasks.task import Task
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

PARTS = 3
Play = dict[tuple[int, int], tuple[str, tuple[int, ...]]]  # of a stage and a part: how it ends, and to whom it writes
RESTS: tuple[str, tuple[int, ...]] = ("finished", ())


class Paper:
    """Runs tasks without a crawl: each claims its part and commits what the play says, "" for nothing."""

    def __init__(self, store: SharedStore, play: Play) -> None:
        self.store = store
        self.play = play
        self.begun: dict[int, dict[int, Task]] = {}
        self.letters: dict[int, set[tuple[int, int]]] = {}  # by stage: senders and terms
        self.heard: list[Heard] = []
        self.ends = self.closes = 0

    def begin(self, tasks: Sequence[Any], letters: Sequence[MessageFile]) -> None:
        stage = tasks[0].stage
        self.begun[stage] = {task.part: task for task in tasks}
        self.letters[stage] = {(file.sender, file.term) for file in letters}
        for task in tasks:
            ending, to = self.play.get((stage, task.part), RESTS)
            self.heard.append(self.committed(task, ending, to) if ending else failed(task))

    def committed(self, task: Task, ending: str, to: tuple[int, ...]) -> EpochOutcome:
        term = self.store.terms(task.part).claim("a test", 5.0)
        file = MessageFile(task.part, term.number, StoredFile("letters", 0, ""), 0, len(to), len(to), to)
        counts = {"pages": 7, "queued": 0, "faults": 0, "sites": 1, "indexed": 7, "requests": 8}
        outcome = EpochOutcome(task.part, term.number, task.stage, ending, 0, 0.0, 1, counts, file, {})
        term.commit(outcome.as_json())
        return outcome

    def ended(self) -> Iterable[Heard]:
        heard, self.heard = self.heard, []
        return heard

    def end_at_once(self) -> None:
        self.ends += 1

    def close(self) -> None:
        self.closes += 1


def failed(task: Task) -> EndedTurn:
    return EndedTurn(task.part, TurnEnd.FAILED, "its machine was lost")


@pytest.fixture
def store(tmp_path: Path) -> SharedStore:
    return SharedStore.make(str(tmp_path / "store"), PARTS)


def engine(store: SharedStore, runner: Paper, told: list[str], over: threading.Event | None = None) -> Staged:
    example = Task(store.objects.uri, 1, 0, ("-a", "seeds=http://a.localhost/"), Versions("", "", 1), seconds=5)
    return Staged(store, runner, example, Mode.DUE, over or threading.Event(), told.append, most_delay=60.0)


def crawled(store: SharedStore, play: Play) -> tuple[Paper, list[str]]:
    """Play one driver to the end of its round."""
    runner, told = Paper(store, play), list[str]()
    staged = engine(store, runner, told)
    term = store.drivers.claim("a driver", 5.0)
    assert Driver(staged, staged.standing.progress(store.parts), told.append).run()
    term.commit({ROUND_OVER: staged.standing.stage})
    return runner, told


def test_letters_come_in_the_stage_after_and_wake_who_rests(store: SharedStore) -> None:
    play: Play = {(1, 1): ("finished", (3,)), (1, 2): ("bounded", ()), (2, 3): ("finished", (1,))}
    runner, told = crawled(store, play)
    assert {stage: set(tasks) for stage, tasks in runner.begun.items()} == {1: {1, 2, 3}, 2: {2, 3}, 3: {1}}
    assert runner.letters == {1: set(), 2: {(1, 1)}, 3: {(3, 2)}}
    words = {stage: {part: task.words[-1] for part, task in tasks.items()} for stage, tasks in runner.begun.items()}
    assert words[1] == dict.fromkeys((1, 2, 3), "mode=due")
    assert words[2] == {2: "mode=due", 3: "mode=discover"}, "who has rested asks for what is new"
    assert told == [
        "stage 1: 3 parts of 3, each for 5 s at most", "stage 1 is over: 21 pages stored, 0 queued",
        "stage 2: 2 parts of 3, each for 5 s at most", "stage 2 is over: 21 pages stored, 0 queued",
        "stage 3: 1 part of 3, each for 5 s at most", "stage 3 is over: 21 pages stored, 0 queued",
    ]  # fmt: skip


def test_who_failed_gets_the_letters_of_all_stages_that_it_missed(store: SharedStore) -> None:
    play: Play = {(1, 1): ("finished", (3,)), (2, 3): ("", ()), (1, 2): ("bounded", ()), (2, 2): ("finished", (3,))}
    runner, told = crawled(store, play)
    assert runner.letters[3] == {(1, 1), (2, 2)}
    assert "part 3/3: its machine was lost (to be tried again)" in told
    assert runner.begun[3][3].letters_from == 1


def test_another_driver_reads_from_the_store_where_the_round_stands(store: SharedStore) -> None:
    first = Paper(store, {(1, 2): ("bounded", ()), (1, 1): ("finished", (2,))})
    cut_short = engine(store, first, [])
    cut_short.begin(cut_short.standing.progress(PARTS))  # and then this driver is killed
    second, _ = crawled(store, {})
    assert {part: task.words[-1] for part, task in second.begun[2].items()} == {
        1: "mode=discover", 2: "mode=due", 3: "mode=discover",
    }  # fmt: skip
    assert second.letters[2] == {(1, 1)}
    third, _ = crawled(store, {})
    assert {task.words[-1] for task in third.begun[3].values()} == {"mode=due"}, "a round was over: this is a new one"


def test_a_driver_that_goes_on_says_what_it_waits_for_and_until_when(store: SharedStore) -> None:
    killed = Paper(store, {(1, 2): ("", ()), (1, 3): ("", ())})
    cut_short = engine(store, killed, [])
    cut_short.begin(cut_short.standing.progress(PARTS))
    store.terms(2).claim("host, process 7", 30.0)  # killed in its turn
    lost = store.terms(3).claim("host, process 8", 30.0)
    lost.give_up("its storage was full")
    told: list[str] = []
    staged = engine(store, Paper(store, {}), told)
    waits = PartWaits.read(store, (1, 2, 3))
    assert (set(waits.held), waits.lost) == ({2}, (3,)), "the turn of part 1 was committed"
    noon = time.mktime((2026, 11, 23, 12, 0, 0, 0, 0, -1))
    held, rests = waits.told(noon, 60.0)
    assert held == (
        "part 2/3: host, process 7 has not ended; a takeover needs 30 s without a heartbeat, until 12:00:30 if none "
        "comes"
    )
    assert rests.startswith("part 2/3 and 3/3: a lost turn may have asked hosts that nothing is stored of")
    assert rests.endswith("; these rest for MAX_CRAWL_DELAY=60 s first, until 12:01:30")
    staged.begin([part for part in staged.standing.progress(PARTS) if part.part.number == 3])
    assert "part 3/3: a lost turn may have asked" in told[0]
    assert told[1].startswith("stage 2: "), "it is told before anything is waited for"


def test_a_driver_that_was_killed_is_named_to_the_next_with_the_time_at_which_that_goes_on(store: SharedStore) -> None:
    assert driver_wait(store.drivers, 0.0) == ""
    term = store.drivers.claim("head, process 5", 30.0)
    noon = time.mktime((2026, 11, 23, 12, 0, 0, 0, 0, -1))
    assert driver_wait(store.drivers, noon) == (
        "head, process 5 drives this crawl and has not ended; if it sends no heartbeat for 30 s, until 12:00:30, this "
        "one continues"
    )
    term.commit({ROUND_OVER: 0})
    assert driver_wait(store.drivers, noon) == ""


def test_letters_that_can_not_be_read_are_told_and_their_sender_writes_them_again(store: SharedStore) -> None:
    runner, told = Paper(store, {}), list[str]()
    staged = engine(store, runner, told)
    begin = runner.begin

    def lost(tasks: Sequence[Any], letters: Sequence[MessageFile]) -> None:
        runner.heard += [LostMessages(2, "letters of part 2 can't be delivered yet")] if tasks[0].stage == 1 else []
        begin(tasks, letters)

    runner.begin = lost  # type: ignore[method-assign]  # storage that fails at this moment
    assert Driver(staged, staged.standing.progress(PARTS), told.append).run()
    assert set(runner.begun[2]) == {2}
    assert "letters of part 2 can't be delivered yet" in told


def test_ctrl_c_asks_the_stage_to_end_in_the_store_and_a_second_one_ends_it_here(store: SharedStore) -> None:
    runner, told = Paper(store, {}), list[str]()
    staged = engine(store, runner, told)
    staged.begin(staged.standing.progress(PARTS))
    assert not store.is_stopped(1)
    staged.stop()
    list(staged.ended())
    assert (store.is_stopped(1), runner.ends) == (True, 0)
    assert any("ending in order" in line for line in told)
    staged.stop()
    staged.stop()
    list(staged.ended())
    assert runner.ends == 1


def test_a_driver_that_was_not_heard_of_gives_way_to_the_one_that_took_over(store: SharedStore) -> None:
    runner, over = Paper(store, {}), threading.Event()
    staged = engine(store, runner, [], over)
    over.set()
    with pytest.raises(EngineError, match="no heartbeat of this driver for its whole lease, so that another may"):
        Driver(staged, staged.standing.progress(PARTS), print).run()
    assert (runner.ends, runner.closes) == (1, 1), "what it had under way is killed"
    slow = engine(store, runner, [])
    store.begin_stage(1, {1: 4})
    with pytest.raises(EngineError, match="another driver has taken over"):
        slow.begin(slow.standing.progress(PARTS))


def test_a_round_that_was_given_up_goes_on(store: SharedStore) -> None:
    crawled(store, {})
    term = store.drivers.claim("a driver", 5.0)
    term.commit({ROUND_OVER: 0})
    assert Standing.read(store).round_ended_at == 1
