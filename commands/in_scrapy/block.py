"""`scrapy block` is `breadcrumb block`."""

from commands.block import COMMAND
from commands.line.scrapy_command import LightCommand


class Block(LightCommand):
    """See commands/block.py."""

    command = COMMAND
