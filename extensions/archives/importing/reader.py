"""Where does each record of an archive begin and end, and how is it gone on behind one that is damaged?

The lines of a record's head are read by warcio, for WARC 1.0 and 1.1 and for ARC, which it turns into WARC. What is
around them is ours, since an archive may be hostile or broken: a head is bounded, and a body is read in pieces. Behind
a damage the next record is looked for: the next member that begins with one, or the next line that does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from warcio.recordloader import ArcWarcRecordLoader

from extensions.archives.captures import DamagedStretch, RecordPlace
from extensions.archives.importing.members import PIECE_BYTES, PROBED, RECORD_BEGINS, DamagedError, Members

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_HEAD_BYTES = 256 * 1024  # of the head of a record, or of the answer in it: Breadcrumb takes 128 KiB from a server
MAX_LENGTH_DIGITS = 15  # of Content-Length: a petabyte


class BoundedLines:
    """The lines of a head, for a parser that would take a line of any length."""

    def __init__(self, source: Members | ArchivedRecord, first: bytes = b"") -> None:
        self._source = source
        self._first = first
        self._left = MAX_HEAD_BYTES

    def readline(self, _: int = 0) -> bytes:
        """Return the next line. Raises `DamagedError` where the head is too long."""
        line, self._first = self._first or self._source.readline(self._left), b""
        self._left -= len(line)
        if self._left <= 0:
            raise DamagedError(f"its head is longer than {MAX_HEAD_BYTES} bytes")
        return line


class ArchivedRecord:
    """A record whose head was read. Its body is read once, in pieces; what is left of it is skipped by `finish`."""

    def __init__(self, members: Members, place: RecordPlace, headers: list[tuple[str, str]], length: int) -> None:
        self._members = members
        self.place = place
        self.end = place  # once it is finished: where the next record begins
        self.headers = {name.lower(): value for name, value in reversed(headers)}  # of several, the first
        self.length = length
        self.left = length
        self.damage: DamagedError | None = None

    def header(self, name: str) -> str:
        """Return the value of a field of the head, by its name in lower case; "" where it has none."""
        return self.headers.get(name, "")

    @property
    def url(self) -> str:
        """Its WARC-Target-URI; some versions of wget put it between < and >."""
        url = self.header("warc-target-uri")
        return url[1:-1] if url.startswith("<") and url.endswith(">") else url

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes of the body. Raises `DamagedError` where it ends too early."""
        if not self.left or size <= 0:
            return b""
        return self._took(self._members.read(min(size, self.left)))

    def readline(self, limit: int) -> bytes:
        """Return the next line of the body, or its first `limit` bytes."""
        return self._took(self._members.readline(min(limit, self.left))) if self.left and limit > 0 else b""

    def read_up_to(self, most: int) -> bytes:
        """Return the body, or its first `most` bytes."""
        body = bytearray()
        while len(body) < most and (piece := self.read(min(PIECE_BYTES, most - len(body)))):
            body += piece
        return bytes(body)

    def _took(self, piece: bytes) -> bytes:
        if not piece:
            raise DamagedError("the file ends before the record does", packed=True)
        self.left -= len(piece)
        return piece

    def finish(self) -> None:
        """Skip what is left of the record, and the blank lines behind it."""
        while self.left:
            self.read(PIECE_BYTES)
        self._members.skip_blank_lines(across=False)
        if not self._members.ends_well():
            raise DamagedError("its member goes on behind it with what is no record")
        self._members.in_record = False
        self.end = self._members.place


class Records:
    """The records of an archive, from where `members` stand."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._loader = ArcWarcRecordLoader()

    def __iter__(self) -> Iterator[ArchivedRecord | DamagedStretch]:
        """Yield each record, which has to be read before the next one, and what is damaged in its place."""
        while True:
            place = self._members.place
            try:
                record = self._begin()
                if record is None:
                    return
                place = record.place
                yield record
                if record.damage is not None:
                    raise record.damage
                record.finish()
            except DamagedError as damage:
                self._members.in_record = False
                stretch = DamagedStretch(place, self._behind(place, damage), str(damage))
                yield stretch
                if stretch.end is None:
                    return

    def _begin(self) -> ArchivedRecord | None:
        self._members.in_record = False
        self._members.skip_blank_lines(across=True)
        place = self._members.place
        line = self._members.readline(MAX_HEAD_BYTES)
        if not line:
            return None
        if not RECORD_BEGINS.match(line):
            raise DamagedError("no record begins here")
        self._members.in_record = True
        try:
            read = self._loader.parse_record_stream(BoundedLines(self._members, line), no_record_parse=True)
        except DamagedError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever warcio makes of bytes that are no head
            raise DamagedError(f"its head can't be read ({str(error)[:100]})") from None
        headers = [(name, value or "") for name, value in read.rec_headers.headers]
        length = read.rec_headers.get_header("Content-Length") or ""
        if not (length.isascii() and length.isdigit() and len(length) <= MAX_LENGTH_DIGITS) or read.length is None:
            raise DamagedError(f"its Content-Length {length[:40]!r} is no number of bytes")
        return ArchivedRecord(self._members, place, headers, read.length)

    def _behind(self, place: RecordPlace, damage: DamagedError) -> RecordPlace | None:
        """Go to where the next record begins, and return that; None where there is none."""
        try:
            if damage.resume is None and not damage.packed:
                return self._members.next_line()
        except DamagedError as more:
            damage = more
        found = damage.resume
        if found is None:
            member = self._members.next_member(place.member + 1)
            found = None if member is None else RecordPlace(member)
        if found is not None:
            self._members.go_to(found)
        return found


def is_archive(file: BinaryIO) -> bool:
    """Return whether a file begins with a record, or is packed and has a member that does."""
    file.seek(0)
    members = Members(file)
    try:
        members.skip_blank_lines(across=True)
        if RECORD_BEGINS.match(members.readline(PROBED)):
            return True
    except DamagedError:
        pass
    return members.next_member(0) is not None
