"""How fast may a host be asked? The pace, the rests, the turns, and the room beside what is under way."""

from __future__ import annotations

from spiders.pace.delay import Delay, Pace, Paces

__all__ = ["Delay", "Pace", "Paces"]
