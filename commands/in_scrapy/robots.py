"""`scrapy robots` is `breadcrumb robots`."""

from commands.robots import COMMAND
from commands.scrapy_command import LightCommand


class Robots(LightCommand):
    """See commands/robots.py."""

    command = COMMAND
