"""`scrapy audit` is `breadcrumb audit`."""

from commands.audit import COMMAND
from commands.line.scrapy_command import LightCommand


class Audit(LightCommand):
    """See commands/audit.py."""

    command = COMMAND
