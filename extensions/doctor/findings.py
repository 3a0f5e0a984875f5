"""What does a check say? A level, a subject, a sentence, and the command that mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

OK, WARN, FAULT = "ok", "warn", "fault"


class Diagnosis(NamedTuple):
    """What a check found. `command` mends it, as one line for a shell; "": nothing has to be done."""

    level: str
    subject: str
    text: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class Installation:
    """What is examined: the project's folder, the data folder, the option that names it, and the port of `serve`."""

    root: Path
    data_dir: Path
    option: str = ""  # after a space
    port: int = 8080


def carried_out(check: Callable[[Installation], Iterable[Diagnosis]], place: Installation) -> Iterator[Diagnosis]:
    """Yield the findings of a check. What stops it is a finding, too."""
    subject = check.__name__.removeprefix("check_").replace("_", " ")
    try:
        yield from check(place)
    except ImportError as error:
        yield Diagnosis(WARN, subject, f"not checked further, because a package is missing: {error}")
    except Exception as error:  # noqa: BLE001 - a check must not end the others
        yield Diagnosis(FAULT, subject, f"{type(error).__name__}: {error}")
