"""The commands of Breadcrumb, one module each.

`listing.txt` has one command per line with its summary. Each built-in extension may have such a listing, and its
commands are in its folder. The launcher reads the listings too, before there is an environment.
"""

from pathlib import Path
from typing import Any

BY_THE_LAUNCHER = ("test",)
NEED_SCRAPY = ("crawl",)
NEED_NOTHING = ("doctor",)  # not even packages or settings: its module has `run_unprepared`
_LOADER: Any = __spec__.loader  # reads files out of an egg, too
_PROJECT = Path(__file__).parents[1]


def _lines(path: str) -> list[str]:
    try:
        text: str = _LOADER.get_data(str(_PROJECT / path)).decode()
    except OSError:  # not FileNotFoundError: an egg raises its parent class
        return []
    return text.splitlines()


SUMMARIES: dict[str, str] = {}
MODULES: dict[str, str] = {}  # of each command
for _room in ("commands", *(f"extensions/{name}" for name in _lines("extensions/built_in.txt"))):
    for _name, _summary in (line.split(maxsplit=1) for line in _lines(f"{_room}/listing.txt")):
        SUMMARIES[_name] = _summary
        MODULES[_name] = f"{_room.replace('/', '.')}.{_name}"
COMMANDS = tuple(name for name in SUMMARIES if name not in BY_THE_LAUNCHER)
LIGHT = tuple(name for name in COMMANDS if name not in NEED_SCRAPY + NEED_NOTHING)
# Commands of Scrapy 2.19 that work in this project as in any other (docs/commands.md).
SCRAPYS = frozenset({
    "bench", "edit", "fetch", "genspider", "list", "parse", "runspider", "settings", "shell", "startproject",
    "version", "view",
})  # fmt: skip
