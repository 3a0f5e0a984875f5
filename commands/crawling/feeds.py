"""The feeds of a crawl: where Scrapy writes pages besides the data folder (-o, -O, FEEDS).

Scrapy opens a feed only at the end. So each feed is tested before the first request.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from scrapy.exceptions import UsageError
from scrapy.utils.conf import feed_process_params_from_cli
from scrapy.utils.python import without_none_values

from commands.frame.exits import CommandError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy.settings import BaseSettings

STDOUT = "stdout:"


def feeds_of(settings: BaseSettings, appended: Sequence[str], overwritten: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the feeds of a crawl by URI. Raises `CommandError` for an invalid one."""
    formats = without_none_values(settings.getwithbase("FEED_EXPORTERS"))
    try:
        feeds = feed_process_params_from_cli(settings, list(appended), overwrite_output=list(overwritten))
    except UsageError as error:
        if appended and overwritten:
            raise CommandError("-o appends to a file and -O overwrites it: give only one") from error
        word = next(each for each in (*appended, *overwritten) if _format_of(each) not in formats)
        raise CommandError(
            f"{'-O' if overwritten else '-o'} {word}: unknown format. Formats are {', '.join(formats)}: "
            "give a name such as pages.jsonl, or FILE:FORMAT"
        ) from error
    for uri, options in feeds.items():
        _check(str(uri), str(options.get("format", Path(str(uri)).suffix.removeprefix("."))), formats)
    return feeds


def with_stdout(words: Sequence[str]) -> list[str]:
    """Join `-o` and `-:jsonl` to one word: argparse takes a value with a dash for an option."""
    joined: list[str] = []
    for word in words:
        if word.startswith("-:") and joined and joined[-1] in {"-o", "-O", "--output", "--overwrite-output"}:
            joined[-1] += f"{'=' if joined[-1].startswith('--') else ''}{word}"
        else:
            joined.append(word)
    return joined


def _format_of(word: str) -> str:
    return word.rpartition(":")[2].rpartition(".")[2]


def _check(uri: str, kind: str, formats: Mapping[str, object]) -> None:
    if kind not in formats:
        raise CommandError(f"FEEDS={uri}: unknown format {kind!r}; formats are {', '.join(formats)}")
    if uri == STDOUT:
        return
    scheme = urlsplit(uri).scheme
    if scheme not in {"", "file"}:
        raise CommandError(f"the feed {uri}: a crawl writes feeds to files only; copy the file to {scheme} afterwards")
    path = Path(unquote(urlsplit(uri).path) if scheme else uri)
    if mistake := _mistake(path):
        raise CommandError(f"the feed {uri} can't be written: {mistake}")


def _mistake(path: Path) -> str:
    """Return why a file can't be written, or ""; an existing file stays unchanged."""
    folder = next(parent for parent in path.absolute().parents if parent.exists() or parent.is_symlink())
    if not folder.is_dir():
        return f"{folder} is not a folder; name a file in a folder"
    is_new = not path.exists()
    if is_new and folder != path.absolute().parent:  # Scrapy makes the folders
        return (
            ""
            if os.access(folder, os.W_OK | os.X_OK)
            else f"no permission to create a folder in {folder}; name another one"
        )
    try:
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as error:
        return f"{error.strerror}; name a file in a writable folder"
    return ""
