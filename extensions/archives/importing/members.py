"""How is an archive unpacked, so that the place of each byte is known? Member by member, and never much at a time.

A `.warc.gz` has a gzip member a record (ISO 28500, annex D), so that a reader can begin at any of them. Some are packed
as a whole: then whoever begins in the middle has to unpack what is before it. In a `.warc.zst` each record is a frame,
and a first frame that is skipped may hold the dictionary (the IIPC's specification of 2021). A packed gigabyte of zeros
is unpacked and left aside in pieces, and takes time alone.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, BinaryIO, Protocol

import zstandard

from extensions.archives.captures import RecordPlace

if TYPE_CHECKING:
    from collections.abc import Callable

PIECE_BYTES = 64 * 1024  # read or unpacked at a time
ZSTD_PIECE_BYTES = 128  # of packed data at a time: 32 blocks at most, each of up to 128 KiB
ZSTD_WINDOW = 128 * 1024 * 1024  # bytes of memory that a frame may ask for: as much as the program `zstd` allows
MAX_DICTIONARY = 16 * 1024 * 1024  # bytes
MAX_TRIES = 100_000  # places at which a member is looked for behind a damage: some seconds
GZIP, ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"  # how a member begins
_SKIPPED = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")  # how a frame begins that is skipped (RFC 8878, 3.1.2)
_DICTIONARY = b"\x5d\x2a\x4d\x18"
# How a record begins: of WARC by its version, of ARC by a URL, an address, a time, a type and a length.
RECORD_BEGINS = re.compile(rb"WARC/[01]\.|[A-Za-z][A-Za-z0-9+.-]{1,20}:[^ \n]{1,8000} [^ \n]{1,64} [0-9]{14} ")
PROBED = 8192  # bytes, in which the first line of an ARC record ends


class DamagedError(Exception):
    """An archive can't be read at this place. `resume`: where the next record is sure to begin, if that is known.

    `packed` says that the member itself is broken, so that nothing behind this place can be unpacked.
    """

    def __init__(self, reason: str, *, packed: bool = False, resume: RecordPlace | None = None) -> None:
        super().__init__(reason)
        self.packed = packed
        self.resume = resume


class _Decoder(Protocol):
    eof: bool

    def unpack(self, packed: bytes) -> tuple[bytes, bytes]:
        """Return some of what `packed` stands for, and the rest of it."""


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
    """The bytes of an archive, unpacked, from a place on. `file` is open for reading and can be sought in."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._new: Callable[[], _Decoder] = _Gzip
        self._dictionary: zstandard.ZstdCompressionDict | None = None
        self.in_record = False  # a member that begins with a record then says that this one is shorter than it says
        file.seek(0)
        head = file.read(4)
        self._magic = GZIP if head.startswith(GZIP[:2]) else b""  # empty: it is not packed
        if head == ZSTD or _SKIPPED.match(head):
            self._magic, self._dictionary = ZSTD, self._read_dictionary(head)
            self._new = lambda: _Zstd(self._dictionary)
        self.go_to(RecordPlace(0))

    def go_to(self, place: RecordPlace) -> None:
        """Read from a place on. Raises `DamagedError` where it can't be reached."""
        self._file.seek(place.member)
        self._decoder: _Decoder | None = None
        self._raw, self._raw_at = b"", place.member  # packed bytes that were read, and the offset of the first
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
        """Where the next byte is."""
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
        """Return a line with its end, or its first `limit` bytes; without `across`, it ends with its member, too."""
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
        """Go to the next byte that is no end of a line; without `across`, no further than to the end of the member."""
        while True:
            if self._at == len(self._buffer) and not self._fill(across=across):
                return
            rest = self._buffer[self._at :].lstrip(b"\r\n")
            self._at = len(self._buffer) - len(rest)
            if rest:
                return

    def _fill(self, *, across: bool = True) -> bool:
        """Put the next bytes into the buffer, which was read to its end; return whether there are any.

        Without `across`, those of the next member are none.
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
            return None  # its frames can't be unpacked either, and are told

    # -- Behind a damage

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
        """Go to the next line by which a record of WARC begins; return its place, or None where none does."""
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
        """Return whether a record that has just ended may end here: at the end of its member, or before another one.

        In a file that is not packed anything may follow: there is no checksum to be trusted, or not.
        """
        place = self.place
        line = self.readline(PROBED, across=False) if self._magic and self._inside_member() else b""
        self._put_back(line, place)
        return not line or RECORD_BEGINS.match(line) is not None

    def _inside_member(self) -> bool:
        return self._at < len(self._buffer) or self._fill(across=False)

    def _put_back(self, line: bytes, place: RecordPlace) -> None:
        """Let what was just read at a place be read again; to go there would unpack all that is before it."""
        if line:
            self._buffer, self._at = line + self._buffer[self._at :], 0
            self._member, self._inside = place

    def _skip_line(self) -> None:
        """Go behind the end of the line, or to the end of its member."""
        while self._at < len(self._buffer) or self._fill(across=False):
            end = self._buffer.find(b"\n", self._at) + 1
            self._at = end or len(self._buffer)
            if end:
                return
