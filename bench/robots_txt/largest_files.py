"""What does the largest robots.txt cost? 500 KiB of rules, in shapes that are hard for one way or another to find them.

The first decision works out the rules of a robot, and the others use that. Each shape is asked about a short path, one
of a hundred octets and one of two thousand; the worst of the three counts.
"""

from __future__ import annotations

import gc
import random
import time
import tracemalloc
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import robots
from robots import MAX_ROBOTS_BYTES, Dialect

if TYPE_CHECKING:
    from collections.abc import Callable

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_"
AGAIN = 20  # decisions after the first one
CROWD = 13_000  # robots, and rules for all of them
MS = 1000
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class RulesShape:
    """What the rules look like; `rule` gets a source of chance and the rule's number."""

    name: str
    rule: Callable[[random.Random, int], str]
    dialect: Dialect = Dialect.RFC9309


def random_word(chance: random.Random, length: int) -> str:
    """Make a word."""
    return "".join(chance.choices(LETTERS, k=length))


SHAPES = (
    RulesShape("half with a star", lambda chance, at: ("/*" if at % 2 else "/") + random_word(chance, 3)),
    RulesShape("no star", lambda chance, _: "/" + random_word(chance, 3)),
    RulesShape("/*x", lambda chance, _: "/*" + random_word(chance, 2)),
    RulesShape("/*xyz$", lambda chance, _: f"/*{random_word(chance, 3)}$"),
    RulesShape("one head, then a star", lambda chance, _: "/shop/*" + random_word(chance, 3)),
    RulesShape("one long beginning", lambda chance, _: "/*" + "a" * 16 + random_word(chance, 4)),
    RulesShape("/*a*b*x", lambda chance, _: "/*a*b*" + random_word(chance, 3)),
    RulesShape("/*x*y*z", lambda chance, _: "/" + "".join("*" + random_word(chance, 1) for _ in range(3))),
    RulesShape("pieces of many lengths", lambda chance, _: "/*" + random_word(chance, chance.randint(1, 30))),
    RulesShape("paths of many lengths", lambda _, at: "/" + "a" * at),
    RulesShape("escapes", lambda chance, _: f"/%{chance.randint(32, 126):02x}{random_word(chance, 1)}*"),
    RulesShape("many stars", lambda chance, _: "/" + "".join("*" + chance.choice("ab") for _ in range(12))),
    RulesShape("1996, no star", lambda chance, _: "/" + random_word(chance, 3), Dialect.TEXT_1996),
    RulesShape(
        "the book, half with a star",
        lambda chance, at: ("/*" if at % 2 else "/") + random_word(chance, 3),
        Dialect.BOOK,
    ),
)
STARS = "/" + "*a" * 999 + "*b"  # a thousand of them, against two thousand octets that all but match


@dataclass(frozen=True, slots=True)
class ShapeTimes:
    """Milliseconds, the worst of three paths. `again` is the median of later decisions."""

    name: str
    rules: int
    parse: float
    first: float
    again: float


def file_of(shape: RulesShape, size: int = MAX_ROBOTS_BYTES) -> bytes:
    """Make the largest file of this shape, half of its rules Allow lines."""
    chance = random.Random(1)
    lines = ["User-agent:*"]
    left = size - len(lines[0]) - 1
    while True:
        field = "Disallow" if len(lines) % 2 else "Allow"
        line = f"{field}:{shape.rule(chance, len(lines))}"
        left -= len(line) + 1
        if left < 0:
            return "\n".join([*lines, ""]).encode()
        lines.append(line)


def time_shape(shape: RulesShape, repeats: int) -> ShapeTimes:
    """Parse the file of this shape anew for each path and repeat, and decide."""
    body = file_of(shape)
    chance = random.Random(2)
    urls = [f"https://h.example/shop/{random_word(chance, length)}" for length in (3, 94, 1994)]
    runs = [[_once(body, shape.dialect, url) for _ in range(repeats)] for url in urls]
    parse, first, again = (max(median(run[at] for run in of_one) for of_one in runs) for at in range(3))
    return ShapeTimes(shape.name, body.count(b"\n") - 1, parse, first, again)


def _once(body: bytes, dialect: Dialect, url: str) -> tuple[float, float, float]:
    begun = time.process_time()
    file = robots.parse(body, dialect)
    parse = time.process_time() - begun
    gc.collect()
    gc.freeze()  # what is there already is no garbage of a decision's
    begun = time.process_time()
    file.decide("Breadcrumb", url)
    decided = time.process_time()
    for _ in range(AGAIN):
        file.decide("Breadcrumb", url)
    again = (time.process_time() - decided) / AGAIN
    gc.unfreeze()
    return parse * MS, (decided - begun) * MS, again * MS


def milliseconds_of_stars() -> float:
    """Give the milliseconds for a thousand stars against two thousand octets."""
    file = robots.parse(f"User-agent: *\nDisallow: {STARS}\n".encode())
    url = "https://h.example/" + "a" * 1999
    file.decide("Breadcrumb", url)
    begun = time.process_time()
    file.decide("Breadcrumb", url)
    return (time.process_time() - begun) * MS


def cost_of_a_crowd() -> tuple[float, float]:
    """Give milliseconds and MiB for reading 450 KB in which many robots are named and as many rules are for each."""
    names = "".join(f"User-agent: bot{number}\n" for number in range(CROWD))
    body = (names + "".join(f"Disallow:/{number}\n" for number in range(CROWD))).encode()
    begun = time.process_time()
    robots.parse(body)
    taken = time.process_time() - begun
    tracemalloc.start()
    file = robots.parse(body)
    file.decide("bot777", "/x")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken * MS, peak / MIB
