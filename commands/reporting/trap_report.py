"""What did the rules about traps catch, and was it right? Each verdict with what it cost, and the words to undo it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from commands.terminal.amounts import counted, duration, size
from commands.terminal.columns import hanging
from commands.terminal.ink import Ink, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawldb import CrawlDatabase
    from crawldb.harm import Catch, Suspect

INDENT = 16
URL_SHOWN = 200  # characters of a sample
SHOWN = 20  # catches, and suspects: --json has them all


def told(harms: Mapping[str, Any]) -> str:
    """Return the three harms of cycles as half a sentence."""
    return (
        f"{counted(harms['wasted'], 'request')} brought nothing new, {size(harms['bytes'])} and "
        f"{duration(harms['seconds'])} of the servers' work; "
        f"{counted(harms['copies'], 'copy', 'copies')} kept out of the results"
    )


def as_json(database: CrawlDatabase) -> str:
    """Return everything as one JSON object."""
    from crawldb.harm import catches, harms, suspects  # noqa: PLC0415 - late, so that --help is quick

    found = [asdict(catch) | {"release": catch.release} for catch in catches(database)]
    everything = {
        "harms": asdict(harms(database)),
        "traps": found,
        "suspects": [asdict(suspect) for suspect in suspects(database)],
    }
    return json.dumps(everything, ensure_ascii=False)


def lines(database: CrawlDatabase, folder: str, pen: Ink) -> Iterator[str]:
    """Return the report for a person."""
    from crawldb.harm import catches, harms, suspects  # noqa: PLC0415 - as above

    yield pen.bold(f"Traps in {folder}")
    yield from _row(pen, "harms", f"{told(asdict(harms(database)))}.")
    caught = catches(database)
    if not caught:
        yield from _row(pen, "traps", "no rule about traps has caught anything.")
    for catch in caught[:SHOWN]:
        yield from _catch(pen, catch)
    if len(caught) > SHOWN:
        yield from _row(pen, "", f"and {len(caught) - SHOWN:,} more; --json has them all")
    found = suspects(database)
    for number, suspect in enumerate(found[:SHOWN]):
        yield from _row(pen, "" if number else "suspects", _suspect(suspect))
    if len(found) > SHOWN:
        yield from _row(pen, "", f"and {len(found) - SHOWN:,} more; --json has them all")


def _catch(pen: Ink, catch: Catch) -> Iterator[str]:
    yield ""
    yield from _row(pen, catch.rule, f"{catch.site}{catch.pattern}: {counted(catch.caught, 'URL')} caught")
    if catch.fetched:
        yield from _row(pen, "", f"{counted(catch.fetched, 'page')} fetched, {catch.wasted:,} of them wasted")
    yield from _row(pen, "why", f"{catch.reason}.")
    for sample in catch.samples:
        yield from _row(pen, "such as", sample if len(sample) <= URL_SHOWN else f"{sample[:URL_SHOWN]}…")
    yield from _row(pen, "to undo", catch.release)


def _suspect(suspect: Suspect) -> str:
    return f"{suspect.site}{suspect.pattern}: {suspect.wasted:,} of {suspect.fetched:,} pages said nothing new."


def _row(pen: Ink, label: str, text: str) -> Iterator[str]:
    for number, line in enumerate(hanging(label, printable(text), INDENT)):
        yield line if number else pen.dim(line[:INDENT]) + line[INDENT:]
