"""What happened to this URL? Everything that was decided about it, in order, on one screen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from commands.command import Command
from commands.exits import DONE, NO
from commands.terminal import ink, printable, row_lines
from reports.wording import LABEL_WIDTH, Row

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator

    from commands.command_settings import CommandSettings
    from reports.why import Dossier

TERMS_SHOWN = 12
FIRST_RESULTS = 100  # results among which the page is looked for


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("url", metavar="URL", help="an address, however it is spelt")
    parser.add_argument("--json", action="store_true", help="one JSON object, with everything that is known")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Print the dossier of a URL."""
    from commands.data_folder import open_part_of, policy_for
    from reports.why import dossier

    with open_part_of(settings.data_dir, arguments.url) as database:
        policy = policy_for(database, settings)
        found = dossier(database, arguments.url, settings["PRODUCT"], policy=policy)
    indexed = _in_index(settings, found)
    if arguments.json:
        print(json.dumps(found.as_dict() | indexed, ensure_ascii=False))
    else:
        _print(found, indexed)
    return DONE if found.discovered else NO


def _in_index(settings: CommandSettings, found: Dossier) -> dict[str, Any]:
    """Return what the index knows: the page's most frequent terms, and its place among the results for its title."""
    from commands.data_folder import open_searcher
    from indexer import NoIndex

    nothing: dict[str, Any] = {"terms": None, "rank": None}
    if found.page is None or not found.page.indexed or found.canonical is None:
        return nothing
    try:
        searcher = open_searcher(settings.data_dir)
    except NoIndex:
        return nothing
    terms = searcher.terms(found.canonical)
    if terms is None:
        return nothing
    total, hit = searcher.find_hit(found.canonical, found.page.title, FIRST_RESULTS)
    rank = {"query": found.page.title, "place": hit.rank if hit else None, "total": total}
    return {"terms": dict(terms), "rank": rank}


def _index_sentence(found: Dossier, indexed: dict[str, Any]) -> str:
    if indexed["terms"] is None:
        waits = found.page is not None and found.page.indexed
        return "Not in the index yet: ./breadcrumb index brings it up to date." if waits else "Not in the index."
    shown = ", ".join(f"{term} {count}" for term, count in list(indexed["terms"].items())[:TERMS_SHOWN])
    rank = indexed["rank"]
    place = f"number {rank['place']}" if rank["place"] else f"behind the first {FIRST_RESULTS}"
    first = f"In the index. For its own title it is {place} of {rank['total']:,}."
    return f"{first} Its most frequent terms: {shown}." if shown else first


def _print(found: Dossier, indexed: dict[str, Any]) -> None:
    from reports.why import account

    pen = ink()
    rows = list(account(found))
    if found.page is not None:
        rows.insert(-2, Row("index", _index_sentence(found, indexed)))
    print(pen.bold(printable(found.url)), *row_lines(_each_label_once(rows), LABEL_WIDTH, pen), sep="\n")


def _each_label_once(rows: Iterable[Row]) -> Iterator[Row]:
    """Leave out a label that the row before has, too."""
    before = ""
    for row in rows:
        yield Row("", row.text) if row.label == before else row
        before = row.label or before


COMMAND = Command(
    name="why",
    example="http://bakery.localhost:8400/kitchen/oven.html --data demo",
    exits="0 the crawl knows the URL, 1 it has never met it, 2 it could not be looked up",
    add_arguments=add_arguments,
    run=run,
)
