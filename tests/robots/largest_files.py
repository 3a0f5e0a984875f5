"""Which are the largest robots.txt files? 500 KiB of rules, in shapes that are hard for one way to look for them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robots import MAX_ROBOTS_BYTES, Dialect

if TYPE_CHECKING:
    from collections.abc import Callable

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_"


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
