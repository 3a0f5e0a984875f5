"""`scrapy plan` is `breadcrumb plan`."""

from commands.plan import COMMAND
from commands.scrapy_command import LightCommand


class Plan(LightCommand):
    """See commands/plan.py."""

    command = COMMAND
