"""How do `why` and `report` explain a crawl for a topic? By the priority of a URL, and by the harvest of all turns.

The harvest rate is the share of relevant pages among the turns (Chakrabarti et al. 1999). The same measure orders the
crawl (`priority.py`), so this rate can't check it. Decision 0033 has independent judgements.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from crawldb.visited import find
from extension_points import WhySection
from extensions.topic.priority import ANCHOR, AROUND, DIGITS, NAME, PARENT, RELEVANT, YIELD
from extensions.topic.tables import FIFTHS, read_harvest, read_turn
from reports.wording import Row, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from extensions.topic.tables import UrlTurn
    from urls.records import CanonicalUrl


# -- Why


def why_section(database: CrawlDatabase, url: CanonicalUrl | None) -> WhySection:
    """Return the turn of a URL. The section is empty if no crawl in such an order has met it."""
    identity = None if url is None else find(database.connection, url)
    row = None if identity is None else read_turn(database, identity)
    if row is None:
        return WhySection("found", "promise", None)
    value = asdict(row)
    if row.parts is not None:
        value["parts"] = row.parts._asdict() | {"total": row.parts.total}
    return WhySection("found", "promise", value, tuple(turn_rows(row)))


def turn_rows(row: UrlTurn) -> Iterator[Row]:
    """Yield the priority of a URL, its turn, and the relevance of its page."""
    if row.topic and row.parts is not None:
        yield Row("priority", f"For the topic “{row.topic}” its priority is {_shown(row.parts.total)}, the sum of:")
        page, by = (f" on {row.via}", "what that page hands on") if row.via else ("", "that a person named it")
        yield _part(row.parts.anchor, ANCHOR, f"the words of the link{page}", row.anchor)
        yield _part(row.parts.around, AROUND, "the words around that link", row.around)
        yield _part(row.parts.name, NAME, "the words of its own address", row.name)
        yield _part(row.parts.parent, PARENT, by)
        yield _part(row.parts.folder, YIELD, f"the relevant pages of its folder {row.folder} so far")
    elif row.topic and row.waits:
        yield Row("priority", f"Its priority for the topic “{row.topic}” is computed when its site has its turn.")
    if row.turn is not None and row.promised is not None:
        yield Row("priority", _turn(row, row.turn, row.promised))
    if row.topic and row.relevance is not None:
        verdict = "relevant" if row.relevant else "not relevant"
        said = f"; of its terms the page has {', '.join(row.said)}" if row.said else "; the page has none of its terms"
        yield Row(
            "relevance",
            f"For the topic “{row.topic}” the page is {verdict}: {_shown(row.relevance)}, and a page in the index is "
            f"relevant from {RELEVANT:g} up{said}.",
        )


def _part(value: float, weight: float, what: str, terms: tuple[str, ...] = ()) -> Row:
    has = f": {', '.join(terms)}" if terms else ""
    return Row("priority", f"{_shown(value)} of {weight:.2f} for {what}{has}")


def _turn(row: UrlTurn, turn: int, promised: float) -> str:
    if row.inlinks is not None:
        few = counted(row.inlinks, "page was known to link", "pages were known to link")
        came = f"Its turn was number {turn:,}, because {few} to it: few links go first, {_shown(promised)}"
    else:
        then = f", for the topic “{row.former}” of an earlier run" if row.former else ""
        came = f"Its turn was number {turn:,}{then}, with a priority of {_shown(promised)}"
    if row.next_best is None:
        return f"{came}; nothing else of its site was due."
    beside = f"{came}; the highest priority that waited on its site was {_shown(row.next_best)}."
    first = " What is urgent goes first: a sitemap, a page that changed by its sitemap, one that was put off."
    return beside + first * (row.next_best > promised)


def _shown(value: float) -> str:
    return f"{value:.{DIGITS}f}"


# -- Report


def harvest(database: CrawlDatabase) -> dict[str, Any] | None:
    """Return the harvest of the crawl's latest topic, or None without one."""
    found = read_harvest(database)
    return None if found is None else found._asdict() | {"relevant_from": RELEVANT}


def sum_of_harvests(harvests: Iterable[dict[str, Any] | None]) -> dict[str, Any] | None:
    """Return the harvest of all parts of a divided crawl with the first part's topic; None if no part has one."""
    given = [each for each in harvests if each is not None]
    if not given:
        return None
    same = [each for each in given if each["topic"] == given[0]["topic"]]
    sums = {name: sum(each[name] for each in same) for name in ("pages", "relevant", "turns")}
    by_fifths = tuple(sum(each["by_fifths"][fifth] for each in same) for fifth in range(FIFTHS))
    return given[0] | sums | {"by_fifths": by_fifths}


def nothing_relevant(found: dict[str, Any] | None) -> list[str]:
    """Return the closing line of a crawl without any page relevant to its topic."""
    if found is None or not found["in_force"] or found["relevant"] or not found["pages"]:
        return []
    pages = counted(found["pages"], "stored page")
    return [f"Topic: none of {pages} is relevant to “{found['topic']}”."]


def harvest_rows(found: dict[str, Any] | None) -> list[Row]:
    """Return the row of `report`."""
    return [] if found is None else [Row("topic", harvest_in_words(found))]


def harvest_in_words(found: dict[str, Any]) -> str:
    """Return a harvest in a sentence or two."""
    pages = counted(found["pages"], "page")
    last = "" if found["in_force"] else "none is in force now; the last was "
    relevant = (
        f"{last}“{found['topic']}”: {found['relevant']:,} of {pages} relevant, which is a relevance of "
        f"{found['relevant_from']:g} or more"
    )
    if not found["turns"]:
        return relevant
    rate = sum(found["by_fifths"]) / found["turns"]
    fifths = ", ".join(f"{count:,}" for count in found["by_fifths"])
    return f"{relevant}; harvest rate {rate:.1%} of {counted(found['turns'], 'turn')}, in fifths of them: {fifths}"
