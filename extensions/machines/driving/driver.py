"""Which loop gives all parts of a crawl their turns? The same one for every engine: processes here, or Spark.

It reads from the engine which turns ended, from `stages` which parts are due, and lets the engine begin these. An
engine with stages begins the next turns when all have ended; parts side by side each begin by themselves. Ctrl-C lets
the running turns end cleanly; a second one ends them at once. The driver can read its state again from the store of the
parts: when it is killed, another one continues.
"""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from extensions.machines.driving.stages import FAILURES, PartProgress, TurnEnd, due, named, pause_after

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

LOOK_SECONDS = 0.25  # between two looks at the engine


@dataclass(frozen=True, slots=True)
class EndedTurn:
    """How the turn of a part ended, with the reason if it failed, and the result of a job."""

    number: int
    end: TurnEnd
    told: str = ""
    answer: object = None


class Engine(Protocol):
    """Runs turns of parts. None of its methods waits for a turn to end."""

    in_stages: bool  # whether it begins turns only when none is under way

    def begin(self, parts: Sequence[PartProgress]) -> None:
        """Begin a turn of each of these parts."""

    def ended(self) -> Iterable[EndedTurn]:
        """Return the turns that ended since the last call; raise `EngineError` if the engine itself can't continue."""

    def called(self, at_rest: Collection[int]) -> Collection[int]:
        """Return those of these parts for which messages wait."""

    def stop(self) -> None:
        """Let all turns end cleanly; called again, at once. A signal handler calls it, so it waits for nothing."""

    def close(self) -> None:
        """Wait for the stopped turns, and free all resources."""


class EngineError(Exception):
    """The engine can't run anything more; the message says what was given, what is wrong and what would work."""


class Driver:
    """Gives the parts of one crawl their turns, to the end of the round; `tell` gets the messages for a person."""

    def __init__(self, engine: Engine, parts: Sequence[PartProgress], tell: Callable[[str], None]) -> None:
        self.parts = {each.part.number: each for each in parts}
        self._engine = engine
        self._tell = tell
        self._under_way: set[int] = set()
        self._asked_to_stop = False
        self._stage: set[int] = set()  # parts that began together
        self._rests_until = 0.0
        self._part_rests: dict[int, float] = {}  # the same for each failed part, if parts begin by themselves
        self._untold: dict[tuple[str, bool], list[str]] = {}  # parts that failed alike: one message for all

    def run(self) -> bool:
        """Crawl to the end of the round; return False if a person stopped it earlier. Raises `EngineError`."""
        with self._listening():
            try:
                while self._look():
                    time.sleep(LOOK_SECONDS)
            finally:
                self._engine.stop()  # if an exception left some running
                self._engine.close()
        return not self._asked_to_stop

    def _look(self) -> bool:
        """Note which turns ended, and begin those due; return whether the round continues."""
        self._note(list(self._engine.ended()))
        if self._asked_to_stop or (self._engine.in_stages and self._under_way):
            return bool(self._under_way)
        if time.monotonic() < self._rests_until:
            return True
        # Read after the turns: this sees what a turn handed over before it ended.
        resting = [
            number
            for number, each in self.parts.items()
            if each.latest is TurnEnd.AT_REST and number not in self._under_way
        ]
        failed = {number for number, until in self._part_rests.items() if time.monotonic() < until}
        begun = due(self.parts.values(), self._under_way | failed, self._engine.called(resting))
        if begun:
            self._stage = {each.part.number for each in begun}
            self._under_way |= self._stage
            self._engine.begin(begun)
        return bool(self._under_way or failed)

    def _note(self, turns: Sequence[EndedTurn]) -> None:
        for turn in turns:
            part = self.parts[turn.number] = self.parts[turn.number].after(turn.end, turn.told)
            self._under_way.discard(turn.number)
            if not self._engine.in_stages:
                self._part_rests[turn.number] = time.monotonic() + pause_after([part])
            if turn.end in FAILURES:
                self._untold.setdefault((turn.told, part.is_given_up), []).append(str(part.part))
        if turns and self._engine.in_stages and not self._under_way:
            self._rests_until = time.monotonic() + pause_after(self.parts[number] for number in self._stage)
        for (message, is_given_up), parts in list(self._untold.items()):
            if is_given_up and self._engine.in_stages and self._under_way:
                continue  # others of the stage may end alike
            del self._untold[message, is_given_up]
            verdict = "given up" if is_given_up else "" if self._asked_to_stop else "to be tried again"
            self._tell(f"{named(parts)}: {message}" + (f" ({verdict})" if verdict else ""))

    @contextmanager
    def _listening(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, *_: object) -> None:
        """End cleanly, or at once when it is called again. Takes the arguments of a signal handler."""
        self._asked_to_stop = True
        self._engine.stop()
