"""Which settings hold for this command? Those of spiders/settings.py, and above them each `-s NAME=VALUE`.

Scrapy reads the same file. It is read here without Scrapy, which takes longer to import than a command has.
"""

from __future__ import annotations

import json
import math
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.exits import Trouble
from spiders import settings as defaults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ROOT = Path(__file__).resolve().parents[1]
FROM_FILE, FROM_COMMAND_LINE = 20, 40  # Scrapy's priorities, which spiders/conduct.py asks for
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off", ""})


class CommandSettings:
    """The settings by name. Each `-s` value has the type of its default."""

    def __init__(self, given: Sequence[str] = ()) -> None:
        """Read `given`, each "NAME=VALUE"; raise `Trouble` for a name or value that can't be used."""
        self._values = {name: value for name, value in vars(defaults).items() if name.isupper()}
        self._given: set[str] = set()
        self.assignments = tuple(given)  # as they stood on the command line
        for assignment in given:
            name, equals, text = assignment.partition("=")
            if not equals:
                raise Trouble(
                    f"-s {assignment}: give NAME=VALUE, such as -s DATA_DIR=data; "
                    "a word that begins with - and is no option stands after --"
                )
            if name not in self._values:
                advice = nearest_settings(name, self._values) or "docs/settings.md lists them all"
                raise Trouble(f"-s {assignment}: there is no setting {name!r}; {advice}")
            self._values[name] = _read_value(name, text, self._values[name])
            if name == "DATA_DIR" and not text.strip():
                raise Trouble(
                    "-s DATA_DIR=: it is empty, and would mean the project's own folder; its default is 'data'"
                )
            self._given.add(name)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def getint(self, name: str) -> int:
        """Return a whole number."""
        return int(self._values[name])

    def getfloat(self, name: str) -> float:
        """Return a number."""
        return float(self._values[name])

    def getbool(self, name: str) -> bool:
        """Return yes or no."""
        return bool(self._values[name])

    def getlist(self, name: str) -> list[Any]:
        """Return a list."""
        return list(self._values[name])

    def getpriority(self, name: str) -> int | None:
        """Return how near to the command line a value was given, in Scrapy's numbers; None for an unknown name."""
        if name not in self._values:
            return None
        return FROM_COMMAND_LINE if name in self._given else FROM_FILE

    def as_dict(self) -> dict[str, Any]:
        """Return all settings by name."""
        return dict(self._values)

    @property
    def data_dir(self) -> Path:
        """The data folder: `DATA_DIR`, relative to the project's folder."""
        return ROOT / str(self._values["DATA_DIR"])


def nearest_settings(name: str, known: Iterable[str]) -> str:
    """Return a question after the settings that may be meant by a name that there is not; "" for none."""
    near = get_close_matches(name.upper(), known)
    return f"did you mean {' or '.join(near)}?" if near else ""


def _read_value(name: str, text: str, default: object) -> object:
    readers: dict[type, tuple[str, Callable[[str], object]]] = {
        bool: ("yes or no", _bool),
        int: ("a whole number", int),
        float: ("a number", _finite),
        list: ("a list such as 8080,8443", _list),
        dict: ("a JSON object", _dict),
    }
    wanted, read = readers.get(type(default), ("text", str))
    try:
        return read(text)
    except ValueError:
        raise Trouble(f"-s {name}={text}: {name} must be {wanted}; its default is {default!r}") from None


def _bool(text: str) -> bool:
    if text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _list(text: str) -> list[object]:
    if text.startswith("["):
        return list(json.loads(text))
    return [part.strip() for part in text.split(",") if part.strip()]


def _dict(text: str) -> dict[str, object]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError(text)  # noqa: TRY004 - a value that can't be used, whatever its type
    return value
