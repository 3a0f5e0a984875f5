"""`scrapy why` is `breadcrumb why`."""

from commands.line.scrapy_command import LightCommand
from commands.why import COMMAND


class Why(LightCommand):
    """See commands/why.py."""

    command = COMMAND
