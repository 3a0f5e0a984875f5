"""`scrapy release` is `breadcrumb release`."""

from commands.release import COMMAND
from commands.scrapy_command import LightCommand


class Release(LightCommand):
    """See commands/release.py."""

    command = COMMAND
