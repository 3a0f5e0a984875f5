"""`scrapy index` is `breadcrumb index`."""

from commands.index import COMMAND
from commands.line.scrapy_command import LightCommand


class Index(LightCommand):
    """See commands/index.py."""

    command = COMMAND
