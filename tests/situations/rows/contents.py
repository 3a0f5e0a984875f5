"""A file came (H01 to H12, and some of an attacker): which of its octets are rules?

RFC 9309, 2.2, 2.3.1.1, 2.3.1.5 and 2.5. The ids of the hostile rows are those of a catalogue of hostile sites.
"""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.situations.scripted_reply import HTML, Manner, ScriptedReply, gzipped, robots_lines, robots_octets
from tests.situations.situation import Did, Situation, visited_once

if TYPE_CHECKING:
    from collections.abc import Iterator


RULES = robots_lines("User-agent: *", "Disallow: /private")
LIMIT = 500 * 1024  # octets of a robots.txt that count; RFC 9309, 2.5
BOM = b"\xef\xbb\xbf"
SOFT = b"<!DOCTYPE html><html><title>Welcome</title>\n<p>We have no such file: <a href='/'>home</a>\n</html>\n"


def cut_within_a_rule() -> ScriptedReply:
    """Return a file of which LIMIT octets end within a rule, behind what would itself be one."""
    begun = b"Disallow: /open"
    padding = LIMIT - len(RULES.body) - len(begun)
    lines = b"# pad\n" * (padding // 6) + b"#" * (padding % 6 - 1) + b"\n" * (padding % 6 > 0)
    return robots_octets(RULES.body + lines + begun + b"-elsewhere\n")


READ = (
    Situation("H01", {"": visited_once(RULES, Did.OBEYED)}),
    Situation("H02", {"": visited_once(robots_octets(b""), Did.OPENED)}),
    Situation(
        "H03",
        {
            "": visited_once(ScriptedReply(body=SOFT, kind=HTML), Did.OPENED),
            "rules": visited_once(ScriptedReply(body=SOFT + RULES.body + SOFT, kind=HTML), Did.OBEYED),
        },
        told={"": "robots.not_text"},
    ),
    Situation("H04", {"": visited_once(replace(RULES, kind=HTML), Did.OBEYED)}),
    Situation(
        "H05",
        {
            "204": visited_once(ScriptedReply(204), Did.OPENED),
            "206": visited_once(
                replace(RULES, status=206).with_headers(Content_Range="bytes 0-32/5000"),
                Did.WAITED,
                Did.OBEYED,
                Did.OPENED,
            ),
        },
    ),
    Situation(
        "H06",
        {
            "": visited_once(robots_octets(BOM + RULES.body), Did.OBEYED),
            "part": visited_once(robots_octets(BOM[:2] + RULES.body), Did.OBEYED, Did.OPENED),
        },
    ),
    Situation(
        "H07",
        {
            "little": visited_once(robots_octets(RULES.body.decode().encode("utf-16")), Did.OBEYED, Did.OPENED),
            "big": visited_once(
                robots_octets(b"\xfe\xff" + RULES.body.decode().encode("utf-16-be")), Did.OBEYED, Did.OPENED
            ),
        },
    ),
    Situation(
        "H08",
        {
            "": visited_once(
                robots_octets(b"User-agent: *\nDisallow: /caf\xe9\n"),
                Did.OBEYED,
                Did.OPENED,
                Did.LESS,
                allowed=("/open", "/caf", "/cafeteria"),
                forbidden=("/caf%E9",),
            ),
        },
    ),
    Situation(
        "H09",
        {
            "cr": visited_once(robots_octets(RULES.body.replace(b"\n", b"\r")), Did.OBEYED),
            "lf": visited_once(RULES, Did.OBEYED),
            "crlf": visited_once(robots_octets(RULES.body.replace(b"\n", b"\r\n")), Did.OBEYED),
            # U+2028 ends a line for some programs. It does not here: what comes after it is still the comment.
            "comment": visited_once(
                robots_lines("User-agent: *", "Disallow: /x", "# see \u2028User-agent: other", "Disallow: /private"),
                Did.OBEYED,
            ),
        },
    ),
    Situation(
        "H10",
        {
            "": visited_once(robots_octets(b"User-agent: *\n\x00Disallow: /open\nDisallow: /private\n"), Did.OBEYED),
        },
    ),
    Situation(
        "H11",
        {
            "": visited_once(cut_within_a_rule(), Did.OBEYED),
            "endless": visited_once(
                replace(RULES, body=RULES.body + b"# pad\n" * 100_000, manner=Manner.ENDLESS), Did.OBEYED
            ),
        },
        told={"endless": "robots.truncated"},
    ),
    Situation(
        "H12",
        {
            "": visited_once(gzipped(RULES.body), Did.OBEYED),
            "large": visited_once(gzipped(RULES.body + b"# pad\n" * 100_000), Did.OBEYED),
        },
    ),
)

# -- what an attacker sends, to make a robot slow, large or rude -------------------------------------------------------

MIB = 1024 * 1024
BOMB = 300  # MiB that the bomb is, unpacked


def bomb() -> ScriptedReply:
    """Return rules and then 300 MiB of nothing, in 300 KB of gzip."""
    return ScriptedReply(body=b"".join(_packed_bomb())).with_headers(Content_Encoding="gzip")


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


READ_FROM_AN_ATTACKER = (
    Situation(
        "robots-010",
        {"": visited_once(robots_octets(RULES.body + b"Disallow: /" + b"a" * MIB), Did.OBEYED)},
        told={"": "robots.truncated"},
        words="a line of 1 MB",
    ),
    Situation(
        "robots-016",
        {"": visited_once(robots_octets(random.Random(16).randbytes(5000)), Did.OPENED)},
        told={"": "robots.not_text"},
        words="random octets",
    ),
    Situation(
        "robots-022",
        {"": visited_once(bomb(), Did.OBEYED)},
        told={"": "robots.truncated"},
        words="a gzip bomb of 300 MB",
    ),
    Situation(
        "robots-025",
        {"": visited_once(robots_lines("User-agent: *", "Disallow: /private", "Allow: /open"), Did.OBEYED)},
        words="a plain file",
    ),
)
