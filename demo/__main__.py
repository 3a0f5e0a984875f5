"""How does one look at the practice web by hand? `python -m demo`, and Ctrl-C when you have seen enough."""

from __future__ import annotations

import argparse
import signal
import sys
import threading

from demo.web import DEFAULT_PORT, HIGHEST_PORT, PracticeWeb


def port_number(text: str) -> int:
    """Return a port from the command line, or say which ones there are."""
    if not (text.isascii() and text.isdecimal()) or int(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: choose 1 to {HIGHEST_PORT}, or 0 for any free one")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    """Serve until a signal comes; 0 after a clean end, 2 when the port can't be had."""
    parser = argparse.ArgumentParser(prog="python -m demo", description="The practice web of Seedville, on loopback.")
    parser.add_argument("--port", type=port_number, default=DEFAULT_PORT, help="where to listen (default %(default)s)")
    chosen = parser.parse_args(arguments)
    asked_to_stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: asked_to_stop.set())
    try:
        web = PracticeWeb(chosen.port)
        web.start()
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"Seedville, the practice web, is at http://127.0.0.1:{web.port}/ (Ctrl-C ends it)", flush=True)
    asked_to_stop.wait()
    web.stop()
    print(f"ended after {len(web.requests)} requests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
