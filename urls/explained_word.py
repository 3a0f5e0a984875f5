"""What does a stored word mean? An enumeration whose members are words, each with an explanation for people."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class ExplainedWord(StrEnum):
    """A word that a column or a setting holds, and what it means: a clause or a sentence."""

    explanation: str

    def __new__(cls, word: str, explanation: str = "") -> Self:
        """Make a member whose value is its word."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.explanation = explanation
        return member
