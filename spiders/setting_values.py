"""How is a setting read as the value that it must be? Each reader returns it, or says what would do."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from urls.wording import enumerated

if TYPE_CHECKING:
    from collections.abc import Callable

Number = TypeVar("Number", int, float)
EnumChoice = TypeVar("EnumChoice", bound=Enum)


class ReadableSettings(Protocol):
    """The part of Scrapy's settings that is read here."""

    def __getitem__(self, name: str) -> Any: ...
    def getint(self, name: str) -> int:
        """Return a whole number."""

    def getfloat(self, name: str) -> float:
        """Return a number."""

    def getbool(self, name: str) -> bool:
        """Return yes or no."""

    def getlist(self, name: str) -> list[Any]:
        """Return a list; text is split at commas."""

    def getpriority(self, name: str) -> int | None:
        """Return how near to the command line a value was given."""


class SettingError(ValueError):
    """A setting or argument is invalid; the message says what was given and what would work."""


def read_number(read: Callable[[Any], Number], given: Any, name: str = "") -> Number:
    """Read a setting as a number that is not negative."""
    try:
        number = read(given)
    except (TypeError, ValueError):
        raise SettingError(f"{f'{name}={given!r}' if name else given} must be a number") from None
    if number < 0:
        raise SettingError(f"{name or given}={number} must not be negative")
    return number


def more_than_none(read: Callable[[Any], Number], name: str, otherwise: str) -> Number:
    """Read a number that is not 0; `otherwise` says what 0 would mean, and what would work."""
    number = read_number(read, name)
    if not number:
        raise SettingError(f"{name}=0: {otherwise}")
    return number


def one_of(choices: type[EnumChoice], name: str, given: object) -> EnumChoice:
    """Read one of a few words."""
    try:
        return choices(given)
    except ValueError:
        words = [choice.value for choice in choices]
        raise SettingError(f"{name}={given!r}: choose {enumerated(words, 'or')}") from None


def at_least_one(settings: ReadableSettings, name: str) -> int:
    """Read a number of connections."""
    number = read_number(settings.getint, name)
    if number < 1:
        raise SettingError(f"{name}={number}: with no connection at all nothing can be fetched; give 1 or more")
    return number


def read_share(settings: ReadableSettings, name: str) -> float:
    """Read a part of a whole."""
    share = read_number(settings.getfloat, name)
    if not 0 < share <= 1:
        raise SettingError(f"{name}={share:g}: give a share above 0 and up to 1")
    return share


def read_endings(settings: ReadableSettings, name: str) -> frozenset[str]:
    """Read endings of file names, such as "pdf"."""
    return frozenset(end.strip(" .").lower() for end in settings.getlist(name))
