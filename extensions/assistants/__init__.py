"""How do programs read what was crawled? An assistant through four tools, and others as files of text.

The command `mcp` (mcp.py) speaks the Model Context Protocol (server.py): search, read, why and robots (tools.py). It
reads the crawl as the gateway does. The launcher adds the SDK with the first `./breadcrumb mcp` (extra.txt).

`export --jsonl` and `export --markdown` write the text of the pages (page_files.py), as Markdown (markdown.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import ExportFormat, extends

if TYPE_CHECKING:
    from argparse import Namespace

    from commands.frame.command_settings import CommandSettings


@extends
def export_formats() -> list[ExportFormat]:
    """Add `export --jsonl` and `export --markdown`."""

    def jsonl(arguments: Namespace, settings: CommandSettings) -> int:
        from extensions.assistants.page_files import export_jsonl

        return export_jsonl(arguments, settings)

    def markdown(arguments: Namespace, settings: CommandSettings) -> int:
        from extensions.assistants.page_files import export_markdown

        return export_markdown(arguments, settings)

    by_section = {"--sections": {"action": "store_true", "help": "a line of --jsonl for each section of a page"}}
    return [
        ExportFormat("--jsonl", "the text of pages, a JSON object a line", jsonl, metavar="FILE", options=by_section),
        ExportFormat("--markdown", "the text of pages, a Markdown file each", markdown, metavar="FOLDER"),
    ]
