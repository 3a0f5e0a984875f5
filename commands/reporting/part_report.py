"""How far is each part of a divided crawl? The sums of all, then a line a part; one that can't be asked is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from commands.line.command import DONE, NO
from commands.line.opened import open_to_report
from commands.reporting.numbers import lines, proposed_lines, row
from commands.reporting.trap_report import as_json as traps_as_json
from commands.reporting.trap_report import lines as trap_lines
from commands.suggest import told as told_evidence
from commands.terminal.amounts import counted
from commands.terminal.ink import ink
from crawldb import CrawlDatabase, DatabaseError
from crawldb.aliases.evidence import gather
from crawldb.divided_report import divided_report
from crawldb.parts import Parts

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from commands.terminal.ink import Ink
    from crawldb.frontier.partition.rendezvous import Partition


def report_on(arguments: Namespace, data_dir: Path, parts: Sequence[Partition]) -> int:
    """Print the numbers of a divided crawl, or what the rules about traps have caught in each part."""
    with Parts(data_dir, parts) as opened:
        there, missing = _there(opened)
        if arguments.about:
            _print_traps(there, missing, as_json=arguments.json)
            return NO if missing else DONE
        numbers = divided_report(opened)
        proposals = [told_evidence(evidence) for evidence in gather(*there.values()) if evidence.proposed]
    if arguments.json:
        print(json.dumps(numbers | {"proposals": proposals}, ensure_ascii=False))
    else:
        pen = ink()
        told = [*lines(numbers, str(data_dir), pen), *_parts(pen, numbers["parts"])]
        print(*told, *proposed_lines(pen, proposals), sep="\n")
    return NO if missing else DONE


def _there(opened: Parts) -> tuple[dict[str, CrawlDatabase], dict[str, str]]:
    """Return the parts that can be asked, by their folders, and the others with what is wrong. Raises if none can."""
    there: dict[str, CrawlDatabase] = {}
    missing: dict[str, str] = {}
    for part in opened.parts:
        try:
            open_to_report(opened.folder(part)).close()
            there[str(opened.folder(part))] = opened.of(part)
        except DatabaseError as fault:
            missing[str(part)] = str(fault)
            if len(missing) == len(opened.parts):
                raise
    return there, missing


def _parts(pen: Ink, parts: Sequence[dict[str, Any]]) -> Iterator[str]:
    for number, part in enumerate(parts):
        label = "" if number else "parts"
        if part["fault"]:
            yield from row(pen, label, f"{part['part']} is in none of these numbers: {part['fault']}")
            continue
        urls, pages, last = part["urls"], part["pages"], part["last_run"] or {}
        ending = "at work" if last.get("running") else f"run {last.get('run', 0)} {last.get('ending') or 'killed'}"
        yield from row(
            pen, label, f"{part['part']}: {counted(urls['discovered'], 'URL')}, {urls['queued']:,} queued, "
            f"{counted(pages['stored'], 'page')} stored, {pages['indexed']:,} fit for the index, "
            f"{counted(part['requests'], 'request')}, {ending}",
        )  # fmt: skip


def _print_traps(there: dict[str, CrawlDatabase], missing: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_together([json.loads(traps_as_json(each)) for each in there.values()], missing),
                         ensure_ascii=False))  # fmt: skip
        return
    for folder, database in there.items():
        print(*trap_lines(database, folder, ink()), sep="\n")
    for part, fault in missing.items():
        print(f"Part {part} is not among them: {fault}")


def _together(told: Sequence[dict[str, Any]], missing: dict[str, str]) -> dict[str, Any]:
    names = told[0]["harms"]
    return {
        "harms": {name: sum(each["harms"][name] for each in told) for name in names},
        "traps": [catch for each in told for catch in each["traps"]],
        "suspects": [suspect for each in told for suspect in each["suspects"]],
        "missing": missing,
    }
