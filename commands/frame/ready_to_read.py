"""What does a process need that reads stored pages? Whoever imports this has loaded it: code, models and tables.

`reparse` lets one process do so, from which its readers are forked: each by itself would take a second.
"""

from __future__ import annotations

from pipelines.near_duplicates import blank_sketch
from pipelines.readers import Reader
from spiders.parse import parse_again
from spiders.parse.language import identify

__all__ = ["Reader", "parse_again"]

blank_sketch()
identify("Qui legit hunc textum, discit quid machina faciat.")  # loads the classifier
