"""How is a person told what an import has found? One account an archive, which adds up to its records."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from commands.crawling.unseeded import seeds_word
from commands.frame.terminal import WIPE_LINE, printable
from reports.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from extensions.archives.tables import ImportedArchive

LINE_SECONDS, LOG_SECONDS = 0.25, 10.0  # between two progress lines, on a terminal and in a log
ENDS = {  # of records: what is said of one and of several; the others say it themselves
    "stored": ("page is stored and in the index", "pages are stored and in the index"),
    "renewed": ("revisit record renewed what was stored", "revisit records renewed what was stored"),
    "older": (
        "answer is older than what is known of its URL: noted as a visit",
        "answers are older than what is known of their URL: noted as visits",
    ),
    "known": ("answer was known already", "answers were known already"),
    "robots.txt": ("robots.txt file, which rules over the pages", "robots.txt files, which rule over the pages"),
    "damaged": ("stretch is damaged, and left out", "stretches are damaged, and left out"),
}
PREFIXES = {  # … with a word behind a colon
    "refused": "kept out of the index: {}",
    "ended": "no page: {}",
    "unread": "not read: {}",
    "not a page": "not a page: {}",
}


class ImportProgress:
    """Tells on standard error how far an archive was read: live on a terminal, and now and then in a log."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._began = self._told = time.monotonic()

    def tell(self, archive: ImportedArchive) -> None:
        """Write the line, if it is time."""
        now = time.monotonic()
        if now - self._told < (LINE_SECONDS if self._live else LOG_SECONDS):
            return
        self._told = now
        read, stored = archive.account.total(), archive.account["stored"]
        share = f"{archive.place.member / max(archive.size, 1):.0%}"
        line = f"import: {archive.name}: {counted(read, 'record')} ({share} of the file), {stored:,} stored"
        start, end = (WIPE_LINE, "") if self._live else ("", "\n")
        print(f"{start}{printable(line)}", end=end, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Wipe the line of a terminal."""
        if self._live:
            print(WIPE_LINE, end="", file=sys.stderr, flush=True)


def account_json(
    archives: Sequence[tuple[ImportedArchive, bool]], *, seconds: float, index: str, private: Sequence[str]
) -> dict[str, Any]:
    """Return what was found; each archive with whether it had been imported before.

    `private` has the root URLs of sites that a crawl does not reach before they are seeds.
    """
    told = [
        {
            "name": archive.name,
            "bytes": archive.size,
            "software": archive.software,
            "complete": archive.is_done,
            "imported_before": before,
            "records": archive.account.total(),
            "account": dict(archive.account.most_common()),
            "without_robots": archive.without_robots,
        }
        for archive, before in archives
    ]
    return {"archives": told, "seconds": round(seconds, 3), "index": index, "private": list(private)}


def account_lines(done: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a person reads."""
    for archive in done["archives"]:
        by = f", written by {archive['software']}" if archive["software"] else ""
        if archive["imported_before"]:
            yield f"{archive['name']} was imported before, to its end: nothing is added. It held:"
        else:
            yield f"{archive['name']}: {counted(archive['records'], 'record')}{by}"
        for end, count in archive["account"].items():
            yield f"  {count:>8,}  {_said(end, count)}"
        if not archive["records"]:
            yield "  it holds no record at all"
        if any(end.startswith("unread: revisit") for end in archive["account"]):
            yield "  Import the archive of an earlier run, too: it may hold what the revisit records refer to."
        if archive["without_robots"]:
            pages = counted(archive["without_robots"], "page is", "pages are")
            yield f"  {pages} of origins whose robots.txt nobody has kept: read as if there were none"
        if not archive["complete"]:
            yield "  Stopped before its end: the same command goes on with it."
    if done["index"]:
        yield done["index"]
    if done["private"]:
        yield f"A crawl asks a private address only where a seed is; to go on from here: {seeds_word(done['private'])}"


def _said(end: str, count: int) -> str:
    word, _, more = end.partition(": ")
    if word in PREFIXES:
        return PREFIXES[word].format(more)
    return counted(count, *ENDS.get(end, (end, end))).partition(" ")[2]
