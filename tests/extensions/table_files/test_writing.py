"""Whatever rows hold, a reader gets them back from CSV and from Parquet."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extensions.table_files.export import BLOCK_ROWS, CsvFile, ParquetFile
from extensions.table_files.tables import Column, ColumnType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extensions.table_files.tables import Cell, Row

COLUMNS = tuple(Column(kind.value, kind) for kind in ColumnType)
TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('",=\r\n\0 '), max_size=9)
WORD = TEXT.map(lambda text: "x" + "".join(text.split()))  # a URL has no blanks, and a list has some between its values
WHOLE = st.integers(0, 2**31 - 1)
ROWS = st.lists(
    st.tuples(
        TEXT,
        st.none() | WHOLE,
        st.floats(allow_nan=False, allow_infinity=False),
        st.booleans(),
        st.lists(WHOLE, max_size=3).map(tuple),
        st.lists(WORD, max_size=3).map(tuple),
    ),
    max_size=5,
)
READ = {
    ColumnType.TEXT: str,
    ColumnType.WHOLE: lambda cell: int(cell) if cell else None,
    ColumnType.REAL: float,
    ColumnType.FLAG: {"true": True, "false": False}.__getitem__,
    ColumnType.WHOLES: lambda cell: tuple(map(int, cell.split())),
    ColumnType.TEXTS: lambda cell: tuple(cell.split(" ")) if cell else (),
}


def read_csv(data: bytes, columns: Sequence[Column]) -> list[Row]:
    """Return the rows of a CSV file, as its documentation says that they are read."""
    head, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    assert head == [column.name for column in columns]
    return [tuple(READ[column.kind](cell) for column, cell in zip(columns, row, strict=True)) for row in rows]  # type: ignore[operator]  # each kind reads its text


def written(form: type[CsvFile | ParquetFile], rows: Sequence[Row]) -> tuple[bytes, int]:
    """Return the file, and the texts in it that a spreadsheet may calculate."""
    file = io.BytesIO()
    writer = form(file, COLUMNS)
    assert writer.write(iter(rows)) == len(rows)
    writer.close()
    return file.getvalue(), writer.formulas


@given(ROWS)
@example([("\r", None, 0.0, False, (), ())])
def test_csv_gives_back_what_was_written(rows: list[Row]) -> None:
    assert read_csv(written(CsvFile, rows)[0], COLUMNS) == rows


def with_lists(row: dict[str, object]) -> Row:
    cells: list[Cell] = [tuple(cell) if isinstance(cell, list) else cell for cell in row.values()]  # type: ignore[misc]  # lists of one kind
    return tuple(cells)


@given(ROWS)
def test_parquet_gives_back_what_was_written_with_its_types(rows: list[Row]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="./breadcrumb export --table … --to x.parquet adds pyarrow")
    table = parquet.read_table(io.BytesIO(written(ParquetFile, rows)[0]))
    assert [with_lists(row) for row in table.to_pylist()] == rows


def test_parquet_is_written_in_blocks() -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="./breadcrumb export --table … --to x.parquet adds pyarrow")
    row: Row = ("", 1, 1.0, True, tuple(range(2000)), ())
    whole = parquet.ParquetFile(io.BytesIO(written(ParquetFile, [row] * 2000)[0]))
    assert whole.num_row_groups == 2  # of a million positions each
    short = parquet.ParquetFile(io.BytesIO(written(ParquetFile, [("", 1, 1.0, True, (), ())] * (BLOCK_ROWS + 1))[0]))
    assert short.num_row_groups == 2


def test_a_text_that_begins_like_a_formula_is_kept_and_counted() -> None:
    rows: list[Row] = [("=cmd|' /C calc'!A0", 1, -1.0, True, (), ()), ("a = b", 1, 1.0, True, (), ("+x",))]
    data, formulas = written(CsvFile, rows)
    assert read_csv(data, COLUMNS) == rows
    assert formulas == 1
