"""What becomes of a command whose starter is killed? It ends in order, as after Ctrl-C.

It is a program of its own, which starts the command in its process: a part of a farm, or the search page of a lab. What
nobody watches any longer must not go on for days. The starter holds the other end of this process's standard input and
writes nothing; the system closes it however the starter ends.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
from pathlib import Path

COMMANDS = Path(__file__).resolve().parents[1]
STANDARD_INPUT = 0


def end_with_the_starter() -> None:
    """Wait until standard input closes, then interrupt this process."""
    while os.read(STANDARD_INPUT, 4096):  # unbuffered: a lock on the buffer would outlive this thread
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    threading.Thread(target=end_with_the_starter, daemon=True).start()
    sys.argv[0] = str(COMMANDS)
    runpy.run_path(str(COMMANDS), run_name="__main__")
