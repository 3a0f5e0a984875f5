"""What does a process need that reads stored pages? Whoever imports this has loaded it: code, models and tables.

`reparse` does so before its readers are forked from it: each by itself would take half a second.
"""

from __future__ import annotations

from extensions.reparse.readers import Readers
from pages import parse_page
from pages.language import identify
from pipelines.duplicates import random_orders

__all__ = ["Readers", "parse_page"]

random_orders()
identify("Qui legit hunc textum, discit quid machina faciat.")  # loads the classifier
