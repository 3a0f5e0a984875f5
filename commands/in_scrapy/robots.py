"""`scrapy robots` is `breadcrumb robots`."""

from commands.line.scrapy_command import LightCommand
from commands.robots import COMMAND


class Robots(LightCommand):
    """See commands/robots.py."""

    command = COMMAND
