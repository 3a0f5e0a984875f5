"""How does a crawl continue whose parts are kept in a store? In stages: each sees all commits made before it began.

When a stage begins, it writes a snapshot into the store: the newest epoch of each part. The messages of these epochs go
to the parts that have a turn; messages written meanwhile come with the next stage. A driver keeps no state that it
can't read from the store again. If one is killed, another reads the progress of the parts, and continues.

Which waits follow a takeover? For the lease of an owner without a sign of life, and for hosts.

The crawl sends no request meanwhile, so a message says what it waits for, and until when. A killed machine can't report
that its epochs are over: they last as long as their leases (store/epochs.py). Its requests to new hosts are unknown
too. So these hosts rest for as long as any robots.txt may require (spiders/pace/host_pace.py).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, Self

from crawldb.parts.partition import Partition
from extensions.machines.driving.driver import EndedTurn, EngineError
from extensions.machines.driving.stages import PartProgress, TurnEnd, named
from extensions.machines.store.epochs import ABANDONED, DRIFT
from extensions.machines.store.outcomes import EpochOutcome
from extensions.machines.tasks.messages import LostMessages
from urls.schedule import Mode
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from threading import Event

    from crawldb.parts.mailbox import SentMessage
    from extensions.machines.store.epochs import EpochClaim, EpochSequence
    from extensions.machines.store.outcomes import MessageFile
    from extensions.machines.store.shared_store import SharedStore
    from extensions.machines.tasks.task import Task


@dataclass(frozen=True, slots=True)
class PartWaits:
    """The waits of parts: `held` have an owner that has not ended; an earlier turn of `lost` was abandoned."""

    of: int
    held: dict[int, EpochClaim] = field(default_factory=dict)
    lost: tuple[int, ...] = ()

    @classmethod
    def read(cls, store: SharedStore, parts: Iterable[int]) -> Self:
        """Read from the store which of the newest epochs of parts have ended, and how."""
        held, lost = {}, []
        for part in parts:
            terms = store.terms(part)
            if claim := terms.unended():
                held[part] = claim
            elif (number := terms.newest()) and (terms.outcome(number) or {}).get("kind") == ABANDONED:
                lost.append(part)
        return cls(store.parts, held, tuple(lost))

    def told(self, now: float, most_delay: float) -> Iterator[str]:
        """Yield the messages; `now` is in seconds since the epoch, `most_delay` is MAX_CRAWL_DELAY in seconds."""
        lease = max((claim.lease * DRIFT for claim in self.held.values()), default=0.0)
        if self.held:
            holders = sorted({claim.holder for claim in self.held.values()})
            yield (
                f"{self._named(self.held)}: {holders[0]}{' and others have' if holders[1:] else ' has'} not ended; "
                f"a takeover needs {lease:.0f} s without a heartbeat, until {clock_time(now + lease)} if none comes"
            )
        if most_delay and (self.held or self.lost):
            yield (
                f"{self._named((*self.held, *self.lost))}: a lost turn may have asked hosts that nothing is stored of; "
                f"these rest for MAX_CRAWL_DELAY={most_delay:g} s first, until {clock_time(now + lease + most_delay)}"
            )

    def _named(self, parts: Iterable[int]) -> str:
        return named([str(Partition(part, self.of)) for part in sorted(parts)])


def driver_wait(drivers: EpochSequence, now: float) -> str:
    """Return why a driver can't begin at once; "" if it can."""
    claim = drivers.unended()
    if claim is None:
        return ""
    lease = claim.lease * DRIFT
    return (
        f"{claim.holder} drives this crawl and has not ended; if it sends no heartbeat for {lease:.0f} s, until "
        f"{clock_time(now + lease)}, this one continues"
    )


def clock_time(seconds: float) -> str:
    """Return the time of day here, as 14:03:20."""
    return time.strftime("%H:%M:%S", time.localtime(seconds))


BOUNDED = "bounded"  # the ending of an `EpochOutcome` with URLs left to fetch; else the rest is not due yet
ROUND_OVER = "round_over"  # in a driver's outcome: the stage that ended its round, 0 if none did
UNHEARD = (
    "the store took no heartbeat of this driver for its whole lease, so that another may have taken over; if none "
    "has, the same command continues. Slow storage needs a longer --lease"
)
ANOTHER = "another driver has taken over, as this one sent no heartbeat: let that one continue"


Heard = EpochOutcome | EndedTurn | LostMessages  # from a task: its committed outcome, or its failure


class PartTask(Protocol):
    """Work on a part, on any machine: a turn of its crawl (`Task`), or its share of a job."""

    @property
    def store(self) -> str:
        """The URI of the store that keeps the part."""

    @property
    def part(self) -> int:
        """Its number."""

    def run(self, letters: Iterable[SentMessage]) -> EpochOutcome | EndedTurn:
        """Do the work, with the messages to the part. Raises `TaskFailed`, or `TaskRefused`."""


class TaskRunner(Protocol):
    """Runs tasks somewhere. None of its methods waits for a task to end."""

    def begin(self, tasks: Sequence[PartTask], letters: Sequence[MessageFile]) -> None:
        """Begin the tasks of a stage, each with the messages to its part."""

    def ended(self) -> Iterable[Heard]:
        """Return the reports since the last call."""

    def end_at_once(self) -> None:
        """Kill the running tasks; begin no more."""

    def close(self) -> None:
        """Wait for the running tasks, and free all resources."""


@dataclass(slots=True)
class Standing:
    """The progress of a crawl in a store: its latest stage, and the stage that ended the latest round (0: none yet)."""

    stage: int
    round_ended_at: int
    newest: dict[int, EpochOutcome]  # by part: the last committed outcome

    @classmethod
    def read(cls, store: SharedStore) -> Standing:
        """Read it from the store."""
        ends = (store.drivers.outcome(number) or {} for number in store.drivers.ended())
        round_ended_at = next((int(end[ROUND_OVER]) for end in ends if end.get(ROUND_OVER)), 0)
        return cls(store.last_stage(), round_ended_at, store.newest())

    def progress(self, of: int) -> list[PartProgress]:
        """Return the progress of each part in the current round, or in a new one: each gets a turn."""
        return [
            PartProgress(Partition(number, of), has_rested=self._has_rested(self.newest.get(number)))
            for number in range(1, of + 1)
        ]

    def _has_rested(self, outcome: EpochOutcome | None) -> bool:
        return outcome is not None and outcome.ending != BOUNDED and outcome.stage > self.round_ended_at

    def sums(self) -> str:
        """Return the totals of all parts, as a phrase."""
        pages, queued = (sum(each.counts[name] for each in self.newest.values()) for name in ("pages", "queued"))
        return f"{counted(pages, 'page')} stored, {queued:,} queued"


class Staged:
    """Runs the parts of a crawl in a store by tasks like `example`, while the driver's epoch lasts."""

    in_stages = True

    def __init__(
        self,
        store: SharedStore,
        runner: TaskRunner,
        example: Task,
        mode: Mode,
        term_over: Event,
        tell: Callable[[str], None],
        most_delay: float = 0.0,
    ) -> None:
        """Continue from the stored progress; `most_delay` is MAX_CRAWL_DELAY in seconds, for messages about waits."""
        self.standing = Standing.read(store)
        self._store = store
        self._runner = runner
        self._example = example
        self._mode = mode
        self._term_over = term_over
        self._tell = tell
        self._most_delay = most_delay
        self._has_letters_to = {number: outcome.stage for number, outcome in self.standing.newest.items()}
        self._called: set[int] = set()
        self._under_way: set[int] = set()
        self._stops = 0  # requested so far
        self._stops_passed_on = 0

    def begin(self, parts: Sequence[PartProgress]) -> None:
        """Begin the next stage."""
        self.standing.stage += 1
        terms = {number: outcome.term for number, outcome in self.standing.newest.items()}
        if not self._store.begin_stage(self.standing.stage, terms):
            raise EngineError(ANOTHER)
        since = min(self._has_letters_to.get(each.part.number, 0) for each in parts)
        letters = self._store.message_files(since, self.standing.stage)
        self._tell_waits(parts)  # before any of them has an owner in this stage
        self._under_way = {each.part.number for each in parts}
        self._called -= self._under_way
        self._runner.begin([self._task(each, since) for each in parts], letters)
        pages = f" or {counted(self._example.pages, 'page')}" if self._example.pages else ""
        self._tell(
            f"stage {self.standing.stage}: {counted(len(parts), 'part')} of {self._store.parts}, "
            f"each for {self._example.seconds:g} s{pages} at most"
        )

    def _tell_waits(self, parts: Sequence[PartProgress]) -> None:
        """Report the waits for parts on which another process, or an earlier turn, may be at work."""
        if self.standing.stage == 1:
            return  # there was no earlier turn
        doubtful = [each.part.number for each in parts if each.latest in {None, TurnEnd.FAILED}]
        for line in PartWaits.read(self._store, doubtful).told(time.time(), self._most_delay):
            self._tell(line)

    def _task(self, each: PartProgress, since: int) -> Task:
        mode = Mode.DISCOVER if each.has_rested else self._mode
        words = (*self._example.words, "-a", f"mode={mode.value}")
        return replace(self._example, part=each.part.number, stage=self.standing.stage, words=words, letters_from=since)

    def ended(self) -> Iterator[EndedTurn]:
        """Yield the parts whose tasks ended since the last call."""
        if self._term_over.is_set():
            raise EngineError(UNHEARD)
        self._pass_on_stops()
        at_work = bool(self._under_way)
        for heard in self._runner.ended():
            if isinstance(heard, LostMessages):
                self._tell(heard.told)
                self._called.add(heard.sender)
                continue
            turn = self._noted(heard) if isinstance(heard, EpochOutcome) else heard
            self._under_way.discard(turn.number)
            yield turn
        if at_work and not self._under_way:
            self._tell(f"stage {self.standing.stage} is over: {self.standing.sums()}")

    def _noted(self, outcome: EpochOutcome) -> EndedTurn:
        self.standing.newest[outcome.part] = outcome
        self._has_letters_to[outcome.part] = outcome.stage
        self._called |= set(outcome.letters.receivers)
        for sentence in outcome.told:
            self._tell(f"part {outcome.part}: {sentence}")
        return EndedTurn(outcome.part, TurnEnd.CUT_SHORT if outcome.ending == BOUNDED else TurnEnd.AT_REST)

    def called(self, at_rest: Collection[int]) -> set[int]:
        """Return those of the parts with messages written since their last turn."""
        resting = set(at_rest)
        # The next stage's snapshot will have no messages for the others.
        self._has_letters_to |= dict.fromkeys(resting - self._called, self.standing.stage + 1)
        return self._called & resting

    def _pass_on_stops(self) -> None:
        while self._stops_passed_on < min(self._stops, 2):
            self._stops_passed_on += 1
            if self._stops_passed_on == 1:
                self._store.stop_stage(self.standing.stage)
                self._tell("ending in order: what is under way is put back first; Ctrl-C again ends it at once")
            else:
                self._runner.end_at_once()

    def stop(self) -> None:
        """Note that the stage should end cleanly; the second time, at once."""
        self._stops += 1

    def close(self) -> None:
        """End the tasks that an exception left running."""
        self._runner.end_at_once()
        self._runner.close()
