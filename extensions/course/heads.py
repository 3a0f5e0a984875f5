"""Which header lines of the latest exchanges are kept? Those of each request and its response, without secrets.

A crawl writes them with the transactions that end its leases (tables.py). The newest KEPT exchanges stay. Credentials,
cookies and lines for a proxy are withheld before anything is stored. `forget` and `block` remove exchanges.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extension_points import CrawlRecorder, RecorderNotes, StoredCopies
from extensions.course.tables import KEPT, HeadRow, addresses_kept, heads_of, newest_heads, remove_heads, write_heads
from spiders.downloader.exchange_heads import as_sent
from urls.canonical import without_credentials
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler

    from crawldb.database import CrawlDatabase
    from spiders.downloader.exchange_heads import ExchangeHeads
    from spiders.site import SiteSpider
    from urls.blacklist import Target

MAX_HEAD = 4096  # bytes of the header lines of one message
WITHHELD, CUT = b"[withheld]", b"[the rest is not kept]"
SECRET = frozenset({b"authorization", b"cookie", b"cookie2", b"set-cookie", b"set-cookie2", b"authentication-info"})
_LINE_END = re.compile(rb"\r\n|\n|\r")


def kept_head(head: bytes) -> bytes:
    """Return the lines of a message's head as they are stored: parted by LF, without secrets, within MAX_HEAD bytes."""
    lines: list[bytes] = []
    is_withheld = False
    for number, line in enumerate(_LINE_END.split(head.strip(b"\r\n"))):
        if number and line[:1] in {b" ", b"\t"}:  # it continues the line before (RFC 9112, 5.2)
            if is_withheld:
                continue
        else:
            name = line.partition(b":")[0].strip()
            is_withheld = number > 0 and _is_secret(name)
            line = name + b": " + WITHHELD if is_withheld else line  # noqa: PLW2901 - the line as it is kept
        lines.append(line)
    kept = without_credentials(b"\n".join(lines).decode("latin-1")).encode("latin-1", "replace")
    return kept if len(kept) <= MAX_HEAD else kept[:MAX_HEAD] + b"\n" + CUT


def _is_secret(name: bytes) -> bool:
    return name.lower() in SECRET or name.lower().startswith(b"proxy-")


class HeadNotes(RecorderNotes[HeadRow]):
    """The heads that the next transaction of a crawl must write."""

    def note_exchange(self, heads: ExchangeHeads) -> None:
        """Take an exchange; of many that wait, the newest."""
        request, response = kept_head(heads.request), kept_head(heads.final_response())
        self.note(HeadRow(heads.url, heads.at, request, response))
        del self.waiting[:-KEPT]

    def write_rows(self, rows: Sequence[HeadRow]) -> None:
        """Write exchanges and drop the oldest rows, within the caller's transaction."""
        write_heads(self.database, rows)

    def not_kept(self, url: CanonicalUrl) -> None:
        """Remove the exchanges of a URL: a person took it out while it was fetched."""
        remove_heads(self.database, [as_sent(url)])


@dataclass(slots=True)
class HeadRecorder(CrawlRecorder):
    """Keeps the header lines of a crawl."""

    setting: str = ""  # it is always on

    def begin(self, crawler: Crawler, spider: SiteSpider) -> None:  # noqa: ARG002 - other recorders change its settings
        """Watch the exchanges of a crawl that is about to begin."""
        notes = HeadNotes(spider.session.database)
        spider.session.store.writer.recorded.append(notes)
        spider.head_watchers.append(notes.note_exchange)


class KeptHeads(StoredCopies):
    """The kept header lines, as copies of what was sent and received."""

    def note_removal(self, database: CrawlDatabase, target: Target) -> None:
        """Remove the exchanges of a target, also those of robots.txt files, which the URL table lacks."""
        found = [address for address in addresses_kept(database) if target.covers(CanonicalUrl(address))]
        remove_heads(database, found)


@dataclass(frozen=True, slots=True)
class KeptExchange:
    """The kept lines of one exchange; the first ones are the request line and the status line."""

    address: str
    at: float
    request: tuple[str, ...]
    response: tuple[str, ...]  # empty: no response came

    @property
    def status(self) -> int:
        """The status code; 0 without a valid status line."""
        words = self.response[0].split(" ") if self.response else []
        return int(words[1]) if len(words) > 1 and re.fullmatch("[0-9]{3}", words[1]) else 0

    def value(self, name: str) -> str:
        """Return the value of the first response header with this name, in lower case; "" if there is none."""
        pairs = (line.partition(":") for line in self.response[1:])
        return next((value.strip() for found, _, value in pairs if found.strip().lower() == name), "")


def _exchange(row: HeadRow) -> KeptExchange:
    return KeptExchange(row.address, row.at, shown_lines(row.request), shown_lines(row.response))


def shown_lines(kept: bytes) -> tuple[str, ...]:
    r"""Return the lines as text in which every byte is visible: what is not printable ASCII is written as \x1b."""
    text = kept.decode("ascii", "backslashreplace")
    return tuple(
        "".join(letter if letter.isprintable() or letter == "\t" else f"\\x{ord(letter):02x}" for letter in line)
        for line in (text.split("\n") if text else ())
    )


def latest_exchanges(database: CrawlDatabase, url: str, most: int) -> list[KeptExchange]:
    """Return the newest exchanges of a URL, the oldest of them first."""
    return [_exchange(row) for row in reversed(heads_of(database, as_sent(url), most))]


def newest_exchanges(database: CrawlDatabase, most: int) -> list[KeptExchange]:
    """Return the newest exchanges, the newest first."""
    return [_exchange(row) for row in newest_heads(database, most)]
