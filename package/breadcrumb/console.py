"""The command `breadcrumb` of an installed package: every command of the launcher in a clone, in this environment."""

from __future__ import annotations

import os
import sys

from breadcrumb.engine import EngineError, put_first

NEVER_STARTED = 125  # as env(1) has it, and the launcher in a clone


def main() -> int:
    """Run the command that the arguments name, and return its exit code."""
    try:
        engine = put_first(alone=True)
    except EngineError as error:
        print(f"breadcrumb: {error}", file=sys.stderr)
        return NEVER_STARTED
    # What is started from here finds the engine first, too.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(engine), os.environ.get("PYTHONPATH")]))
    from commands.__main__ import main as run  # noqa: PLC0415 - it can be found now

    return run(sys.argv[1:])
