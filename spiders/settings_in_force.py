"""Which settings does Scrapy begin with inside the environment? Those of settings.py, under the operator's own.

scrapy.cfg names this file: from it, `scrapy shell` and `fetch` know the robot's identity. `scrapy list` also learns
here where your own spiders are, which our own commands need not load. It is short because it acts when it is imported:
our own commands read the same two without that.
"""

from __future__ import annotations

import sys

from extension_points import ExtensionError
from spiders.own_settings import OURS, OwnSettingError, own_defaults, own_settings

SPIDERS = {"SPIDER_MODULES": [*OURS["SPIDER_MODULES"], OURS["NEWSPIDER_MODULE"]]}

try:
    globals().update(own_defaults() | SPIDERS | {name: own.value for name, own in own_settings().items()})
except (OwnSettingError, ExtensionError) as error:
    print(error, file=sys.stderr)
    sys.exit(2)
