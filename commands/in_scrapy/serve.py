"""`scrapy serve` is `breadcrumb serve`."""

from commands.line.scrapy_command import LightCommand
from commands.serve import COMMAND


class Serve(LightCommand):
    """See commands/serve.py."""

    command = COMMAND
