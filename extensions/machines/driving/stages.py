"""Which part of a divided crawl runs next, and when is its round over? Pure functions of the parts' progress decide.

A round is over when every part is at rest and no message is on its way to one. A part whose turn failed gets another
one. It is given up after too many failures in a row, or at once if another turn can't help. The others continue: one
failing part ends no crawl.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from urls.wording import counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from crawldb.parts.partition import Partition

FIRST_PAUSE = 2.0  # seconds; with each stage that fails as a whole, twice as many: a minute in all
NAMED = 5  # parts in one line, at most
MAX_FAILURES = 5  # of one part in a row: after so many, it would fail again


class TurnEnd(Enum):
    """How one crawl of a part ended."""

    AT_REST = "at rest"  # by itself: nothing was left to do
    CUT_SHORT = "cut short"  # by the time or page limit of its stage, or by a person
    FAILED = "failed"  # killed, or its storage or machine failed
    MISTAKEN = "mistaken"  # it rejected its arguments: another turn would too


FAILURES = frozenset({TurnEnd.FAILED, TurnEnd.MISTAKEN})


@dataclass(frozen=True, slots=True)
class PartProgress:
    """The progress of a part in a round: its `turns` so far, and how the latest ended (None: no turn yet)."""

    part: Partition
    turns: int = 0
    latest: TurnEnd | None = None
    has_rested: bool = False  # at some time in this round: from then on it fetches only new URLs
    failures: int = 0  # of all its turns
    failures_in_a_row: int = 0
    told: str = ""  # the message of its latest failure

    @property
    def is_given_up(self) -> bool:
        """Whether it gets no other turn in this round."""
        return self.latest is TurnEnd.MISTAKEN or self.failures_in_a_row > MAX_FAILURES

    def after(self, end: TurnEnd, told: str = "") -> PartProgress:
        """Return the progress after one more turn."""
        failed = end in FAILURES
        return replace(
            self,
            turns=self.turns + 1,
            latest=end,
            has_rested=self.has_rested or end is TurnEnd.AT_REST,
            failures=self.failures + failed,
            failures_in_a_row=self.failures_in_a_row + 1 if failed else 0,
            told=told if failed else "",
        )


def due(parts: Iterable[PartProgress], under_way: Collection[int], called: Collection[int]) -> list[PartProgress]:
    """Return the parts due for a turn; `under_way` have one now, and messages wait for those `called` (numbers)."""
    return [
        each
        for each in parts
        if each.part.number not in under_way
        and not each.is_given_up
        and (each.latest is not TurnEnd.AT_REST or each.part.number in called)
    ]


def pause_after(stage: Iterable[PartProgress]) -> float:
    """Return how many seconds to wait after a stage: if all its parts failed, a shared fault may pass.

    Side by side, each part is a stage by itself.
    """
    parts = [each for each in stage if not each.is_given_up]
    if not parts or any(each.latest is not TurnEnd.FAILED for each in parts):
        return 0.0
    return FIRST_PAUSE * 2.0 ** (min(each.failures_in_a_row for each in parts) - 1)


def named(parts: Sequence[str]) -> str:
    """Return part names such as "1/16" as one phrase: listed if they are few, else only counted."""
    return f"part {enumerated(parts)}" if len(parts) <= NAMED else counted(len(parts), "part")


def given_up(parts: Iterable[PartProgress]) -> list[PartProgress]:
    """Return the parts that were given up."""
    return [each for each in parts if each.is_given_up]
