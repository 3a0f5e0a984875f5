"""How much does the largest robots.txt cost? 500 KiB of rules, in shapes that are hard for one algorithm or another.

The first decision prepares the rules of a robot, and the others use them. Each shape decides a short path, one of a
hundred octets and one of two thousand; the worst of the three counts.
"""

from __future__ import annotations

import gc
import random
import tracemalloc
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import robots
from bench.harness.program import cpu_ms
from tests.robots.largest_files import RulesShape, file_of, random_word

if TYPE_CHECKING:
    from robots import Dialect

AGAIN = 20  # decisions after the first one
CROWD = 13_000  # robots, and rules for all of them
MIB = 1024 * 1024


STARS = "/" + "*a" * 999 + "*b"  # a thousand of them, against two thousand octets that all but match


@dataclass(frozen=True, slots=True)
class ShapeTimes:
    """Milliseconds, the worst of three paths. `again` is the median of later decisions."""

    name: str
    rules: int
    parse: float
    first: float
    again: float


def time_shape(shape: RulesShape, repeats: int) -> ShapeTimes:
    """Parse the file of this shape again for each path and repeat, and decide."""
    body = file_of(shape)
    chance = random.Random(2)
    urls = [f"https://h.example/shop/{random_word(chance, length)}" for length in (3, 94, 1994)]
    runs = [[_once(body, shape.dialect, url) for _ in range(repeats)] for url in urls]
    parse, first, again = (max(median(run[at] for run in of_one) for of_one in runs) for at in range(3))
    return ShapeTimes(shape.name, body.count(b"\n") - 1, parse, first, again)


def _once(body: bytes, dialect: Dialect, url: str) -> tuple[float, float, float]:
    parse = cpu_ms(robots.parse, body, dialect)
    file = robots.parse(body, dialect)
    gc.collect()
    gc.freeze()  # earlier objects are no garbage of a decision
    first = cpu_ms(file.decide, "Breadcrumb", url)
    again = sum(cpu_ms(file.decide, "Breadcrumb", url) for _ in range(AGAIN)) / AGAIN
    gc.unfreeze()
    return parse, first, again


def milliseconds_of_stars() -> float:
    """Return the milliseconds for a thousand stars against two thousand octets."""
    file = robots.parse(f"User-agent: *\nDisallow: {STARS}\n".encode())
    url = "https://h.example/" + "a" * 1999
    file.decide("Breadcrumb", url)
    return cpu_ms(file.decide, "Breadcrumb", url)


def cost_of_a_crowd() -> tuple[float, float]:
    """Return milliseconds and MiB for parsing 450 KB that name CROWD robots, with CROWD rules for all of them."""
    names = "".join(f"User-agent: bot{number}\n" for number in range(CROWD))
    body = (names + "".join(f"Disallow:/{number}\n" for number in range(CROWD))).encode()
    taken = cpu_ms(robots.parse, body)
    tracemalloc.start()
    file = robots.parse(body)
    file.decide("bot777", "/x")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken, peak / MIB
