"""Does a path walk in a circle? A run of parts that stands again and again is a folder that contains itself.

A symbolic link to its own folder makes `/subdir/subdir/subdir/…`, one two folders up `/a/b/a/b/a/b/…` (*HTTP: The
Definitive Guide*, 9.1.10, pattern detection: periods of one part and of more). Twice is no proof: `/en/en/` exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawldb.page import CanonicalUrl

LONGEST_PERIOD = 4  # path parts: /a/b/c/d/a/b/c/d/ is the longest cycle that is looked for


def repeated_parts(url: CanonicalUrl, repeats: int) -> tuple[str, ...] | None:
    """Return the first run of one to four path parts that stands `repeats` times in a row, or None."""
    path = url.partition("?")[0]
    parts = path.split("/")[3:]
    if parts and not parts[-1]:
        parts.pop()
    for period in range(1, LONGEST_PERIOD + 1):
        matches = 0  # how many parts in a row equal the one a period before them
        for here in range(period, len(parts)):
            matches = matches + 1 if parts[here] == parts[here - period] else 0
            if matches == period * (repeats - 1):
                return tuple(parts[here - period + 1 : here + 1])
    return None
