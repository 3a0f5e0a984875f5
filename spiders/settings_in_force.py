"""Which settings does Scrapy begin with inside the environment? Those of settings.py, under the operator's own.

scrapy.cfg names this file, so that `scrapy shell` and `fetch` know whose robot it is. It is short because it acts when
it is imported: our own commands read the same two without that.
"""

from __future__ import annotations

import sys

from spiders.own_settings import OURS, OwnSettingError, own_settings

try:
    globals().update(OURS | {name: own.value for name, own in own_settings().items()})
except OwnSettingError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
