"""Why did a URL come when it did? What it promised for the topic of the crawl, part by part, and what it came before.

Nothing is told where the crawl went breadth first or by worth: there is nothing to tell but the depth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports.wording import Row, counted
from urls.promise import ANCHOR, AROUND, DIGITS, NAME, PARENT, RELEVANT, YIELD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.tables.priorities import PromiseRow


def promise_rows(row: PromiseRow) -> Iterator[Row]:
    """Yield what a URL promises, when its turn was, and how relevant its page is."""
    if row.topic and row.parts is not None:
        yield Row("promise", f"For the topic “{row.topic}” it promises {_shown(row.parts.total)}, the sum of:")
        page, by = (f" on {row.via}", "what that page hands on") if row.via else ("", "that a person named it")
        yield _part(row.parts.anchor, ANCHOR, f"the words of the link{page}", row.anchor)
        yield _part(row.parts.around, AROUND, "the words around that link", row.around)
        yield _part(row.parts.name, NAME, "the words of its own address", row.name)
        yield _part(row.parts.parent, PARENT, by)
        yield _part(row.parts.folder, YIELD, f"the relevant pages of its folder {row.folder} so far")
    elif row.topic and row.waits:
        yield Row("promise", f"What it promises for the topic “{row.topic}” is judged when its site has its turn.")
    if row.turn is not None and row.promised is not None:
        yield Row("promise", _turn(row, row.turn, row.promised))
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
    return Row("promise", f"{_shown(value)} of {weight:.2f} for {what}{has}")


def _turn(row: PromiseRow, turn: int, promised: float) -> str:
    if row.inlinks is not None:
        few = counted(row.inlinks, "page was known to link", "pages were known to link")
        came = f"Its turn was number {turn:,}, because {few} to it: few links go first, {_shown(promised)}"
    else:
        then = f", for the topic “{row.former}” of an earlier run" if row.former else ""
        came = f"Its turn was number {turn:,}{then}, with a promise of {_shown(promised)}"
    if row.next_best is None:
        return f"{came}; nothing else of its site was due."
    beside = f"{came}; the best that its site had waiting promised {_shown(row.next_best)}."
    first = " What is urgent goes first: a sitemap, a page that changed by its sitemap, one that was put off."
    return beside + first * (row.next_best > promised)


def _shown(value: float) -> str:
    return f"{value:.{DIGITS}f}"
