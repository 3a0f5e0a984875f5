"""Two never hold a part at once, and at most one commits: machines are stopped, killed and slow in every order."""

from __future__ import annotations

import shutil
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.machines.store.epochs import (
    BEAT,
    COMMITTED,
    DRIFT,
    OUTCOME,
    EpochHeld,
    EpochOver,
    EpochSequence,
    OwnedEpoch,
    kept,
)
from extensions.machines.store.objects import FolderObjects, StoreError
from tests.child import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LEASE = 10.0
LONG = 3.0  # seconds of a lease that a busy machine does not lose between two beats
MACHINES = 3
IN_MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None  # these objects need to outlive no power cut


@dataclass
class World:
    """What happened, in true time, which no machine knows: who sent a request in which term, and who committed."""

    now: float = 0.0
    sent: list[tuple[int, str]] = field(default_factory=list)
    committed: list[tuple[int, str]] = field(default_factory=list)


class SwitchedOff(BaseException):
    """The machine does nothing more: no handler of errors runs on it."""


class Machine(threading.Thread):
    """A machine that claims, works, renews and commits again and again. It goes on one step whenever it is let.

    A step ends before and after each act on the storage, so that whatever another does can come between. Its clock
    began anywhere, and is up to half a percent too slow or too fast.
    """

    def __init__(self, world: World, folder: Path, name: str, offset: float, rate: float) -> None:
        super().__init__(name=name, daemon=True)
        self._world = world
        self._offset, self._rate = offset, rate
        self._may_go, self._has_stopped = threading.Semaphore(0), threading.Semaphore(0)
        self.until = 0.0  # in true time: it sleeps until then
        self._switched_off = False
        self._terms = EpochSequence(Stepwise(FolderObjects(folder), self.pause), "terms", self.clock, self.sleep)

    def clock(self) -> float:
        return self._offset + self._world.now * self._rate

    def sleep(self, seconds: float) -> None:
        self.until = self._world.now + seconds / self._rate
        self.pause()

    def pause(self) -> None:
        self._has_stopped.release()
        self._may_go.acquire()
        if self._switched_off:
            raise SwitchedOff

    def step(self) -> None:
        self._may_go.release()
        self._has_stopped.acquire()

    def switch_off(self) -> None:
        self._switched_off = True
        self._may_go.release()
        self.join()

    def run(self) -> None:
        self._may_go.acquire()
        with suppress(SwitchedOff):
            while not self._switched_off:
                with suppress(EpochHeld, EpochOver):
                    self._crawl()
                self.pause()

    def _crawl(self) -> None:
        term = self._terms.claim(self.name, LEASE)
        self._work(term)
        term.commit({"by": self.name})
        self._world.committed.append((term.number, self.name))

    def _work(self, term: OwnedEpoch) -> None:
        for turn in range(3):
            self.sleep(LEASE / 3)
            if term.lasts():
                self._world.sent.append((term.number, self.name))
            if turn < 2:
                term.renew()


class Stepwise:
    """Storage whose every act takes two steps: it is done between them."""

    def __init__(self, objects: FolderObjects, pause: Callable[[], None]) -> None:
        self._objects = objects
        self._pause = pause

    def __getattr__(self, name: str) -> Any:
        act = getattr(self._objects, name)
        if not callable(act):
            return act

        def done_between(*given: Any) -> Any:
            self._pause()
            found = act(*given)
            self._pause()
            return found

        return done_between


STEPS = st.lists(
    st.tuples(
        st.integers(0, MACHINES - 1),  # whose turn it is
        st.sampled_from((1, 1, 3, 10, 40)),  # for how many steps
        st.sampled_from((0.0, 0.0, 0.05, 1.0, LEASE / 3, LEASE, 1.2 * LEASE)),  # seconds that pass before
    ),
    min_size=20,
    max_size=60,
)
CLOCKS = st.tuples(st.floats(-600, 600), st.floats(0.996, 1.004))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(STEPS, st.tuples(*[CLOCKS] * MACHINES), st.sets(st.integers(0, MACHINES - 1), max_size=MACHINES - 1))
def test_whatever_is_stopped_or_killed_two_never_work_at_once_and_one_commits(
    steps: list[tuple[int, int, float]], clocks: tuple[tuple[float, float], ...], killed: set[int]
) -> None:
    folder = Path(tempfile.mkdtemp(dir=IN_MEMORY))
    world = World()
    machines = [Machine(world, folder, f"machine {number}", *clock) for number, clock in enumerate(clocks)]
    try:
        for machine in machines:
            machine.start()
        for place, (who, times, seconds) in enumerate(steps):
            world.now += seconds
            if who in killed and place > len(steps) // 2:
                continue
            for _ in range(times):
                # Time passes while a machine sleeps, whichever it is: a step of who sleeps wakes it late, never early.
                world.now = max(world.now, machines[who].until)
                machines[who].step()
    finally:
        for machine in machines:
            machine.switch_off()
        plain = EpochSequence(FolderObjects(folder), "terms")
        outcomes = {number: plain.outcome(number) or {} for number in plain.ended()}
        newest = plain.newest()
        shutil.rmtree(folder)
    terms = [term for term, _ in world.sent]
    assert terms == sorted(terms), "nobody sends a request once another has begun"
    assert len(set(world.sent)) == len(set(terms)), "a term has one holder"
    told = {term: outcome["by"] for term, outcome in outcomes.items() if outcome["kind"] == COMMITTED}
    assert dict(world.committed).items() <= told.items(), "who was told that it has committed, has"
    assert len(world.committed) == len(set(world.committed))
    assert set(outcomes) >= set(range(1, newest)), "a term begins when the one before has ended"


@pytest.fixture
def terms(tmp_path: Path) -> EpochSequence:
    return EpochSequence(FolderObjects(tmp_path), "terms")


def test_the_next_term_need_not_wait_for_one_that_ended(terms: EpochSequence) -> None:
    first = terms.claim("one", 600.0)
    assert (held := terms.unended()) is not None
    assert held.holder == "one"
    first.commit({"files": {}})
    second = terms.claim("two", 600.0)
    second.give_up("no seeds")
    assert (first.number, second.number, terms.newest(), terms.unended()) == (1, 2, 2, None)
    assert terms.outcome(2) == {"kind": "abandoned", "reason": "two: no seeds"}


def test_who_comes_second_is_told_the_name_of_the_first_that_is_at_work(terms: EpochSequence) -> None:
    with kept(terms.claim("driver on host a", LONG)), pytest.raises(EpochHeld, match="driver on host a is at work"):
        terms.claim("driver on host b", LONG)


def test_what_comes_too_late_is_refused_with_the_reason(terms: EpochSequence) -> None:
    first = terms.claim("one", 0.1)
    assert terms.claim("two", 0.1).number == 2
    with pytest.raises(EpochOver, match=r"term 1 was abandoned: one gave no sign for 0.1 s"):
        first.commit({})
    with pytest.raises(EpochOver, match="ran out before it was renewed"):
        first.renew()


def test_a_storage_that_fails_for_a_moment_costs_no_term_and_one_that_fails_for_longer_does(tmp_path: Path) -> None:
    class Failing(FolderObjects):
        fails = False
        failures = 0

        def replace(self, name: str, data: bytes) -> None:
            if self.fails:
                self.failures += 1
                raise StoreError("no answer")
            super().replace(name, data)

    objects = Failing(tmp_path)
    deadlines: list[float] = []
    with kept(EpochSequence(objects, "terms").claim("one", LONG), deadlines.append) as over:
        objects.fails = True
        wait_until(lambda: objects.failures)
        objects.fails = False
        wait_until(lambda: len(deadlines) > 1)
        assert not over.is_set()
        objects.fails = True
        wait_until(over.is_set)


class Slow(FolderObjects):
    """Storage whose every act takes some seconds on the clock `now`; the last moment of them is when it is done."""

    def __init__(self, folder: Path, seconds: float) -> None:
        super().__init__(folder)
        self._seconds = seconds
        self.now = 1000.0
        self.beats_read: list[tuple[float, float]] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def read(self, name: str) -> bytes | None:
        self.now += self._seconds
        if name.endswith(BEAT):
            self.beats_read.append((self.now - self._seconds, self.now))
        return super().read(name)

    def create(self, name: str, data: bytes) -> bytes:
        self.now += self._seconds
        return super().create(name, data)

    def replace(self, name: str, data: bytes) -> None:
        self.now += self._seconds
        super().replace(name, data)


@pytest.mark.parametrize("seconds", [0.85, 2.5, 3.0])
def test_a_lease_begins_before_the_storage_is_asked_and_a_wait_for_its_end_after_its_answer(
    tmp_path: Path, seconds: float
) -> None:
    slow = Slow(tmp_path, seconds)
    terms = EpochSequence(slow, "terms", lambda: slow.now, slow.sleep)
    first = terms.claim("one", LEASE)
    assert first.deadline == pytest.approx(slow.now - seconds + LEASE)
    assert first.renew() == pytest.approx(slow.now - seconds + LEASE)
    second = terms.claim("two", LEASE)
    begun, ended = slow.beats_read[-1][0], slow.beats_read[0][1]
    assert begun - ended >= LEASE * DRIFT
    assert second.deadline == pytest.approx(slow.now - seconds + LEASE)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"holder": "x"}', b"\xff"])
def test_a_claim_that_is_damaged_is_told_by_its_name(terms: EpochSequence, content: bytes) -> None:
    terms.objects.replace("terms/000001.claim", content)
    with pytest.raises(StoreError, match=r"terms/000001.claim is not as it was written; put back a backup"):
        terms.claim("two", 0.1)


def test_an_outcome_is_written_once(terms: EpochSequence) -> None:
    first = terms.claim("one", 0.1)
    first.commit({"folder": "a"})
    with pytest.raises(EpochOver):
        first.commit({"folder": "b"})
    found: Iterator[str] = (name for name in terms.objects.names("terms") if name.endswith(OUTCOME))
    assert list(found) == ["000001.outcome"]
