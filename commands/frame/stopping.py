"""Confirms Ctrl-C at once with a line, because running work may take seconds to end.

A second signal stops at once. Some programs send one stop twice: timeout(1) to the process and then to its group, and
`uv run` what the terminal has sent already. So a signal right after the first one is the same.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from commands.frame.terminal import WIPE_LINE

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

AGAIN = "Ctrl-C again stops at once"
STOPS = (signal.SIGINT, signal.SIGTERM)
SAME_SECONDS = 0.3  # after a signal in which another one is the same: nobody reads the line so quickly


def write_at_once(line: str) -> None:
    """Write a line to standard error, unbuffered, so that a signal handler may call it."""
    with suppress(OSError):  # nobody reads it
        start = WIPE_LINE if sys.stderr.isatty() else ""
        os.write(sys.stderr.fileno(), f"{start}{line}\n".encode(errors="backslashreplace"))


def handle_stops(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    """Set the handler of SIGINT and SIGTERM."""
    for number in STOPS:
        signal.signal(number, handler)


def later(listener: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler that does what `listener` does, but nothing within SAME_SECONDS from now."""
    begins = time.monotonic() + SAME_SECONDS

    def listen(*signalled: object) -> None:
        if time.monotonic() >= begins:
            listener(*signalled)

    return listen


class Stop:
    """Handles Ctrl-C: the first one stops after the running slice, the second one at once."""

    def __init__(self, line: str) -> None:
        self.asked = False
        self._line = line  # what the first is answered with
        handle_stops(self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True
        handle_stops(later(signal.default_int_handler))
        write_at_once(f"{self._line}; {AGAIN}")


def announce_first_stop(line: Callable[[], str]) -> None:
    """Print a line at the first SIGINT or SIGTERM, besides the present handlers."""

    def answer(listener: Callable[..., Any], *signalled: object) -> None:
        for number, listens in before.items():
            signal.signal(number, listens)
        listener(*signalled)
        for number in before:
            if callable(second := signal.getsignal(number)):
                signal.signal(number, later(second))
        write_at_once(f"{line()}; {AGAIN}")

    before = {number: listens for number in STOPS if callable(listens := signal.getsignal(number))}
    for number, listens in before.items():
        signal.signal(number, partial(answer, listens))
