"""Ends a command when its parent process is gone. Used for parts of a farm and the search page of a lab.

This program runs the command in its own process. The parent holds the other end of its standard input and writes
nothing to it. The system closes it, however the parent ends. Then the command is interrupted, as by Ctrl-C.

With `--until=SECONDS` before the command, it crawls a part while it owns it. The parent writes a later deadline, one
per line, after each renewal. Another process may own the part after the deadline, so this process exits at once then.
It also exits if the parent is gone, because only the parent can renew.
"""

from __future__ import annotations

import os
import runpy
import select
import signal
import sys
import threading
from pathlib import Path

COMMANDS = Path(__file__).resolve().parents[1]
STANDARD_INPUT = 0
UNTIL, AFTER_ABANDONED = "--until=", "--after-abandoned"


def end_with_the_starter() -> None:
    """Interrupt this process when standard input closes."""
    while os.read(STANDARD_INPUT, 4096):  # unbuffered: a lock on the buffer would outlive this thread
        pass
    os.kill(os.getpid(), signal.SIGINT)


def end_with_the_term() -> None:
    """Read deadlines from the parent; exit at the last one, or when standard input closes."""
    from spiders.downloader.epoch import EPOCH_OVER, OWN_EPOCH

    pending = b""
    while select.select([STANDARD_INPUT], [], [], max(0.0, OWN_EPOCH.left()))[0]:
        read = os.read(STANDARD_INPUT, 4096)
        if not read:
            os._exit(EPOCH_OVER)
        *lines, pending = (pending + read).split(b"\n")
        if lines:
            OWN_EPOCH.deadline = float(lines[-1])
    os._exit(EPOCH_OVER)


def take_term(words: list[str]) -> bool:
    """Parse the options of this program from the words; return whether there are any."""
    if not words or not words[0].startswith(UNTIL):
        return False
    sys.path.insert(0, str(COMMANDS.parent))
    from spiders.downloader.epoch import OWN_EPOCH

    OWN_EPOCH.deadline = float(words.pop(0).removeprefix(UNTIL))
    if words[0] == AFTER_ABANDONED:
        OWN_EPOCH.after_abandoned = bool(words.pop(0))
    return True


if __name__ == "__main__":
    given = sys.argv[1:]
    watch = end_with_the_term if take_term(given) else end_with_the_starter
    threading.Thread(target=watch, daemon=True).start()
    sys.argv[:] = [str(COMMANDS), *given]
    runpy.run_path(str(COMMANDS), run_name="__main__")
