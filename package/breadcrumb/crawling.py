"""How does a program crawl? `crawl` runs the command `crawl site` in a process of its own, and waits for its end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from breadcrumb.engine import EngineError, find_engine, without_module
from breadcrumb.errors import CrawlFailed, EngineStopped, Error, FolderInUse, InvalidValue, UnusableFolder
from breadcrumb.index import assignments, data_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike
    from pathlib import Path
    from typing import Any

    from breadcrumb.index import Setting

DONE, NOTHING_CAME, MISUSED = 0, 1, 2  # exit codes of the command
IN_USE = "is in use by a crawl"
NO_MODULE = re.compile(r"^ModuleNotFoundError: No module named '([^']+)'\n\Z", re.MULTILINE)  # Python's last line


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """How a crawl ended. `exit_code` is 0, or 1 where nothing came; `summary` is what the command printed.

    `report` is the object of `report --json`; the counts are those of the data folder after the crawl.
    """

    exit_code: int
    data: Path
    pages_fetched: int  # by this crawl
    pages_stored: int
    pages_indexed: int
    urls_queued: int  # the next crawl continues with them
    summary: str
    report: Mapping[str, Any]


def crawl(
    seeds: Iterable[str],
    *,
    data: str | PathLike[str],
    max_pages: int | None = None,
    settings: Mapping[str, Setting] | None = None,
) -> CrawlResult:
    """Crawl the sites of `seeds` into a data folder, and wait until all is indexed.

    `settings` are those of docs/settings.md; sites on the internet need CONTACT and BOT_URL. Raises InvalidValue,
    FolderInUse, CrawlFailed. Ctrl-C ends the crawl in order, and the next one continues.
    """
    listed = [seeds] if isinstance(seeds, str) else list(seeds)
    if not all(isinstance(seed, str) and seed and "," not in seed for seed in listed):
        raise InvalidValue(f"seeds={listed!r:.80}: give a list of URLs")
    if max_pages is not None and (isinstance(max_pages, bool) or not isinstance(max_pages, int) or max_pages < 1):
        raise InvalidValue(f"max_pages={max_pages!r:.40}: give a number of pages from 1 up, or leave it out")
    folder = data_folder(data)
    words = ["crawl", "site"]
    words += ["-a", f"seeds={','.join(listed)}"] if listed else []
    words += ["-a", f"pages={max_pages}"] if max_pages else []
    words += [word for each in assignments(settings) for word in ("-s", each)]
    code, out, said = _run(words, folder)
    if missing := NO_MODULE.search(said):
        raise EngineStopped(without_module(missing[1]))
    if code not in {DONE, NOTHING_CAME}:
        message = said.strip().removeprefix("crawl: ") or f"the crawl ended with exit code {code}"
        if code == MISUSED:
            raise _kind_of(message, folder)(message)
        raise CrawlFailed(message, _result(code, folder, out))
    return _result(code, folder, out)


def _kind_of(message: str, folder: Path) -> type[Error]:
    """Return the error for a message: one about the folder begins with its path."""
    if IN_USE in message:
        return FolderInUse
    return UnusableFolder if message.startswith(str(folder)) and "no seeds" not in message else InvalidValue


def _result(code: int, folder: Path, summary: str) -> CrawlResult:
    _, out, _ = _run(["report", "--json"], folder)
    report = json.loads(out) if out else {}
    pages, urls, last = (report.get(name) or {} for name in ("pages", "urls", "last_run"))
    fetched = (last.get("outcomes") or {}).get("fetched", 0)
    counts = (fetched, pages.get("stored", 0), pages.get("indexed", 0), urls.get("queued", 0))
    return CrawlResult(code, folder, *counts, summary.strip(), report)


def _run(words: list[str], folder: Path) -> tuple[int, str, str]:
    """Run a command on a data folder; return its exit code, and what it wrote to both streams."""
    try:
        program = find_engine() / "commands"
    except EngineError as error:
        raise EngineStopped(str(error)) from error
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY"))}
    line = [sys.executable, "-P", str(program), *words, "-s", f"DATA_DIR={folder}"]
    with subprocess.Popen(  # noqa: S603 - our own program
        line,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=environment | {"PYTHONUTF8": "1"},
    ) as process:
        out, said = process.communicate()  # after Ctrl-C, which reaches it as well, the block waits for its end
    return process.returncode, out, said
