"""How is one of our commands run in a process of its own? By its words, with settings behind them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def our_command(*command: str, **settings: object) -> list[str]:
    """Return the command line that runs one of our commands in a process of its own, with these settings."""
    given = (word for name, value in settings.items() for word in ("-s", f"{name}={value}"))
    return [sys.executable, str(ROOT / "commands"), *command, *given]


def breadcrumb(*command: str, **settings: object) -> subprocess.CompletedProcess[str]:
    """Run one of our commands to its end."""
    return subprocess.run(our_command(*command, **settings), capture_output=True, text=True, check=False)


def crawl_to_the_end(seeds: str, data: Path, **settings: object) -> None:
    """Crawl to the end. If the crawl fails, raises SystemExit with its output."""
    done = breadcrumb("crawl", "site", "-a", f"seeds={seeds}", DATA_DIR=data, **settings)
    if done.returncode not in {0, 1}:  # 1: nothing could be fetched, which the figures show
        raise SystemExit(f"{Path(sys.argv[0]).name}: the crawl of {seeds} failed:\n{done.stdout}{done.stderr}")
