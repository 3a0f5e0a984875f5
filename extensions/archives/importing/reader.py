"""How are the records of an archive read, with the place of each, and how does the reader continue after damage?

In a `.warc.gz` each record is a gzip member (ISO 28500, annex D), so a reader can begin at any record. Some files are
packed as a whole: a reader that begins in the middle must unpack all bytes before it. In a `.warc.zst` each record is a
frame, and a skippable first frame may hold the dictionary (the IIPC's specification of 2021). A packed gigabyte of
zeros is unpacked and discarded in pieces, so it costs only time.

The library warcio reads the lines of a record's head, for WARC 1.0 and 1.1 and for ARC, which it turns into WARC. The
rest is ours, since an archive may be hostile or broken: we bound heads, and read bodies in pieces. After damage the
reader looks for the next member, or the next line, that begins with a record.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, BinaryIO, Protocol

import zstandard
from warcio.recordloader import ArcWarcRecordLoader

from extensions.archives.captures import DamagedStretch
from extensions.archives.tables import RecordPlace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PIECE_BYTES = 64 * 1024  # read or unpacked at a time
ZSTD_PIECE_BYTES = 128  # of packed data at a time: 32 blocks at most, each of up to 128 KiB
ZSTD_WINDOW = 128 * 1024 * 1024  # bytes of memory that a frame may need: the maximum of the program `zstd`
MAX_DICTIONARY = 16 * 1024 * 1024  # bytes
MAX_TRIES = 100_000  # places at which a member is looked for after damage: some seconds
GZIP, ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"  # how a member begins
_SKIPPED = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")  # how a skippable frame begins (RFC 8878, 3.1.2)
_DICTIONARY = b"\x5d\x2a\x4d\x18"
# How a record begins: WARC with its version, ARC with a URL, an IP address, a time, a type and a length.
RECORD_BEGINS = re.compile(rb"WARC/[01]\.|[A-Za-z][A-Za-z0-9+.-]{1,20}:[^ \n]{1,8000} [^ \n]{1,64} [0-9]{14} ")
PROBED = 8192  # bytes, in which the first line of an ARC record ends


class DamagedError(Exception):
    """An archive is unreadable at this place. `resume` is the certain beginning of the next record, if known.

    `packed`: the member itself is broken, and nothing after this place can be unpacked.
    """

    def __init__(self, reason: str, *, packed: bool = False, resume: RecordPlace | None = None) -> None:
        super().__init__(reason)
        self.packed = packed
        self.resume = resume


class _Decoder(Protocol):
    eof: bool

    def unpack(self, packed: bytes) -> tuple[bytes, bytes]:
        """Return some of the unpacked bytes, and the rest of `packed`."""


class _Gzip:
    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self.eof = False

    def unpack(self, packed: bytes) -> tuple[bytes, bytes]:
        unpacked = self._decoder.decompress(packed, PIECE_BYTES)
        self.eof = self._decoder.eof
        return unpacked, self._decoder.unused_data if self.eof else self._decoder.unconsumed_tail


class _Zstd:
    def __init__(self, dictionary: zstandard.ZstdCompressionDict | None) -> None:
        self._decoder = zstandard.ZstdDecompressor(dictionary, max_window_size=ZSTD_WINDOW).decompressobj()
        self.eof = False

    def unpack(self, packed: bytes) -> tuple[bytes, bytes]:
        piece, rest = packed[:ZSTD_PIECE_BYTES], packed[ZSTD_PIECE_BYTES:]
        unpacked = self._decoder.decompress(piece)
        self.eof = self._decoder.eof
        return unpacked, (self._decoder.unused_data + rest if self.eof else rest)


class Members:
    """The unpacked bytes of an archive, from a place on. `file` is open for reading and seekable."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._new: Callable[[], _Decoder] = _Gzip
        self._dictionary: zstandard.ZstdCompressionDict | None = None
        self.in_record = False  # a member that begins with a record then proves that this one is too short
        file.seek(0)
        head = file.read(4)
        self._magic = GZIP if head.startswith(GZIP[:2]) else b""  # empty: it is not packed
        if head == ZSTD or _SKIPPED.match(head):
            self._magic, self._dictionary = ZSTD, self._read_dictionary(head)
            self._new = lambda: _Zstd(self._dictionary)
        self.go_to(RecordPlace(0))

    def go_to(self, place: RecordPlace) -> None:
        """Continue at a place. Raises `DamagedError` if it can't be reached."""
        self._file.seek(place.member)
        self._decoder: _Decoder | None = None
        self._raw, self._raw_at = b"", place.member  # packed bytes read so far, and the offset of the first
        self._member, self._inside = place.member, 0  # of the first byte of the buffer
        self._buffer, self._at = b"", 0
        left = place.inside
        while left:
            skipped = len(self.read(min(left, PIECE_BYTES)))
            if not skipped:
                raise DamagedError("the file is shorter than it was", packed=True)
            left -= skipped

    @property
    def place(self) -> RecordPlace:
        """The place of the next byte."""
        if not self._magic:
            return RecordPlace(self._member + self._at)
        if self._decoder is None or (self._decoder.eof and self._at == len(self._buffer)):
            return RecordPlace(self._raw_at)
        return RecordPlace(self._member, self._inside + self._at)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, fewer only at the end of a piece; nothing at the end of the file."""
        if self._at == len(self._buffer) and not self._fill():
            return b""
        found = self._buffer[self._at : self._at + size]
        self._at += len(found)
        return found

    def readline(self, limit: int, *, across: bool = True) -> bytes:
        """Return a line with its end, or its first `limit` bytes. Without `across`, it also ends with its member."""
        pieces: list[bytes] = []
        left = limit
        while left > 0:
            if self._at == len(self._buffer) and not self._fill(across=across or not pieces):
                break
            end = self._buffer.find(b"\n", self._at, self._at + left) + 1
            piece = self._buffer[self._at : end or self._at + left]
            pieces.append(piece)
            self._at += len(piece)
            left -= len(piece)
            if end:
                break
        return b"".join(pieces)

    def skip_blank_lines(self, *, across: bool) -> None:
        """Go to the next byte that is not a line end; without `across`, only up to the end of the member."""
        while True:
            if self._at == len(self._buffer) and not self._fill(across=across):
                return
            rest = self._buffer[self._at :].lstrip(b"\r\n")
            self._at = len(self._buffer) - len(rest)
            if rest:
                return

    def _fill(self, *, across: bool = True) -> bool:
        """Put the next bytes into the buffer, which was read to its end; return whether there are any.

        Without `across`, the bytes of the next member don't count.
        """
        if not self._magic:
            self._member += len(self._buffer)
            self._buffer, self._at = self._file.read(PIECE_BYTES), 0
            return bool(self._buffer)
        self._inside += len(self._buffer)
        self._buffer, self._at = b"", 0
        while not self._buffer:
            decoder = self._decoder
            if decoder is None or (decoder.eof and across):
                decoder = self._begin_member()
            elif decoder.eof:
                return False
            if decoder is None:
                return False
            self._unpack(decoder)
            if self._inside == 0 and self.in_record and RECORD_BEGINS.match(self._buffer):
                reason = "the record is longer than what is left of it: another one begins before its end"
                raise DamagedError(reason, resume=RecordPlace(self._member))
        return True

    def _begin_member(self) -> _Decoder | None:
        self._more(4)
        while self._magic == ZSTD and _SKIPPED.match(self._raw):
            self._skip_frame()
        if not self._raw:
            return None
        self._member, self._inside = self._raw_at, 0
        if not self._raw.startswith(self._magic):
            raise DamagedError("nothing that is packed as before begins here", packed=True)
        self._decoder = self._new()
        return self._decoder

    def _unpack(self, decoder: _Decoder) -> None:
        if not self._raw:
            self._more(1)
        at_end = not self._raw
        try:
            self._buffer, rest = decoder.unpack(self._raw)
        except (zlib.error, zstandard.ZstdError) as error:
            raise DamagedError(f"what is packed is damaged ({str(error)[:100]})", packed=True) from None
        self._raw_at += len(self._raw) - len(rest)
        self._raw = rest
        if at_end and not self._buffer and not decoder.eof:
            raise DamagedError("the file ends in the middle of it", packed=True)

    def _more(self, least: int) -> None:
        while len(self._raw) < least and (piece := self._file.read(PIECE_BYTES)):
            self._raw += piece

    def _skip_frame(self) -> None:
        self._more(8)
        size = 8 + int.from_bytes(self._raw[4:8], "little")
        self._raw_at += size
        self._raw = b""
        if self._raw_at > self._file.seek(0, 2):
            raise DamagedError("the file ends in the middle of a frame that is skipped", packed=True)
        self._file.seek(self._raw_at)
        self._more(4)

    def _read_dictionary(self, head: bytes) -> zstandard.ZstdCompressionDict | None:
        size = int.from_bytes(self._file.read(4), "little")
        if head != _DICTIONARY or size > MAX_DICTIONARY:
            return None
        data = self._file.read(size)
        try:
            if data.startswith(ZSTD):
                data = zstandard.ZstdDecompressor().decompress(data, max_output_size=MAX_DICTIONARY)
            return zstandard.ZstdCompressionDict(data)
        except (zstandard.ZstdError, MemoryError):
            return None  # its frames can't be unpacked either, and count as damage

    # -- After damage

    def next_member(self, after: int) -> int | None:
        """Return the offset of the next member, from `after` on, that begins with a record, or None."""
        if not self._magic:
            return None
        tries, at = 0, after
        while tries < MAX_TRIES:
            self._file.seek(at)
            piece = self._file.read(16 * PIECE_BYTES)
            found = piece.find(self._magic)
            if found < 0:
                if len(piece) < 16 * PIECE_BYTES:
                    return None
                at += len(piece) - len(self._magic) + 1
                continue
            if self._begins_record(piece[found : found + PROBED], at + found):
                return at + found
            tries, at = tries + 1, at + found + 1
        return None

    def _begins_record(self, packed: bytes, at: int) -> bool:
        if len(packed) < PROBED:
            self._file.seek(at)
            packed = self._file.read(PROBED)
        decoder, unpacked = self._new(), b""
        try:
            while packed and not decoder.eof and len(unpacked) < PROBED and not RECORD_BEGINS.match(unpacked):
                more, packed = decoder.unpack(packed)
                unpacked += more
        except (zlib.error, zstandard.ZstdError):
            return False
        return RECORD_BEGINS.match(unpacked) is not None

    def next_line(self) -> RecordPlace | None:
        """Go to the next line that begins a record of WARC; return its place, or None without one."""
        while True:
            place = self.place
            line = self.readline(PROBED, across=False)
            if not line:
                return None
            if line.startswith(b"WARC/") and RECORD_BEGINS.match(line):
                self._put_back(line, place)
                return place
            if not line.endswith(b"\n"):
                self._skip_line()

    def ends_well(self) -> bool:
        """Return whether a record may end here: at the end of its member, or before another record.

        In a file that is not packed any bytes may follow, since there is no checksum.
        """
        place = self.place
        line = self.readline(PROBED, across=False) if self._magic and self._inside_member() else b""
        self._put_back(line, place)
        return not line or RECORD_BEGINS.match(line) is not None

    def _inside_member(self) -> bool:
        return self._at < len(self._buffer) or self._fill(across=False)

    def _put_back(self, line: bytes, place: RecordPlace) -> None:
        """Put bytes just read at a place back into the buffer. Going there would unpack all bytes before it again."""
        if line:
            self._buffer, self._at = line + self._buffer[self._at :], 0
            self._member, self._inside = place

    def _skip_line(self) -> None:
        """Go to the end of the line, or to the end of its member."""
        while self._at < len(self._buffer) or self._fill(across=False):
            end = self._buffer.find(b"\n", self._at) + 1
            self._at = end or len(self._buffer)
            if end:
                return


MAX_HEAD_BYTES = 256 * 1024  # of the head of a record, or of the response in it: a crawl accepts 128 KiB from a server
MAX_LENGTH_DIGITS = 15  # of Content-Length: a petabyte


class BoundedLines:
    """The lines of a head, for a parser that would accept a line of any length."""

    def __init__(self, source: Members | ArchivedRecord, first: bytes = b"") -> None:
        self._source = source
        self._first = first
        self._left = MAX_HEAD_BYTES

    def readline(self, _: int = 0) -> bytes:
        """Return the next line. Raises `DamagedError` if the head is too long."""
        line, self._first = self._first or self._source.readline(self._left), b""
        self._left -= len(line)
        if self._left <= 0:
            raise DamagedError(f"its head is longer than {MAX_HEAD_BYTES} bytes")
        return line


class ArchivedRecord:
    """A record after its head. Its body is read once, in pieces; `finish` skips the rest."""

    def __init__(self, members: Members, place: RecordPlace, headers: list[tuple[str, str]], length: int) -> None:
        self._members = members
        self.place = place
        self.end = place  # once it is finished: where the next record begins
        self.headers = {name.lower(): value for name, value in reversed(headers)}  # of several, the first
        self.length = length
        self.left = length
        self.damage: DamagedError | None = None

    def header(self, name: str) -> str:
        """Return the value of a field of the head, by its name in lower case; "" if there is none."""
        return self.headers.get(name, "")

    @property
    def url(self) -> str:
        """The WARC-Target-URI; some versions of wget put it between < and >."""
        url = self.header("warc-target-uri")
        return url[1:-1] if url.startswith("<") and url.endswith(">") else url

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes of the body. Raises `DamagedError` if it ends too early."""
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
        """Skip the rest of the record, and the blank lines after it."""
        while self.left:
            self.read(PIECE_BYTES)
        self._members.skip_blank_lines(across=False)
        if not self._members.ends_well():
            raise DamagedError("its member continues after it with something that is no record")
        self._members.in_record = False
        self.end = self._members.place


class Records:
    """The records of an archive, from the place of `members`."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._loader = ArcWarcRecordLoader()

    def __iter__(self) -> Iterator[ArchivedRecord | DamagedStretch]:
        """Yield each record, and each damaged part in its place. Read a record before the next one."""
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
        except Exception as error:  # noqa: BLE001 - any error of warcio over bytes that are no head
            raise DamagedError(f"its head can't be read ({str(error)[:100]})") from None
        headers = [(name, value or "") for name, value in read.rec_headers.headers]
        length = read.rec_headers.get_header("Content-Length") or ""
        if not (length.isascii() and length.isdigit() and len(length) <= MAX_LENGTH_DIGITS) or read.length is None:
            raise DamagedError(f"its Content-Length {length[:40]!r} is no number of bytes")
        return ArchivedRecord(self._members, place, headers, read.length)

    def _behind(self, place: RecordPlace, damage: DamagedError) -> RecordPlace | None:
        """Go to the beginning of the next record, and return its place, or None without one."""
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
