"""What was found, where, and what should its owner know? One sentence a finding, written for the owner of a site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_SHOWN: Final = 60  # characters of a line that a sentence repeats: a line may have 500 KiB


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a robots.txt. `rule` is the same short name for all findings of a kind."""

    line: int  # from 1; 0: the file as a whole
    rule: str
    sentence: str


def shown(value: bytes) -> str:
    """Give what the file says, short enough for a sentence."""
    text = value[: 4 * MAX_SHOWN].decode("utf-8", "backslashreplace")  # no character has more than four octets
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
