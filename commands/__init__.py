"""What can a person ask of Breadcrumb? One module a command.

`listing.txt` has a command a line, and what it does. The launcher reads it too, before there is an environment.
"""

from pathlib import Path

BY_THE_LAUNCHER = ("test",)
NEED_SCRAPY = ("crawl",)
SUMMARIES = dict(
    line.split(maxsplit=1) for line in Path(__file__).with_name("listing.txt").read_text("utf-8").splitlines()
)
COMMANDS = tuple(name for name in SUMMARIES if name not in BY_THE_LAUNCHER)
LIGHT = tuple(name for name in COMMANDS if name not in NEED_SCRAPY)
