"""How does a program for tables read a crawl? `export --table` writes pages, links, postings or decisions as a file.

The name of the file chooses its form: CSV for every program, or Parquet, which keeps the types of the columns. Parquet
needs a library that the launcher installs for that (extra.txt).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import ExportFormat, extends

if TYPE_CHECKING:
    from argparse import Namespace

    from commands.frame.command_settings import CommandSettings

NAMES = ("pages", "links", "postings", "decisions")


@extends
def export_formats() -> list[ExportFormat]:
    """Add `export --table`."""

    def write(arguments: Namespace, settings: CommandSettings) -> int:
        from extensions.table_files.export import export_table

        return export_table(arguments, settings)

    options = {
        "--to": {"metavar": "FILE", "help": "the new file of --table: its name ends in .csv or .parquet"},
        "--yes": {"action": "store_true", "help": "install what .parquet needs without asking"},
    }
    return [ExportFormat("--table", "write this table to a file, with --to", write, choices=NAMES, options=options)]
