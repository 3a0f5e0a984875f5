"""What does spoofing cost a page? A share of its score for each signal, shown as a part of it that is less than 0.

    demotion = - score so far x penalty x strength        strength: how sure the sign is, 0 to 1
    (urls/signals.py)

One signal after the other is taken from what the others have left, so that a score never falls below 0. An anchor bomb
is made by others: it takes only from what the words of links give, and can't harm a page that answers by itself.

A page that was never fetched, and that only links tell of, loses UNFETCHED of its score in the same way: it stands
behind pages that answer by what they say, and first where no other page answers.

Ranking and explanation ask the same function; only the few pages with a signal are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.segments.schema import NOT_FETCHED, unpack_signals
from urls.signals import SIGNAL_NAMES, SignalName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from indexer.segments.schema import SignalRow

DEMOTION_IN_WORDS = (
    "What a sign of spoofing takes, or that a page was never fetched, is below 0: "
    "the score so far x penalty x strength of the sign."
)
UNFETCHED = 0.9  # share of a score that the words of links alone have made: nobody knows whether the page keeps them
_UNFETCHED_EVIDENCE = "it was never fetched, and answers by the words of links to it alone"
_IN_ORDER = (SignalName.ANCHOR_BOMB, *(name for name in SIGNAL_NAMES if name is not SignalName.ANCHOR_BOMB))


@dataclass(frozen=True, slots=True)
class Penalty:
    """Which signals lower a score, and which share of it one at full strength takes: the settings SPOOF_…"""

    signals: frozenset[SignalName] = frozenset(SIGNAL_NAMES)
    share: float = 0.99  # a cheat that has rare words of a question should not beat an honest page without them


@dataclass(frozen=True, slots=True)
class Demotion:
    """What one signal takes. It stands among the parts of a score: `term` is its name, `field` "signal"."""

    term: str
    field: str
    value: float  # not above 0; rounded as any part is
    base: float  # what it is taken from: the score that was left, or what the words of links gave
    penalty: float  # share of it that a strength of 1 takes
    strength: float  # 0 to 1
    evidence: str

    def __str__(self) -> str:
        return (
            f"{self.value:.4f}  {self.term}: {self.evidence}; "
            f"-({self.base:.4f} x penalty {self.penalty:g} x strength {self.strength:.2f})"
        )


def lowered(score: float, linked: Callable[[], float], packed: int, penalty: Penalty) -> float:
    """Return a score less what the signals of its page take; `linked` tells how much of it the words of links give."""
    return score - sum(amount for _, _, amount, _, _ in _taken(score, linked, packed, penalty))


def demotions(
    score: float, linked: Callable[[], float], packed: int, penalty: Penalty, told: Iterable[SignalRow]
) -> list[Demotion]:
    """Return what each signal takes from a score, not rounded yet; `told` has the evidence of each."""
    evidence = {name.value: name.explanation for name in SIGNAL_NAMES} | {"not-fetched": _UNFETCHED_EVIDENCE}
    evidence |= {name: said for name, _, said in told}
    return [
        Demotion(name, "signal", -amount, base, share, strength, evidence[name])
        for name, base, amount, share, strength in _taken(score, linked, packed, penalty)
        if amount
    ]


def _taken(
    score: float, linked: Callable[[], float], packed: int, penalty: Penalty
) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield for each signal that counts what it takes from, how much it takes, of its share, and its strength."""
    if packed & NOT_FETCHED:
        yield "not-fetched", score, score * UNFETCHED, UNFETCHED, 1.0
        score -= score * UNFETCHED
    strengths = unpack_signals(packed)
    for name in _IN_ORDER:
        if name in strengths and name in penalty.signals:
            base = min(linked(), score) if name is SignalName.ANCHOR_BOMB else score
            amount = base * penalty.share * strengths[name]
            score -= amount
            yield name.value, base, amount, penalty.share, strengths[name]
