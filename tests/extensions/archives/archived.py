"""Is an archive sound? fastwarc decides, which shares no code with its writer, and warcio's own check."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, NamedTuple

from fastwarc.warc import ArchiveIterator
from warcio.archiveiterator import ArchiveIterator as OtherIterator

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD_MOST = 1024 * 1024  # bytes of an HTTP head


class ReadRecord(NamedTuple):
    """A record as fastwarc reads it; `head` is that of HTTP."""

    headers: dict[str, str]
    block: bytes
    head: dict[str, str]
    payload: bytes

    @property
    def kind(self) -> str:
        return self.headers["WARC-Type"]


def read_records(data: bytes) -> list[ReadRecord]:
    """Read all records, and hold each to its digests."""
    records = list(_read(data))
    other = OtherIterator(io.BytesIO(data), check_digests="raise")
    assert [record.rec_headers["WARC-Record-ID"] for record in map(_consumed, other)] == [
        record.headers["WARC-Record-ID"] for record in records
    ]
    return records


def read_folder(folder: Path) -> list[ReadRecord]:
    """Read the records of all files, the oldest first."""
    return [record for path in sorted(folder.glob("*.warc.gz*")) for record in read_records(path.read_bytes())]


def _read(data: bytes) -> Iterator[ReadRecord]:
    records, again = (ArchiveIterator(io.BytesIO(data), parse_http=False) for _ in range(2))
    for record, parsed in zip(records, again, strict=True):
        headers = dict(record.headers)
        assert record.verify_block_digest() or "WARC-Block-Digest" not in headers, headers
        if parsed.is_http:
            parsed.parse_http(max_header_len=HEAD_MOST)
            assert headers["WARC-Type"] != "response" or _payload_holds(parsed), headers
        head = dict(parsed.http_headers.items()) if parsed.is_http else {}
        yield ReadRecord(headers, record.reader.read(), head, parsed.reader.read())


def _payload_holds(record: Any) -> bool:
    return "WARC-Payload-Digest" not in record.headers or record.verify_payload_digest()


def _consumed(record: Any) -> Any:
    record.raw_stream.read()
    return record
