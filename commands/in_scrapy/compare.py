"""`scrapy compare` is `breadcrumb compare`."""

from commands.compare import COMMAND
from commands.line.scrapy_command import LightCommand


class Compare(LightCommand):
    """See commands/compare.py."""

    command = COMMAND
