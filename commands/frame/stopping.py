"""How does a person learn that Ctrl-C was heard? A line says so at once; what is under way may take seconds to end."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from commands.frame.terminal import WIPE_LINE

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

AGAIN = "Ctrl-C again stops at once"
STOPS = (signal.SIGINT, signal.SIGTERM)


def write_at_once(line: str) -> None:
    """Write a line on standard error. A signal handler may call it: what it interrupts may be writing there, too."""
    with suppress(OSError):  # nobody reads it
        start = WIPE_LINE if sys.stderr.isatty() else ""
        os.write(sys.stderr.fileno(), f"{start}{line}\n".encode(errors="backslashreplace"))


def handle_stops(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    """Let signals that ask for the end be answered by a handler."""
    for number in STOPS:
        signal.signal(number, handler)


class Stop:
    """Whether a person has asked for the end: the first Ctrl-C ends after the slice under way, the second at once."""

    def __init__(self, line: str) -> None:
        self.asked = False
        self._line = line  # what the first is answered with
        handle_stops(self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True
        handle_stops(signal.default_int_handler)
        write_at_once(f"{self._line}; {AGAIN}")


def announce_first_stop(line: Callable[[], str]) -> None:
    """Let the first signal that asks for the end be answered with a line, too. Who listens now hears of each."""

    def answer(listener: Callable[..., Any], *signalled: object) -> None:
        for number, listens in before.items():
            signal.signal(number, listens)
        listener(*signalled)
        write_at_once(f"{line()}; {AGAIN}")

    before = {number: listens for number in STOPS if callable(listens := signal.getsignal(number))}
    for number, listens in before.items():
        signal.signal(number, partial(answer, listens))
