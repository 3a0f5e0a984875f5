"""What can a person ask of Breadcrumb? One module a command.

`listing.txt` has a command a line, and what it does. The launcher reads it too, before there is an environment.
"""

from pathlib import Path
from typing import Any

BY_THE_LAUNCHER = ("test",)
NEED_SCRAPY = ("crawl",)
_LOADER: Any = __spec__.loader  # reads files out of an egg, too
_LISTING: str = _LOADER.get_data(str(Path(__file__).with_name("listing.txt"))).decode()
SUMMARIES = dict(line.split(maxsplit=1) for line in _LISTING.splitlines())
COMMANDS = tuple(name for name in SUMMARIES if name not in BY_THE_LAUNCHER)
LIGHT = tuple(name for name in COMMANDS if name not in NEED_SCRAPY)
# Commands of Scrapy 2.19 that work in this project as in any other (docs/commands.md).
SCRAPYS = frozenset({
    "bench", "edit", "fetch", "genspider", "list", "parse", "runspider", "settings", "shell", "startproject",
    "version", "view",
})  # fmt: skip
