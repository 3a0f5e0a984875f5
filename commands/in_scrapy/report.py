"""`scrapy report` is `breadcrumb report`."""

from commands.report import COMMAND
from commands.scrapy_command import LightCommand


class Report(LightCommand):
    """See commands/report.py."""

    command = COMMAND
