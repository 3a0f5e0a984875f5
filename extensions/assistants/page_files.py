"""`export --jsonl` and `export --markdown`: the text of the pages in the index, for programs that read text.

What a search may not show is left out and counted: a page with noarchive or nosnippet, and one that is hidden now.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from commands.frame.exits import DONE, NO
from commands.frame.new_file import new_file, new_folder
from commands.frame.terminal import json_line
from crawldb.databases import Parts
from crawldb.pages.pages import Pages, urls_for_export
from extensions.assistants.markdown import sections_of
from gateway.template_filters import rfc3339
from urls.records import reason_hidden
from urls.wording import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from commands.frame.command_settings import CommandSettings
    from extensions.assistants.markdown import TextSection
    from urls.records import Page

MAX_NAME = 60  # characters of the readable part of a file's name
_NO_WORD = re.compile(r"[^a-z0-9]+")
_BREAKS = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff]")  # what YAML 1.1 takes for a line break or does not allow


def export_jsonl(arguments: Namespace, settings: CommandSettings) -> int:
    """Write one JSON object a line: a page, or a section with `--sections`. Return the exit code."""
    began, left_out, rows, pages = time.monotonic(), Counter[str](), 0, 0
    with Parts.in_folder(settings.data_dir) as parts, new_file("--jsonl", arguments.jsonl) as file:
        for page, sections in exported_pages(parts, left_out):
            pages += 1
            for row in section_rows(page, sections) if arguments.sections else (page_row(page, sections),):
                file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
                rows += 1
    done = {"file": arguments.jsonl, "rows": rows, "pages": pages, "left_out": dict(left_out)}
    return _report(arguments, done, began, f"{counted(rows, 'row')} of {counted(pages, 'page')} in {arguments.jsonl}.")


def export_markdown(arguments: Namespace, settings: CommandSettings) -> int:
    """Write a file a page into a new folder: front matter, then Markdown. Return the exit code."""
    began, left_out, pages = time.monotonic(), Counter[str](), 0
    folder = Path(arguments.markdown)
    with Parts.in_folder(settings.data_dir) as parts, new_folder("--markdown", folder):
        for pages, (page, sections) in enumerate(exported_pages(parts, left_out), 1):
            (folder / file_name(pages, page)).write_text(file_text(page, sections), "utf-8", "replace")
    done = {"folder": arguments.markdown, "pages": pages, "left_out": dict(left_out)}
    return _report(arguments, done, began, f"{counted(pages, 'page')} in {arguments.markdown}.")


def _report(arguments: Namespace, done: dict[str, Any], began: float, line: str) -> int:
    if arguments.json:
        print(json_line(done | {"seconds": round(time.monotonic() - began, 3)}))
    else:
        print(line)
        for reason, number in done["left_out"].items():
            print(f"{counted(number, 'page')} left out: {reason}.")
    return DONE if done["pages"] else NO


def exported_pages(parts: Parts, left_out: Counter[str]) -> Iterator[tuple[Page, tuple[TextSection, ...]]]:
    """Yield the pages with their text; count the others by reason. Raises DatabaseError for a damaged page."""
    now = datetime.now(UTC)
    for database in parts:
        with database.one_state():
            for identity, url in urls_for_export(database):
                page = Pages(database).get(url, identity)
                if page is None:
                    continue
                reason = _reason(page, now, is_hidden=parts.is_hidden(url))
                sections = () if reason else sections_of(page, page.controls.snippet)
                if sections:
                    yield page, sections
                else:
                    left_out[reason or "no text"] += 1


def _reason(page: Page, now: datetime, *, is_hidden: bool) -> str:
    hidden = reason_hidden(page.refusals, page.controls, now)
    if hidden is not None or is_hidden:
        return f"hidden ({hidden.rule})" if hidden else "hidden (blocked or forgotten)"
    if not page.controls.archive:
        return "noarchive"
    return "nosnippet" if page.controls.snippet == 0 else ""


def page_row(page: Page, sections: tuple[TextSection, ...]) -> dict[str, Any]:
    """Return a page as an object: its text as Markdown, and times in seconds since the epoch."""
    head = {"url": page.url, "title": page.title, "language": page.language, "fetched_at": page.fetched_at}
    return head | {"published": page.published, "modified": page.modified, "markdown": markdown_of(sections)}


def section_rows(page: Page, sections: tuple[TextSection, ...]) -> Iterator[dict[str, Any]]:
    """Yield the sections of a page: those of a page row, with the address, heading and level of the section."""
    for section in sections:
        own = {"section": section.address(page.url), "heading": section.heading, "level": section.level}
        yield page_row(page, (section,)) | own


def markdown_of(sections: tuple[TextSection, ...]) -> str:
    """Return sections as one Markdown text."""
    return "\n\n".join(block for section in sections for block in section.blocks)


def file_name(number: int, page: Page) -> str:
    """Return the name of a page's file: a number, and what of its URL every file system can hold."""
    parts = urlsplit(page.url)
    last = unquote(parts.path).rstrip("/").rsplit("/", 1)[-1] or parts.netloc
    words = _NO_WORD.sub("-", last.lower()).strip("-") or "page"
    return f"{number:05d}-{words[:MAX_NAME]}.md"


def file_text(page: Page, sections: tuple[TextSection, ...]) -> str:
    """Return the text of a page's file: front matter in YAML, whose values are texts in quotes, then Markdown."""
    times = {"fetched": page.fetched_at, "published": page.published, "modified": page.modified}
    head = {"url": page.url, "title": page.title, "language": page.language}
    head |= {name: rfc3339(at) for name, at in times.items() if at}
    lines = (f"{name}: {_quoted(value)}" for name, value in head.items())
    return "\n".join(("---", *lines, "---", "", markdown_of(sections), ""))


def _quoted(text: str) -> str:
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
