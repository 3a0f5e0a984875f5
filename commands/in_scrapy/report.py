"""`scrapy report` is `breadcrumb report`."""

from commands.line.scrapy_command import LightCommand
from commands.report import COMMAND


class Report(LightCommand):
    """See commands/report.py."""

    command = COMMAND
