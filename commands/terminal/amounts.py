"""How does a person read an amount? With a unit that fits, and with a noun in the right number."""

from __future__ import annotations

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1000  # from one unit to the next, as networks and disks count


def size(number: float) -> str:
    """Return a number of bytes: "1.5 MB"."""
    unit = 0
    while number >= _STEP and unit < len(_UNITS) - 1:
        number /= _STEP
        unit += 1
    return f"{number:,.1f} {_UNITS[unit]}" if unit else counted(int(number), "byte")


def duration(seconds: float) -> str:
    """Return a number of seconds: "1 h 05 min"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 page", "2 pages", "3 copies"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def between(lower: str, upper: str) -> str:
    """Return a lower and an upper figure, as one where they are the same."""
    return lower if lower == upper else f"{lower} to {upper}"
