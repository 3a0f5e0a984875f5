"""How does a shell run a command of ours as a fork? By this program, with a door, a program and its words as arguments.

It hands over its folder, its variables and its standard streams, passes signals on, and ends as the fork ends. It
avoids pathlib, which takes as long to import as all the rest.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys


def main(door: str, *line: str) -> int:
    """Let the fork server behind a door start a program; return its exit code, as a shell would."""
    folder, (place, name) = os.getcwd(), os.path.split(door)  # noqa: PTH109
    os.chdir(place)  # the address of a socket is shorter than a path may be
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(name)
        order = json.dumps((line, folder, dict(os.environ))).encode()
        socket.send_fds(caller, [order], [0, 1, 2])
        answers = caller.makefile()
        pid = int(answers.readline())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(pid, number))
        code = int(answers.readline() or 0)  # the server may end before a fork that is a server as well
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
