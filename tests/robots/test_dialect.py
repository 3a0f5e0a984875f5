"""Does each dialect judge every case of the specifications as its text does, verdict and line?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import robots
from robots import Dialect

CONFORMANCE = Path(__file__).parents[1] / "conformance"
COLUMN = {Dialect.RFC9309: "rfc", Dialect.GOOGLE: "", Dialect.TEXT_1996: "draft", Dialect.BOOK: "book"}


def rows(name: str) -> list[dict[str, Any]]:
    with (CONFORMANCE / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def expected(row: dict[str, Any], dialect: Dialect) -> tuple[str, int]:
    """A dialect's own column counts; without one the dialect agrees with the first reading."""
    column = COLUMN[dialect]
    return row.get(f"{column}_verdict", row["verdict"]), row.get(f"{column}_line", row["line"])


CASES = [
    pytest.param(dialect, row, id=f"{dialect.value} {row['id']} {row.get('rule') or row['source']}")
    for name in ("rules.jsonl", "sources.jsonl")
    for row in rows(name)
    for dialect in Dialect
    if expected(row, dialect)[0] != "unspecified"
]


@pytest.mark.parametrize(("dialect", "row"), CASES)
def test_the_verdict_and_its_line_are_those_of_the_text(dialect: Dialect, row: dict[str, Any]) -> None:
    body = bytes.fromhex(row["robots_hex"]) if "robots_hex" in row else row["robots"].encode()
    verdict = robots.parse(body, dialect).decide(row["agent"], row["url"])
    word, line = expected(row, dialect)
    assert ("allow" if verdict.allowed else "disallow", verdict.line) == (word, line), verdict


def test_the_tables_are_the_whole_tables() -> None:
    assert (len(rows("rules.jsonl")), len(rows("sources.jsonl"))) == (237, 75)


def test_the_same_file_is_judged_four_ways() -> None:
    body = b"User-agent: *\nDisallow:\n\nUser-agent: bread\nDisallow: /attic\nAllow: /attic/box*\n"
    url = "https://seeds.example/attic/box"
    verdicts = {dialect.value: str(robots.parse(body, dialect).decide("Breadcrumb", url)) for dialect in Dialect}
    assert verdicts == {
        "rfc9309": "allowed by line 2",  # the record for bread is not for us, and an empty Disallow forbids nothing
        "google": "allowed by line 2",
        "1996": "allowed by line 2",
        "book": "disallowed by line 5",  # bread is a part of our name, and the first rule that matches decides
    }


def test_a_dialect_is_chosen_by_the_name_on_the_command_line() -> None:
    assert [Dialect(name) for name in ("rfc9309", "google", "1996", "book")] == list(Dialect)
