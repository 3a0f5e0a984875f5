#!/usr/bin/env python3
"""How does a program of bench/ begin? In the project's own Python, with the module that its name and first word mean.

Each program is a link to this file. Started by its name, it runs in the first Python on the PATH, but its packages are
in `.venv`: if it runs in another Python, it starts again with that of `.venv`.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
FOR_TESTS = "pytest"  # a package that only the lock file of the tests has
PROGRAMS = {  # by name, then by first word: the module below bench/ with `main`
    "cluster": {"": "machines.kills", "scale": "machines.scale"},
    "crash": {"": "crashing.crash", "damage": "crashing.damage", "scrapy": "crashing.scrapy_projects"},
    "crawl": {
        "": "crawling.crawl",
        "lossy": "crawling.lossy",
        "rendering": "crawling.rendering",
        "textbook": "crawling.textbook_engine",
    },
    "guard": {"": "guarding.guard", "soak": "guarding.soak"},
    "index": {"": "indexing.index", "kills": "indexing.killed_nodes"},
    "parse": {"": "crawling.parse"},
    "relevance": {
        "": "judged.relevance",
        "questions": "judged.questions",
        "snippets": "judged.snippets",
        "weights": "judged.weights",
    },
    "robots": {"": "robots_txt.files", "situations": "robots_txt.situations"},
    "search": {"": "indexing.search", "static": "indexing.static"},
}


def start(name: str) -> int:
    """Run a program and return its exit code."""
    if PYTHON.exists() and Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    if find_spec(FOR_TESTS) is None:
        raise SystemExit(
            f"bench/{name}: the packages of the tests are not installed; ./breadcrumb test --version installs them"
        )
    sys.path.insert(0, str(ROOT))
    modules = PROGRAMS[name]
    word = sys.argv.pop(1) if sys.argv[1:] and sys.argv[1] in modules else ""
    sys.argv[0] = f"bench/{name} {word}".strip()  # as the usage line shows it
    return int(import_module(f"bench.{modules[word]}").main() or 0)


if __name__ == "__main__":
    sys.exit(start(Path(sys.argv[0]).name))
