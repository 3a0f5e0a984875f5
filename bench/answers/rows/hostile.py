"""What is a robots.txt for an attacker? A way to make a robot slow, large, or rude: rows of the hostile catalogue."""

from __future__ import annotations

import random
import zlib
from typing import TYPE_CHECKING

from bench.answers.record import Did, Situation, site
from bench.answers.reply import Reply, octets, rules
from bench.answers.rows.found import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

MIB = 1024 * 1024
BOMB = 300  # MiB that the bomb is, unpacked


def bomb() -> Reply:
    """Return rules and then 300 MiB of nothing, in 300 KB of gzip."""
    return Reply(body=b"".join(_packed_bomb())).with_headers(Content_Encoding="gzip")


def _packed_bomb() -> Iterator[bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    yield b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"  # RFC 1952, 2.3.1
    yield packer.compress(RULES.body + b"#") + packer.flush(zlib.Z_FULL_FLUSH)
    nothing = bytes(MIB)
    block = packer.compress(nothing) + packer.flush(zlib.Z_FULL_FLUSH)
    check = zlib.crc32(RULES.body + b"#")
    for _ in range(BOMB):
        yield block  # after a full flush it can stand again and again
        check = zlib.crc32(nothing, check)
    yield packer.flush()
    yield check.to_bytes(4, "little") + (len(RULES.body) + 1 + BOMB * MIB).to_bytes(4, "little")


ROWS = (
    Situation(
        "robots-010", {"": site(octets(RULES.body + b"Disallow: /" + b"a" * MIB), Did.OBEYED)},
        told={"": "robots.truncated"}, words="a line of 1 MB",
    ),
    Situation(
        "robots-016", {"": site(octets(random.Random(16).randbytes(5000)), Did.OPENED)},
        told={"": "robots.not_text"}, words="random octets",
    ),
    Situation(
        "robots-022", {"": site(bomb(), Did.OBEYED)}, told={"": "robots.truncated"}, words="a gzip bomb of 300 MB"
    ),
    Situation(
        "robots-025", {"": site(rules("User-agent: *", "Disallow: /private", "Allow: /open"), Did.OBEYED)},
        words="a plain file",
    ),
)  # fmt: skip
