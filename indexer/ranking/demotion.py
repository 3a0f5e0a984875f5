"""How does spoofing lower a score? By a share of it for each signal, shown as a negative part.

    demotion = - score so far x penalty x strength        strength: how sure the signal is, 0 to 1 (urls/signals.py)

Each signal takes its share of what the others have left, so a score never falls below 0. Others make an anchor bomb,
not the page itself. So it lowers only the part of anchor text, and can't harm a page that matches by itself.

A page that was never fetched is known only from links. It loses UNFETCHED of its score in the same way. So it comes
after pages that match by their own text, and first if no other page matches.

Ranking and explanation call the same function, and only for the few pages with a signal.
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
    "A signal of spoofing, or a page that was never fetched, adds a negative part: "
    "the score so far x penalty x strength of the signal."
)
UNFETCHED = 0.9  # share of a score that words of links alone have made: the page may not fulfil them
_UNFETCHED_EVIDENCE = "it was never fetched, and only words of its URL and of links to it match"
_IN_ORDER = (SignalName.ANCHOR_BOMB, *(name for name in SIGNAL_NAMES if name is not SignalName.ANCHOR_BOMB))


@dataclass(frozen=True, slots=True)
class Penalty:
    """Which signals lower a score, and what share of it a signal of full strength takes: the settings SPOOF_…"""

    signals: frozenset[SignalName] = frozenset(SIGNAL_NAMES)
    share: float = 0.99  # a cheating page with rare words of a query should not beat an honest page without them


@dataclass(frozen=True, slots=True)
class Demotion:
    """The share that one signal takes. It is a part of the score: `term` is its name, `field` "signal"."""

    term: str
    field: str
    value: float  # at most 0; rounded like any part
    base: float  # what it is taken from: the remaining score, or what the words of links added
    penalty: float  # share of it that full strength takes
    strength: float  # 0 to 1
    evidence: str

    def __str__(self) -> str:
        return f"{self.value:.4f}  {self.term}: {self.told}"

    @property
    def told(self) -> str:
        """The evidence and the factors."""
        factors = f"{self.base:.4f} x penalty {self.penalty:g} x strength {self.strength:.2f}"
        return f"{self.evidence}; -({factors})"


def lowered(score: float, linked: Callable[[], float], packed: int, penalty: Penalty) -> float:
    """Return a score less what the signals of its page take; `linked` returns how much of it the words of links add."""
    return score - sum(amount for _, _, amount, _, _ in _taken(score, linked, packed, penalty))


def demotions(
    score: float, linked: Callable[[], float], packed: int, penalty: Penalty, signals: Iterable[SignalRow]
) -> list[Demotion]:
    """Return what each signal takes from a score, not rounded; `told`: the evidence of each."""
    evidence = {name.value: name.explanation for name in SIGNAL_NAMES} | {"not-fetched": _UNFETCHED_EVIDENCE}
    evidence |= {name: said for name, _, said in signals}
    return [
        Demotion(name, "signal", -amount, base, share, strength, evidence[name])
        for name, base, amount, share, strength in _taken(score, linked, packed, penalty)
        if amount
    ]


def _taken(
    score: float, linked: Callable[[], float], packed: int, penalty: Penalty
) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield name, base, amount, share and strength of each signal that counts."""
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
