"""Does docs/book.md keep one row for each point of the sources, and does each row lead to something that is there?"""

from __future__ import annotations

import re

from tests.docs.conftest import DOCS, ROOT

POINTS = 112
KINDS = ["stock", "statistics", "price", "link checker", "search"]
COLUMNS = ["point", "claim", "files", "tests", "demonstration"]
NOT_YET = "—"


def rows() -> list[list[str]]:
    """The cells of every table row that begins with a number."""
    lines = (DOCS / "book.md").read_text().splitlines()
    return [cells(line) for line in lines if re.match(r"\| *\d", line)]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def test_each_point_has_one_row_in_order() -> None:
    assert [int(row[0]) for row in rows()] == list(range(1, POINTS + 1))


def test_each_row_fills_every_column() -> None:
    assert not [row for row in rows() if len(row) != len(COLUMNS) or not all(row)]


def test_each_table_says_what_its_columns_are() -> None:
    heads = [cells(line) for line in (DOCS / "book.md").read_text().splitlines() if line.startswith("| point")]
    assert heads
    assert all(head == COLUMNS for head in heads)


def test_what_lives_somewhere_has_a_test() -> None:
    assert not [row[0] for row in rows() if row[2] != NOT_YET and row[3] == NOT_YET]


def test_the_files_that_rows_name_exist() -> None:
    missing = {}
    for row in rows():
        for path in re.findall(r"`([\w./-]+/[\w./-]*)(?:::[\w\[\] -]+)?`", " ".join(row[2:4])):
            if not (ROOT / path).exists():
                missing[path] = row[0]
    assert not missing


def test_the_tests_that_rows_name_exist() -> None:
    assert not {name: row[0] for row in rows() for name in missing_tests(row[3])}


def test_each_promise_of_security_names_a_test_that_exists() -> None:
    promises = [line for line in (ROOT / "SECURITY.md").read_text().splitlines() if line.startswith("| ")]
    named = [promise for promise in promises if promise != "| promise | test |"]
    assert [promise for promise in named if "::test_" not in promise] == []
    assert missing_tests(" ".join(named)) == []


def missing_tests(text: str) -> list[str]:
    """The tests that a text names, as `file.py::test`, and that are not there."""
    named = re.findall(r"`([\w./-]+\.py)::(\w+)", text)
    return [test for path, test in named if not re.search(rf"def {test}\b", (ROOT / path).read_text())]


def glossary() -> list[str]:
    return re.findall(r"^- \*\*(.+?)\*\*: ", (DOCS / "glossary.md").read_text(), re.MULTILINE)


def test_the_glossary_is_in_order_and_has_each_term_once() -> None:
    assert glossary()
    assert glossary() == sorted(set(glossary()), key=str.casefold)


def test_each_term_of_the_glossary_takes_one_line() -> None:
    lines = (DOCS / "glossary.md").read_text().splitlines()
    entries = [line for line in lines if line.startswith("- **")]
    prose = [line for line in lines if line and line not in entries and not line.startswith("#")]
    assert len(entries) == len(glossary())
    assert len(prose) <= 2, "an introduction; everything else is a term"


def test_112_each_kind_of_robot_is_told_by_rows_that_are_there() -> None:
    section = (DOCS / "book.md").read_text().partition("## Kinds of robots")[2]
    kinds = [cells(line) for line in section.splitlines() if line.startswith("| ")][1:]
    assert [kind[0] for kind in kinds] == KINDS
    built = {row[0] for row in rows() if row[3] != NOT_YET}
    named = {number for kind in kinds for number in re.findall(r"\((\d+)\)", kind[2])}
    assert named
    assert named <= built
    settings = (DOCS / "settings.md").read_text()
    assert all(f"`{name}`" in settings for name in re.findall(r"`([A-Z_]{4,})", section))
