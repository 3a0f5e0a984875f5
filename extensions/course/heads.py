"""Which header lines of the latest exchanges are kept? Table `course_head`: a row for each request, without bodies.

A crawl writes the rows with the transactions that end its leases. The newest KEPT exchanges stay. What a person may
not read is withheld before it is stored: credentials, cookies, and whatever a proxy is told. `forget` and `block`
remove the rows of what they take out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extension_points import StoredCopies
from spiders.downloader.exchange_heads import as_sent
from urls.canonical import without_credentials
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler

    from crawldb.database import CrawlDatabase
    from spiders.downloader.exchange_heads import ExchangeHeads
    from spiders.site import SiteSpider
    from urls.blacklist import Target

KEPT = 10_000  # exchanges, about a kilobyte each
MAX_HEAD = 4096  # bytes of the header lines of one message
WITHHELD, CUT = b"[withheld]", b"[the rest is not kept]"
SECRET = frozenset({b"authorization", b"cookie", b"cookie2", b"set-cookie", b"set-cookie2", b"authentication-info"})
_LINE_END = re.compile(rb"\r\n|\n|\r")
MAKE_HEADS = """
CREATE TABLE course_head (
    id       INTEGER PRIMARY KEY,
    address  TEXT NOT NULL,    -- the URL as the request had it
    at       REAL NOT NULL,    -- when it was sent, in seconds since the epoch
    request  BLOB NOT NULL,    -- its lines, parted by LF
    response BLOB NOT NULL     -- empty: no response came
);
CREATE UNIQUE INDEX course_head_by_address ON course_head (address, at);
CREATE TRIGGER course_head_taken_out AFTER UPDATE OF rule ON url WHEN new.rule IN ('forgotten', 'blocked') BEGIN
    DELETE FROM course_head WHERE address = new.url;
END;
"""
_COLUMNS = "SELECT address, at, request, response FROM course_head"


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


class HeadNotes:
    """The heads that the next transaction of a crawl must write."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._waiting: list[tuple[str, float, bytes, bytes]] = []
        self._written: list[tuple[str, float, bytes, bytes]] = []  # in the open transaction, or in the last one

    def note(self, heads: ExchangeHeads) -> None:
        """Take an exchange; of many that wait, the newest."""
        request, response = kept_head(heads.request), kept_head(heads.final_response())
        self._waiting.append((heads.url, heads.at, request, response))
        del self._waiting[:-KEPT]

    def write(self) -> None:
        """Write the waiting exchanges and drop the oldest rows, within the caller's transaction."""
        self._written, self._waiting = self._waiting, []
        if not self._written:
            return
        connection = self._database.connection
        connection.executemany(
            "INSERT OR IGNORE INTO course_head (address, at, request, response) VALUES (?, ?, ?, ?)", self._written
        )
        connection.execute("DELETE FROM course_head WHERE id <= (SELECT max(id) FROM course_head) - ?", (KEPT,))

    def not_kept(self, url: CanonicalUrl) -> None:
        """Remove the exchanges of a URL: a person took it out while it was fetched."""
        _remove(self._database, [as_sent(url)])

    def rolled_back(self) -> None:
        """Write the last exchanges once more: their transaction was rolled back."""
        self._waiting, self._written = self._written + self._waiting, []


def _remove(database: CrawlDatabase, addresses: Iterable[str]) -> None:
    execute = database.connection.executemany
    execute("DELETE FROM course_head WHERE address = ?", ((address,) for address in addresses))


@dataclass(slots=True)
class HeadRecorder:
    """Keeps the header lines of a crawl."""

    setting: str = ""  # it is always on

    def begin(self, crawler: Crawler, spider: SiteSpider) -> None:  # noqa: ARG002 - other recorders change its settings
        """Watch the exchanges of a crawl that is about to begin."""
        notes = HeadNotes(spider.session.database)
        spider.session.store.writer.recorded.append(notes)
        spider.head_watchers.append(notes.note)


class KeptHeads(StoredCopies):
    """The rows of `course_head`, as copies of what was sent and received."""

    def note_removal(self, database: CrawlDatabase, target: Target) -> None:
        """Remove the exchanges of a target, also those of robots.txt files, which the URL table lacks."""
        rows = database.connection.execute("SELECT DISTINCT address FROM course_head").fetchall()
        _remove(database, [address for (address,) in rows if target.covers(CanonicalUrl(address))])


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


def _exchange(row: tuple[str, float, bytes, bytes]) -> KeptExchange:
    address, at, request, response = row
    return KeptExchange(address, at, shown_lines(request), shown_lines(response))


def shown_lines(kept: bytes) -> tuple[str, ...]:
    r"""Return the lines as text in which every byte is visible: what is not printable ASCII is written as \x1b."""
    text = kept.decode("ascii", "backslashreplace")
    return tuple(
        "".join(letter if letter.isprintable() or letter == "\t" else f"\\x{ord(letter):02x}" for letter in line)
        for line in (text.split("\n") if text else ())
    )


def latest_exchanges(database: CrawlDatabase, url: str, most: int) -> list[KeptExchange]:
    """Return the newest exchanges of a URL, the oldest of them first."""
    rows = database.connection.execute(f"{_COLUMNS} WHERE address = ? ORDER BY at DESC LIMIT ?", (as_sent(url), most))
    return [_exchange(row) for row in rows][::-1]


def newest_exchanges(database: CrawlDatabase, most: int) -> list[KeptExchange]:
    """Return the newest exchanges, the newest first."""
    rows = database.connection.execute(f"{_COLUMNS} ORDER BY id DESC LIMIT ?", (most,))
    return [_exchange(row) for row in rows]


def exchanges_kept(database: CrawlDatabase) -> int:
    """Return the number of kept exchanges."""
    return database.count("SELECT count(*) FROM course_head")
