"""Under which words of the index is a word of a question found? As it was typed, and as the words that share a form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from indexer.analysis.forms import forms_of, letters_of

if TYPE_CHECKING:
    from collections.abc import Collection

    class HasForms(Protocol):
        """A segment, or whatever else knows the words of a form."""

        def forms(self, form: str, /) -> tuple[str, ...]:
            """Return the words that have a form."""


@dataclass(frozen=True, slots=True)
class Variants:
    """A word of a question as the index may have it: `exact` as it was typed, or what begins so; and its forms."""

    exact: tuple[str, ...]
    forms: tuple[str, ...] = ()

    @classmethod
    def of(cls, word: str, languages: Collection[str]) -> Variants:
        """Return the variants of a lower-case word, asked of pages in `languages`, or in a language not known."""
        return cls((word,), forms_of(word, {*languages, ""}))

    @property
    def wanted(self) -> tuple[str, ...]:
        """What a word of a page and its forms are compared with, to be marked."""
        return (*self.exact, *self.forms)

    def words_in(self, file: HasForms) -> tuple[tuple[str, bool], ...]:
        """Return the words of a segment that may stand for it, each with whether it is exact; the exact ones first."""
        found = dict.fromkeys(self.exact, True)
        for form in self.forms:
            for word in (letters_of(form), *file.forms(form)):
                found.setdefault(word, False)
        return tuple(found.items())

    def is_meant_by(self, word: str, languages: Collection[str]) -> bool:
        """Return whether a word of a page in `languages` may stand for it."""
        return word in self.exact or not set(self.forms).isdisjoint(forms_of(word, languages))
