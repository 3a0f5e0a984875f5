"""`scrapy demo` is `breadcrumb demo`."""

from commands.demo import COMMAND
from commands.line.scrapy_command import LightCommand


class Block(LightCommand):
    """See commands/demo.py."""

    command = COMMAND
