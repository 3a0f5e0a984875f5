"""Does any input make robots/ fail, or take more than its share of time? Files, URLs and header lines by chance.

An input is made of words that parsers stumble over, and of plain octets. For the time, an input is repeated until it is
long and then doubled: what takes much more than twice as long grows faster than its input. A machine that is busy makes
one measurement wrong, never ten in a row, so the least of several counts, and a suspect is measured again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import robots
from robots import Dialect

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = (  # noqa: SIM905 - a list of ninety quoted words is harder to read
    "User-agent|Allow|Disallow|Crawl-delay|Request-rate|Sitemap|Disalow|Host|noindex|breadcrumb|Breadcrumb/1.0|bot|"
    ":|*|$|%|#|/|?|&|=|~|.|,|;|-|_|+|(|)|<|>|[|]|{|}|^|`|\\|'|\"|@|!|0|5|1/10|1e400|nan|"
    "%2F|%2A|%24|%7e|%41|%ff|%0a|%0D|%zz|/a|/*a|/a$|/**|/*$|http://h.example/x|"
    "<meta|name=robots|content=|<script>|</script>|<template>|<!--|-->|<plaintext>|<title>|&amp;|&#x0;|&#99999999;|"
    "none|noarchive|max-snippet:|max-image-preview:large|unavailable_after:|25-Aug-2030|otherbot:|googlebot:|"
    " |\t|\n|\r|\r\n|\n\n|\0|\v|\f|\x85|\ufeff|\u2028|\xe9|\U0001f600|\ud800"
).split("|")
Reader = Callable[[str], None]  # what is handed a long input
MOST_WORDS = 40  # in one input
LONG = 250_000  # octets of an input whose time is taken; it is doubled once
SUSPECT = 3.0  # times as long for twice the input
SHORTEST = 0.001  # seconds; what takes less is not measured well enough to tell
TRIES = 5  # measurements of each length, of which the least counts


@dataclass(frozen=True, slots=True)
class Growth:
    """An input which, doubled, took so many times as long."""

    what: str
    piece: str
    ratio: float


def random_text(chance: random.Random, most: int = MOST_WORDS) -> str:
    """Make an input."""
    return "".join(chance.choices(WORDS, k=chance.randint(0, most)))


def random_octets(chance: random.Random) -> bytes:
    """Make an input of words, or one of any octets."""
    if chance.random() < 0.1:  # noqa: PLR2004 - one of ten
        return chance.randbytes(chance.randint(0, 200))
    return random_text(chance).encode("utf-8", "surrogatepass")


def read_file(body: bytes, agent: str, url: str, dialect: Dialect) -> None:
    """Parse a file, ask it everything, and ask once more."""
    file = robots.parse(body, dialect)
    verdict = file.decide(agent, url)
    if verdict != file.decide(agent, url) or not (verdict.allowed or verdict.line):
        raise AssertionError(f"two answers, or a refusal without a line: {verdict}")
    delay, rate = file.delay(agent), file.request_rate(agent)
    if (delay or 0.0) < 0 or (rate and rate.seconds_per_request < 0):
        raise AssertionError(f"time runs backwards: {delay}, {rate}")


def read_lint(body: bytes) -> None:
    """Lint a file."""
    if any(finding.line < 0 or not finding.sentence for finding in robots.lint(body)):
        raise AssertionError("a finding about no line, or without a sentence")


def read_page(header: str, html: bytes, agent: str) -> None:
    """Read the controls of a page."""
    robots.page_controls([("X-Robots-Tag", header)], html, agent=agent, url="http://h.example/")


def try_inputs(count: int, seed: int) -> Iterator[int]:
    """Hand `count` inputs by chance to robots/, in turns a lint, a page and two files; yield how many so far."""
    chance = random.Random(seed)
    dialects = list(Dialect)
    for done in range(1, count + 1):
        turn = done % 4
        if turn == 0:
            read_lint(random_octets(chance))
        elif turn == 1:
            read_page(random_text(chance), random_octets(chance), random_text(chance, 2))
        else:
            read_file(
                random_octets(chance),
                chance.choice(["Breadcrumb", random_text(chance, 2)]),
                random_text(chance),
                chance.choice(dialects),
            )
        yield done


def growths(count: int, seed: int) -> Iterator[Growth]:
    """Repeat `count` inputs until they are long, double them, and yield what that did to the time."""
    chance = random.Random(seed)
    for at in range(count):
        piece = random_text(chance, 6) or "/"
        name, read = READERS[at % len(READERS)]
        ratio = _ratio(read, piece)
        if ratio is not None and ratio >= SUSPECT:
            ratio = _ratio(read, piece)
        if ratio is not None:
            yield Growth(name, piece, ratio)


READERS: list[tuple[str, Reader]] = [
    ("a file", lambda long: read_file(b"User-agent: *\n" + _encoded(long), "x", "/a", Dialect.RFC9309)),
    ("one rule", lambda long: read_file(b"User-agent: *\nDisallow: /" + _encoded(long), "x", "/a", Dialect.RFC9309)),
    ("an old file", lambda long: read_file(b"User-agent: *\n" + _encoded(long), "x", "/a", Dialect.TEXT_1996)),
    (
        "a URL",
        lambda long: read_file(b"User-agent: *\nDisallow: /*a*b$\nAllow: /*%61", "x", "/" + long, Dialect.RFC9309),
    ),
    ("a lint", lambda long: read_lint(_encoded(long))),
    ("a header line", lambda long: read_page(long, b"", "x")),
    ("a page", lambda long: read_page("", _encoded(long), "x")),
]


def _encoded(long: str) -> bytes:
    return long.encode("utf-8", "surrogatepass")


def _ratio(read: Reader, piece: str) -> float | None:
    long = piece * (LONG // len(piece))
    once = _least(read, long)
    return _least(read, long + long) / once if once >= SHORTEST else None


def _least(read: Reader, long: str) -> float:
    times = []
    for _ in range(TRIES):
        begun = time.process_time()
        read(long)
        times.append(time.process_time() - begun)
    return min(times)
