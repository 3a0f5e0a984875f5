"""How is the record of a page kept? Its fields as JSON, behind them its text as it is, both packed by zstd.

So nothing that is read from disk can run as code, and no line of the text is escaped and read as JSON for a snippet.
"""

from __future__ import annotations

import json
import struct
import threading
from typing import Any

import zstandard

MAX_RECORD_BYTES = 16_000_000  # unpacked: the kept text and description, each character escaped, and as much again
HEAD_LENGTH = struct.Struct("<I")  # bytes of the JSON; the text stands behind it


class _Packing(threading.local):
    """Packs and unpacks for one thread: two calls at once would disturb each other, and making one takes as long."""

    def __init__(self) -> None:
        self.pack = zstandard.ZstdCompressor().compress
        self.unpack = zstandard.ZstdDecompressor().decompress


PACKING = _Packing()


def packed_record(fields: dict[str, Any], text: str) -> bytes:
    """Return a record as bytes."""
    head = json.dumps(fields, separators=(",", ":")).encode()
    return PACKING.pack(HEAD_LENGTH.pack(len(head)) + head + text.encode("utf-8", "surrogatepass"))


def unpacked_record(packed: bytes) -> tuple[Any, str]:
    """Return what was packed. Raises ValueError and others for what no record can be."""
    size = zstandard.frame_content_size(packed)  # -1: it does not tell
    if size not in range(HEAD_LENGTH.size, MAX_RECORD_BYTES):
        raise ValueError("a record of no size, or of more than one can have")
    content = PACKING.unpack(packed)
    end = HEAD_LENGTH.size + HEAD_LENGTH.unpack_from(content)[0]
    return json.loads(content[HEAD_LENGTH.size : end]), content[end:].decode("utf-8", "surrogatepass")
