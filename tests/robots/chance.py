"""Random inputs for robots/: files, URLs and headers of words that parsers stumble over, and plain octets."""

from __future__ import annotations

import random
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
MOST_WORDS = 40  # in one input


def random_text(chance: random.Random, most: int = MOST_WORDS) -> str:
    """Make an input."""
    return "".join(chance.choices(WORDS, k=chance.randint(0, most)))


def random_octets(chance: random.Random) -> bytes:
    """Make an input of words, or one of any octets."""
    if chance.random() < 0.1:
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
