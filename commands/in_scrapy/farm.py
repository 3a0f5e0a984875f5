"""`scrapy farm` is `breadcrumb farm`."""

from commands.farm import COMMAND
from commands.line.scrapy_command import LightCommand


class Farm(LightCommand):
    """See commands/farm.py."""

    command = COMMAND
