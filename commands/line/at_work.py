"""Does somebody crawl into this folder already? Asked before Scrapy is imported, which takes longer than the answer.

What is told here is told by the crawl itself as well, a second later: where the words can't be read, and where the
system has no list of its locks.
"""

from __future__ import annotations

from itertools import pairwise

from commands.line.command import Trouble
from commands.line.settings import Settings

_SPECIAL = frozenset({"-h", "--help", "--"})


def refusal(words: list[str]) -> str:
    """Return why a crawl with these words can't begin, or nothing."""
    from crawldb.lock import in_use, is_held  # noqa: PLC0415 - late, so that other commands are quick

    given = [value for flag, value in pairwise(words) if flag in {"-s", "--set"}]
    if _SPECIAL & set(words) or any(word.startswith("part=") for word in words) or _named(words) != _named(given):
        return ""
    try:
        folder = Settings(given).data_dir
        return in_use(folder) if is_held(folder) else ""
    except (Trouble, OSError, ValueError):
        return ""


def _named(words: list[str]) -> int:
    """Return how often a folder is named: in a word that is not read here, perhaps, and then it is not known which."""
    return sum("DATA_DIR" in word for word in words)
