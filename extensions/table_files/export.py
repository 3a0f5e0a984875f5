"""`export --table`: writes a table of a crawl to a new file, CSV or Parquet by the end of its name.

How do rows become a file? As CSV (RFC 4180), or as Parquet (parquet.apache.org), in bounded memory.

CSV is UTF-8 with a head and a line feed after each row. A text with a comma, a quote or a line break stands in quotes.
A list is one cell with a blank between its values; an unknown number is an empty cell; a flag is true or false. Text is
written as it is: a cell that begins with = is data, and `formulas` counts such cells, since a spreadsheet may calculate
them.

Parquet has the types of the columns. Rows go to the file in blocks.

Which postings has the index? A row for each term in a field of a page, in the order of the dictionary.

The segments of the index have their own dictionaries, each in order, so they are merged as they are read. Pages that a
search may not show are left out: `forget`, `block` and the dates in page controls hold here too.

The positions of all terms would give the text back. So a page whose owner limits copies (noarchive) or snippets
(nosnippet, max-snippet) has frequencies without positions. Readings of Japanese are left out: they are no terms of the
page.
"""

from __future__ import annotations

import csv
import heapq
import io
import time
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from commands.frame.data_folder import open_searcher, open_to_read
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.new_file import new_file
from commands.frame.terminal import json_line
from extensions.table_files.tables import COLUMNS, STORED, ColumnType, TakenOut
from indexer.segments.dictionary import BEFORE_FIELD
from indexer.segments.schema import FIELD_KEYS, INDEX_FIELDS, IndexField
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from extensions.table_files.tables import Cell, Column, Row
    from indexer.retrieval.searcher import Searcher
    from indexer.segments.snapshot import SegmentView


BLOCK_ROWS = 10_000
BLOCK_VALUES = 1_000_000  # in the lists of a block: the positions of a frequent term
_BEGIN_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # OWASP, "CSV Injection"


class _LineFeeds:
    """Ends each row of a CSV writer with a line feed. The writer ends it with CR LF, and so quotes a text with a CR."""

    def __init__(self, text: TextIO) -> None:
        self._text = text

    def write(self, row: str) -> int:
        """Write a row."""
        return self._text.write(row.removesuffix(csv.excel.lineterminator) + "\n")


class CsvFile:
    """Writes rows as CSV. `formulas` counts the cells that a spreadsheet may take for a formula."""

    def __init__(self, file: BinaryIO, columns: Sequence[Column]) -> None:
        self._text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
        self._writer = csv.writer(_LineFeeds(self._text), csv.excel)
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


FIELDS = tuple(field for field in INDEX_FIELDS if field is not IndexField.READING)
_FIELDS = {BEFORE_FIELD + FIELD_KEYS[field]: str(field) for field in FIELDS}
_SUFFIX = len(BEFORE_FIELD) + 1  # of a key: the field behind the word
_Posting = tuple[str, int, tuple[int, ...] | None]  # URL, frequency, positions


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page whose postings may be shown, and whether their positions may be, too."""

    url: str
    positions: bool


def posting_rows(searcher: Searcher) -> Iterator[Row]:
    """Yield the postings that a search may use. The URLs of all pages are in memory.

    Raises CommandError for an index that another engine keeps, and CorruptIndex.
    """
    if searcher.elsewhere:
        raise CommandError(
            "--table postings: only postings of Breadcrumb's own index can be exported, so choose another table. "
            f"{searcher.elsewhere}"
        )
    views = searcher.snapshot.views
    merged = heapq.merge(*(_lists(view, _shown_pages(searcher, view)) for view in views), key=itemgetter(0))
    for key, rows in merged:
        word, field = key[:-_SUFFIX].decode(), _FIELDS[key[-_SUFFIX:]]
        for url, frequency, positions in rows:
            yield word, url, field, frequency, positions


def _shown_pages(searcher: Searcher, view: SegmentView) -> dict[int, ShownPage]:
    """Return the pages of a segment that may be shown, by the numbers of their documents."""
    now, found = time.time(), {}
    for document in range(view.file.count):
        if not view.live[document]:
            continue
        stored = view.file.stored(document)
        if (stored.expires and stored.expires <= now) or searcher.corpus.is_hidden(view, stored):
            continue
        found[document] = ShownPage(stored.url, bool(stored.not_fetched) or (stored.archive and stored.snippet is None))
    return found


def _lists(view: SegmentView, pages: dict[int, ShownPage]) -> Iterator[tuple[bytes, list[_Posting]]]:
    """Yield the keys of a segment, ascending, each with its postings that may be shown. Some thousands are unpacked."""
    for keys, lists in view.file.lists_of(FIELDS):
        documents, frequencies, places = (each.tolist() for each in view.file.unpacked(lists))
        ends, row = list(accumulate(frequencies, initial=0)), 0
        for key, count in zip(keys, lists.counts.tolist(), strict=True):
            rows = range(row, row + count)
            row += count
            yield (
                key,
                [
                    (
                        page.url,
                        frequencies[each],
                        tuple(places[ends[each] : ends[each + 1]]) if page.positions else None,
                    )
                    for each in rows
                    if (page := pages.get(documents[each])) is not None
                ],
            )


FORMS: dict[str, type[CsvFile | ParquetFile]] = {".csv": CsvFile, ".parquet": ParquetFile}


def export_table(arguments: Namespace, settings: CommandSettings) -> int:
    """Write the table that `--table` names to the file of `--to`; return the exit code."""
    name, table, began = arguments.to, arguments.table, time.monotonic()
    form = FORMS.get(Path(name or "").suffix)
    if form is None:
        given = f"--to {name}: the end of the name chooses the form" if name else "--table needs a file"
        raise CommandError(f"{given}: give --to {table}.csv or --to {table}.parquet")
    with open_to_read(settings.data_dir) as databases, new_file("--to", name) as file:
        try:
            writer = form(file, COLUMNS[table])
        except ImportError as error:
            raise CommandError(
                f"--to {name}: Parquet needs pyarrow, which is not installed ({error}); --to {table}.csv needs nothing"
            ) from None
        with closing(_rows(table, databases, settings)) as found:  # their read ends before the database is closed
            rows = writer.write(found)
        writer.close()
    done = {"file": name, "table": table, "rows": rows, "bytes": Path(name).stat().st_size}
    done |= {"formulas": writer.formulas, "seconds": round(time.monotonic() - began, 3)}
    print(json_line(done) if arguments.json else f"{counted(rows, 'row')} of {table} in {name}.")
    if writer.formulas and not arguments.json:
        print(
            f"{counted(writer.formulas, 'text begins', 'texts begin')} with =, +, -, @ or a tab. A spreadsheet may "
            "calculate them: import all columns as text."
        )
    return DONE if rows else NO


def _rows(table: str, databases: Sequence[CrawlDatabase], settings: CommandSettings) -> Generator[Row, None, None]:
    if table == "postings":
        link_only = settings.getbool("LINK_ONLY_RESULTS")
        yield from posting_rows(open_searcher(settings.data_dir, link_only=link_only))
        return
    gone = TakenOut(databases)
    for database in databases:
        with database.one_state():
            yield from STORED[table](database, gone)
