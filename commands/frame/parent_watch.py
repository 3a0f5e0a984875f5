"""What becomes of a command whose starter is killed? It ends in order, as after Ctrl-C; a crawl of a term ends at once.

It is a program of its own, which starts the command in its process: a part of a farm, or the search page of a lab. What
nobody watches any longer must not go on for days. The starter holds the other end of this process's standard input and
writes nothing; the system closes it however the starter ends.

With `--until=SECONDS` before the command, it crawls a part for a term, while it owns that part: the starter then writes
a later deadline, in a line, whenever it has renewed the term. Another may own the part from the deadline on, so this
process ends there hard, and so it does when the starter is gone, who alone could renew it.
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
    """Wait until standard input closes, then interrupt this process."""
    while os.read(STANDARD_INPUT, 4096):  # unbuffered: a lock on the buffer would outlive this thread
        pass
    os.kill(os.getpid(), signal.SIGINT)


def end_with_the_term() -> None:
    """Take each deadline that the starter writes; end this process at the last one, or when standard input closes."""
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
    """Take what is told of a term from the front of the words; return whether anything is."""
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
