"""The code, models and tables that a process needs to read stored pages: importing this module loads them.

`reparse` imports it before it forks its readers: each would take half a second by itself.
"""

from __future__ import annotations

from extensions.reparse.readers import Readers
from pages import parse_page
from pages.language import identify
from pipelines.duplicates import random_orders

__all__ = ["Readers", "parse_page"]

random_orders()
identify("Qui legit hunc textum, discit quid machina faciat.")  # loads the classifier
