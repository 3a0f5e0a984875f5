"""`scrapy plan` is `breadcrumb plan`."""

from commands.line.scrapy_command import LightCommand
from commands.plan import COMMAND


class Plan(LightCommand):
    """See commands/plan.py."""

    command = COMMAND
