"""`scrapy search` is `breadcrumb search`."""

from commands.line.scrapy_command import LightCommand
from commands.search import COMMAND


class Search(LightCommand):
    """See commands/search.py."""

    command = COMMAND
