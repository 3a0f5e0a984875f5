"""The numbers of a crawl as tables, with a definition of each term.

Terms are defined by docs/glossary.md, rules by the journal, status codes by the standard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from reports.wording import meaning_of_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reports.numbers import Report

_GLOSSARY = Path(__file__).resolve().parents[1] / "docs" / "glossary.md"
_ENTRY = re.compile(r"^- \*\*(.+?)\*\*: (.+)$", re.MULTILINE)


@cache
def glossary() -> dict[str, str]:
    """Return the definitions by term; none if the docs are not installed, as in an egg."""
    return dict(_ENTRY.findall(_GLOSSARY.read_text("utf-8"))) if _GLOSSARY.is_file() else {}


def meaning_of(term: str) -> str:
    """Return the definition of a term without its full stop; "" if the glossary lacks it."""
    return glossary().get(term, "").removesuffix(".").replace("`", "")


SITES_SHOWN = 100  # on a page; the JSON has all
_TERMS = {  # of the report: as what the glossary has it
    "leased": "leased out", "indexed": "fit for the index", "duplicates": "duplicate",
    "near_duplicates": "near duplicate", "refused": "left out",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NumberRow:
    """A number, its name, and the definition of the name, if it needs one."""

    name: str
    number: int
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class NumberTable:
    """Rows of one kind; `more` are those that are not shown."""

    key: str
    title: str
    noun: str
    rows: tuple[NumberRow, ...]
    more: int = 0


def number_tables(numbers: Report) -> Iterator[NumberTable]:
    """Yield the tables that have any row."""
    largest = sorted(numbers["sites"].items(), key=lambda site: (-site[1], site[0]))
    sites = tuple(NumberRow(*site) for site in largest[:SITES_SHOWN])
    found = (
        NumberTable("urls", "URLs by state", "State", tuple(_terms(numbers["urls"]))),
        NumberTable("pages", "Pages", "Kind", tuple(_terms(numbers["pages"]))),
        NumberTable("status", "Responses by status", "Status", tuple(_statuses(numbers["status"]))),
        NumberTable("suppressed", "Skipped URLs by rule", "Rule", tuple(_rules(numbers["suppressed"]))),
        NumberTable("failed", "Failed URLs by rule", "Rule", tuple(_rules(numbers["failed"]))),
        NumberTable("sites", "Stored pages by site", "Site", sites, len(largest) - len(sites)),
    )
    yield from (table for table in found if table.rows)


def _terms(counts: Mapping[str, int]) -> Iterator[NumberRow]:
    for name, number in counts.items():
        word = name.replace("_", " ")
        yield NumberRow(word, number, meaning_of(_TERMS.get(name, word)))


def _rules(counts: Mapping[str, int]) -> Iterator[NumberRow]:
    for name, number in counts.items():
        yield NumberRow(name, number, meaning_of_rule(name))


def _statuses(counts: Mapping[str, int]) -> Iterator[NumberRow]:
    known = {str(status.value): status.description or status.phrase for status in HTTPStatus}
    for name, number in counts.items():
        yield NumberRow(name, number, "no response" if name == "none" else known.get(name, ""))
