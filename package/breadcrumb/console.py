"""The command `breadcrumb` of an installed package: every command of the launcher in a clone, in this environment."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from breadcrumb.engine import EngineError, is_whole, put_first, without_module

if TYPE_CHECKING:
    from pathlib import Path

NEVER_STARTED = 125  # as env(1) has it, and the launcher in a clone
UPGRADED = "it was upgraded or removed while this command ran. Start the command again: no stored page is lost"
IN_A_CLONE = "the tests are in a clone, and not in the installed package: clone the project, and run ./breadcrumb test"


def main() -> int:
    """Run the command that the arguments name, and return its exit code."""
    name, *words = sys.argv[1:] or ["--help"]
    try:
        engine = put_first(alone=True)
        # What is started from here finds the engine first, too.
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(engine), os.environ.get("PYTHONPATH")]))
        code = _run(engine, name, words)
        if code and not is_whole(engine):
            print(f"breadcrumb: {UPGRADED}", file=sys.stderr)
        return code  # noqa: TRY300 - the whole run is tried
    except EngineError as error:
        print(f"breadcrumb: {error}", file=sys.stderr)
    except (ModuleNotFoundError, FileNotFoundError) as error:
        if (reason := _reason(error, engine)) is None:
            raise
        print(f"breadcrumb: {reason}", file=sys.stderr)
    return NEVER_STARTED


def _run(engine: Path, name: str, words: list[str]) -> int:
    if name == "help":
        name, *words = [words[0], "--help"] if words else ["--help"]
    if name == "--version":
        print(f"Breadcrumb {engine.name.removeprefix('engine-')}")
        return 0
    if os.name != "posix":
        raise EngineError("it needs Linux or macOS. On Windows, install it in WSL")
    if name == "test":
        raise EngineError(IN_A_CLONE)
    from breadcrumb.extras import missing_extra  # noqa: PLC0415 - neither help nor a version needs it

    if reason := missing_extra(engine, name, words):
        raise EngineError(reason)
    from commands.__main__ import main as run  # noqa: PLC0415 - it can be found now

    return run([name, *words])


def _reason(error: ModuleNotFoundError | FileNotFoundError, engine: Path) -> str | None:
    """Return why a file of the installation is not there; None if the fault is another."""
    if not is_whole(engine):
        return UPGRADED
    if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith("breadcrumb"):
        return without_module(error.name)
    return None
