"""How does the index keep the strengths of a page's signals? As one number of 64 bits, a byte a signal, in hundredths.

So a ranking reads them of all pages at once, as it reads when pages end; the evidence is in a page's record. The last
byte is no signal: it marks a page that was never fetched, of which only links tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urls.signals import SIGNAL_NAMES, SignalName

if TYPE_CHECKING:
    from collections.abc import Iterable

SignalRow = tuple[str, float, str]  # name, strength, evidence: as a page's record has them
_HUNDRED, _BYTE = 100, 8
NOT_FETCHED = 1 << 56


def packed_signals(signals: Iterable[SignalRow]) -> int:
    """Return the strengths of signals as one number; 0: there is none."""
    strengths = {name: strength for name, strength, _ in signals}
    return sum(round(_HUNDRED * strengths.get(name, 0.0)) << (_BYTE * place) for place, name in enumerate(SIGNAL_NAMES))


def strengths_in(packed: int) -> dict[SignalName, float]:
    """Return what `packed_signals` has packed; whatever the number, no strength is above 1."""
    found = ((name, packed >> (_BYTE * place) & 0xFF) for place, name in enumerate(SIGNAL_NAMES))
    return {name: min(hundredths / _HUNDRED, 1.0) for name, hundredths in found if hundredths}


def checked_rows(rows: Iterable[Iterable[object]]) -> tuple[SignalRow, ...]:
    """Return the signals of a record as they are kept. Raises ValueError for what can't be any."""
    found = []
    for name, strength, evidence in rows:
        found.append((str(SignalName(str(name))), float(str(strength)), str(evidence)))
    return tuple(found)
