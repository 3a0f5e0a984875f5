"""`scrapy release` is `breadcrumb release`."""

from commands.line.scrapy_command import LightCommand
from commands.release import COMMAND


class Release(LightCommand):
    """See commands/release.py."""

    command = COMMAND
