"""`export --table`: writes a table of a crawl to a new file, CSV or Parquet by the end of its name."""

from __future__ import annotations

import time
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from commands.frame.data_folder import open_searcher, open_to_read
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.new_file import new_file
from commands.frame.terminal import json_line
from extensions.table_files.postings import posting_rows
from extensions.table_files.tables import COLUMNS, STORED, TakenOut
from extensions.table_files.writing import CsvFile, ParquetFile
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from extensions.table_files.tables import Row

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
        rows = writer.write(_rows(table, databases, settings))
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


def _rows(table: str, databases: Sequence[CrawlDatabase], settings: CommandSettings) -> Iterator[Row]:
    if table == "postings":
        link_only = settings.getbool("LINK_ONLY_RESULTS")
        return posting_rows(open_searcher(settings.data_dir, link_only=link_only))
    gone = TakenOut(databases)
    return chain.from_iterable(_stored(table, database, gone) for database in databases)


def _stored(table: str, database: CrawlDatabase, gone: TakenOut) -> Iterator[Row]:
    with database.one_state():
        yield from STORED[table](database, gone)
