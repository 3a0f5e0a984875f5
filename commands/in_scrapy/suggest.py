"""`scrapy suggest` is `breadcrumb suggest`."""

from commands.line.scrapy_command import LightCommand
from commands.suggest import COMMAND


class Suggest(LightCommand):
    """See commands/suggest.py."""

    command = COMMAND
