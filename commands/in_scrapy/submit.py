"""`scrapy submit` is `breadcrumb submit`."""

from commands.line.scrapy_command import LightCommand
from commands.submit import COMMAND


class Submit(LightCommand):
    """See commands/submit.py."""

    command = COMMAND
