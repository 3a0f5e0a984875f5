"""How do you look at the practice web by hand? Run `python -m demo`; Ctrl-C ends it."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from pathlib import Path

from demo.server import DEFAULT_PORT, HIGHEST_PORT, PracticeWeb


def port_number(text: str) -> int:
    """Read a port from the command line."""
    if not (text.isascii() and text.isdecimal()) or int(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: choose 1 to {HIGHEST_PORT}, or 0 for any free one")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    """Serve until a signal comes. Return 0 after that, 2 when the port is not available."""
    parser = argparse.ArgumentParser(prog="python -m demo", description="The practice web of Seedville, on loopback.")
    parser.add_argument("--port", type=port_number, default=DEFAULT_PORT, help="where to listen (default %(default)s)")
    parser.add_argument("--log", type=Path, metavar="FILE", help="where to log each request, a JSON object a line")
    options = parser.parse_args(arguments)
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopping.set())
    try:
        web = PracticeWeb(options.port, options.log)
        web.start()
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"Seedville, the practice web, is at http://127.0.0.1:{web.port}/ (Ctrl-C ends it)")
    print(f"For a robot that can't open these names: export http_proxy={web.proxy}", flush=True)
    stopping.wait()
    web.stop()
    print(f"ended after {len(web.requests)} requests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
