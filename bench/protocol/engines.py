"""Who reads robots.txt, and how are they asked? Ours, Protego, the standard library, and a tokenizer that reads only.

The tokenizer is the floor: it splits lines, cuts remarks and names, and stores the rules of each group once. It judges
nothing, normalises nothing and knows no line's number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.robotparser import RobotFileParser

from protego import Protego

import robots

if TYPE_CHECKING:
    from collections.abc import Callable

OURS = "breadcrumb"
FLOOR = "tokenizer"
Token = tuple[list[bytes], list[tuple[bytes, bytes]]]  # names, and rules as field and value


@dataclass(frozen=True, slots=True)
class Engine:
    """How a file is parsed, and how the parsed file is asked; None: it has no answer."""

    parse: Callable[[bytes], Any]
    decide: Callable[[Any, str, str], bool] | None


def text_of(body: bytes) -> str:
    """Decode as those do who take text only."""
    return robots.to_utf8(body).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def parse_standard(body: bytes) -> RobotFileParser:
    """Parse with the standard library."""
    parser = RobotFileParser()
    parser.parse(text_of(body).splitlines())
    return parser


def tokenize(body: bytes) -> list[Token]:
    """Sort the lines of a file into groups, and do nothing else."""
    names: list[bytes] = []
    rules: list[tuple[bytes, bytes]] = []
    groups = [(names, rules)]
    for line in body.splitlines():
        name, _, value = line.partition(b"#")[0].partition(b":")
        field = name.strip().lower()
        if field in {b"allow", b"disallow"}:
            rules.append((field, value.strip()))
        elif field == b"user-agent":
            if rules:
                names, rules = [], []
                groups.append((names, rules))
            names.append(value.strip().lower())
    return groups


ENGINES = {
    OURS: Engine(lambda body: robots.parse(robots.to_utf8(body)), lambda f, agent, url: f.decide(agent, url).allowed),
    "protego": Engine(lambda body: Protego.parse(text_of(body)), lambda f, agent, url: f.can_fetch(url, agent)),
    "urllib": Engine(parse_standard, lambda f, agent, url: f.can_fetch(agent, url)),
    FLOOR: Engine(lambda body: tokenize(robots.to_utf8(body)), None),
}
