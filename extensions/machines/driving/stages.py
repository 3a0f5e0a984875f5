"""What runs next in a divided crawl, and when is its round over? Decided here alone, from how the parts stand; pure.

A round is over when every part is at rest and no letter is on its way to one. A part whose turn failed gets another,
and is given up after so many failures in a row; at once where another turn could not help. The others go on: one part
that can't go on ends no crawl.
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
MAX_FAILURES = 5  # of one part in a row: what fails so often would fail again


class TurnEnd(Enum):
    """How one crawl of a part ended."""

    AT_REST = "at rest"  # by itself: nothing was left to do
    CUT_SHORT = "cut short"  # by the seconds or pages of its stage, or by a person
    FAILED = "failed"  # killed, or its storage or machine let it down
    MISTAKEN = "mistaken"  # it refused to begin: another turn would be refused, too


FAILURES = frozenset({TurnEnd.FAILED, TurnEnd.MISTAKEN})


@dataclass(frozen=True, slots=True)
class PartProgress:
    """How a part stands in a round: its `turns` so far, and how the latest ended; None: it has had none."""

    part: Partition
    turns: int = 0
    latest: TurnEnd | None = None
    has_rested: bool = False  # at some time in this round: from then on it asks only for what was never fetched
    failures: int = 0  # of all its turns
    failures_in_a_row: int = 0
    told: str = ""  # what its latest failure said

    @property
    def is_given_up(self) -> bool:
        """Whether it gets no other turn in this round."""
        return self.latest is TurnEnd.MISTAKEN or self.failures_in_a_row > MAX_FAILURES

    def after(self, end: TurnEnd, told: str = "") -> PartProgress:
        """Return how it stands when one more turn has ended."""
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
    """Return the parts that should have a turn now, by the numbers of those that have one and that letters wait for."""
    return [
        each
        for each in parts
        if each.part.number not in under_way
        and not each.is_given_up
        and (each.latest is not TurnEnd.AT_REST or each.part.number in called)
    ]


def pause_after(stage: Iterable[PartProgress]) -> float:
    """Return how many seconds to wait when a stage has ended: if all parts failed, what they share may come back.

    A part that lies beside others is a stage by itself.
    """
    parts = [each for each in stage if not each.is_given_up]
    if not parts or any(each.latest is not TurnEnd.FAILED for each in parts):
        return 0.0
    return FIRST_PAUSE * 2.0 ** (min(each.failures_in_a_row for each in parts) - 1)


def named(parts: Sequence[str]) -> str:
    """Return parts, each as "1/16", by their names as long as these are few."""
    return f"part {enumerated(parts)}" if len(parts) <= NAMED else counted(len(parts), "part")


def given_up(parts: Iterable[PartProgress]) -> list[PartProgress]:
    """Return the parts that could not go on."""
    return [each for each in parts if each.is_given_up]
