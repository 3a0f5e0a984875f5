"""`scrapy forget` is `breadcrumb forget`."""

from commands.forget import COMMAND
from commands.line.scrapy_command import LightCommand


class Forget(LightCommand):
    """See commands/forget.py."""

    command = COMMAND
