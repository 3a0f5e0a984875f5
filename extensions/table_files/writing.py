"""How do rows become a file? As CSV (RFC 4180), or as Parquet (parquet.apache.org), in bounded memory.

CSV is UTF-8 with a head and a line feed after each row. A text with a comma, a quote or a line break stands in quotes.
A list is one cell with a blank between its values; an unknown number is an empty cell; a flag is true or false. Text is
written as it is: a cell that begins with = is data, and `formulas` counts such cells, since a spreadsheet may calculate
them.

Parquet has the types of the columns. Rows go to the file in blocks.
"""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from extensions.table_files.tables import ColumnType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from extensions.table_files.tables import Cell, Column, Row

BLOCK_ROWS = 10_000
BLOCK_VALUES = 1_000_000  # in the lists of a block: the positions of a frequent term
_BEGIN_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # OWASP, "CSV Injection"


class CsvFile:
    """Writes rows as CSV. `formulas` counts the cells that a spreadsheet may take for a formula."""

    def __init__(self, file: BinaryIO, columns: Sequence[Column]) -> None:
        self._text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
        self._writer = csv.writer(self._text, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
        self._columns = columns
        self.formulas = 0
        self._writer.writerow([column.name for column in columns])

    def write(self, rows: Iterable[Row]) -> int:
        """Write all rows; return how many there were."""
        number = 0
        for number, row in enumerate(rows, 1):  # noqa: B007 - it is the count
            self.formulas += sum(isinstance(cell, str) and cell.startswith(_BEGIN_FORMULA) for cell in row)
            self._writer.writerow(list(map(_cell, row)))
        return number

    def close(self) -> None:
        """Finish the file, which stays open."""
        self._text.detach()


def _cell(value: Cell) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(map(str, value)) if isinstance(value, tuple) else value


class ParquetFile:
    """Writes rows as Parquet. Raises ImportError without pyarrow."""

    formulas = 0  # its readers know what a text is

    def __init__(self, file: BinaryIO, columns: Sequence[Column]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        types = {
            ColumnType.TEXT: pa.string(),
            ColumnType.WHOLE: pa.int64(),
            ColumnType.REAL: pa.float64(),
            ColumnType.FLAG: pa.bool_(),
            ColumnType.WHOLES: pa.list_(pa.int32()),
            ColumnType.TEXTS: pa.list_(pa.string()),
        }
        self._schema = pa.schema([(column.name, types[column.kind]) for column in columns])
        self._block = pa.record_batch
        self._writer: Any = parquet.ParquetWriter(file, self._schema, compression="zstd")

    def write(self, rows: Iterable[Row]) -> int:
        """Write all rows; return how many there were."""
        number = 0
        for block in _blocks(iter(rows)):
            columns = [list(column) for column in zip(*block, strict=True)]
            self._writer.write_batch(self._block(columns, schema=self._schema))
            number += len(block)
        return number

    def close(self) -> None:
        """Finish the file, which stays open."""
        self._writer.close()


def _blocks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Yield the rows in blocks of BLOCK_ROWS, or fewer if their lists are long."""
    block: list[Row] = []
    values = 0
    while some := list(islice(rows, BLOCK_ROWS // 10)):
        block += some
        values += sum(len(cell) for row in some for cell in row if isinstance(cell, tuple))
        if len(block) >= BLOCK_ROWS or values >= BLOCK_VALUES:
            yield block
            block, values = [], 0
    if block:
        yield block
