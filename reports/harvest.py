"""How many relevant pages did a crawl with a topic find for its requests? Its harvest rate (Chakrabarti et al. 1999).

A page is relevant by the measure that orders the crawl (urls/promise.py). So it is no judge of that
measure: decision 0033 has judgements of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawldb.tables.priorities import FIFTHS, read_harvest
from reports.wording import counted
from urls.promise import RELEVANT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase


def harvest(database: CrawlDatabase) -> dict[str, Any] | None:
    """Return the harvest of the topic that the crawl last had; None where it had none."""
    found = read_harvest(database)
    return None if found is None else found._asdict() | {"relevant_from": RELEVANT}


def sum_of_harvests(harvests: Iterable[dict[str, Any] | None]) -> dict[str, Any] | None:
    """Return the harvest of all parts of a divided crawl that had the topic of the first; None where none had one."""
    given = [each for each in harvests if each is not None]
    if not given:
        return None
    same = [each for each in given if each["topic"] == given[0]["topic"]]
    sums = {name: sum(each[name] for each in same) for name in ("pages", "relevant", "turns")}
    by_fifths = tuple(sum(each["by_fifths"][fifth] for each in same) for fifth in range(FIFTHS))
    return given[0] | sums | {"by_fifths": by_fifths}


def nothing_relevant(found: dict[str, Any] | None) -> list[str]:
    """Return the line of a crawl's end where no page is relevant to its topic."""
    if found is None or not found["in_force"] or found["relevant"] or not found["pages"]:
        return []
    pages = counted(found["pages"], "stored page")
    return [f"Topic: none of {pages} is relevant to “{found['topic']}”."]


def harvest_in_words(found: dict[str, Any]) -> str:
    """Return a harvest in a sentence or two."""
    pages = counted(found["pages"], "page")
    last = "" if found["in_force"] else "none is in force now; the last was "
    told = (
        f"{last}“{found['topic']}”: {found['relevant']:,} of {pages} relevant, which is a relevance of "
        f"{found['relevant_from']:g} or more"
    )
    if not found["turns"]:
        return told
    rate = sum(found["by_fifths"]) / found["turns"]
    fifths = ", ".join(f"{count:,}" for count in found["by_fifths"])
    return f"{told}; harvest rate {rate:.1%} of {counted(found['turns'], 'turn')}, in fifths of them: {fifths}"
