"""Which engines read robots.txt, and how long do they take? Ours, Protego and the standard library.

The engines take turns on the same files; the median of the ratios within a turn counts. A decision is timed twice. The
first comes right after parsing, when an engine prepares the rules of a robot. The second is like that of a crawl's
hundredth page. Times are CPU seconds. Garbage collection counts in the phase that makes the garbage: earlier objects
are frozen.
"""

from __future__ import annotations

import base64
import gc
import gzip
import json
import time
from dataclasses import dataclass
from operator import attrgetter
from statistics import median
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote
from urllib.robotparser import RobotFileParser

from protego import Protego

import robots
from bench.harness.program import in_turns, paired_ratio
from robots.lines import Field, read_lines, whole_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path


OURS = "breadcrumb"


@dataclass(frozen=True, slots=True)
class Engine:
    """A function that parses a file, and one that decides a URL by it."""

    parse: Callable[[bytes], Any]
    decide: Callable[[Any, str, str], bool]


def text_of(body: bytes) -> str:
    """Decode for engines that accept only text."""
    return robots.to_utf8(body).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def parse_standard(body: bytes) -> RobotFileParser:
    """Parse with the standard library."""
    parser = RobotFileParser()
    parser.parse(text_of(body).splitlines())
    return parser


ENGINES = {
    OURS: Engine(lambda body: robots.parse(robots.to_utf8(body)), lambda f, agent, url: f.decide(agent, url).allowed),
    "protego": Engine(lambda body: Protego.parse(text_of(body)), lambda f, agent, url: f.can_fetch(url, agent)),
    "urllib": Engine(parse_standard, lambda f, agent, url: f.can_fetch(agent, url)),
}


T = TypeVar("T")
AGENTS = ("Breadcrumb", "Googlebot")
MAX_PATHS = 20  # of one file: a few files have thousands of rules and would dominate
URL_OCTETS = "".join(chr(octet) for octet in range(0x21, 0x7F))


@dataclass(frozen=True, slots=True)
class Case:
    """One real file, and the URLs to decide."""

    name: str
    body: bytes
    urls: tuple[str, ...]

    @property
    def questions(self) -> list[tuple[str, str]]:
        """Each robot with each URL."""
        return [(agent, url) for agent in AGENTS for url in self.urls]


@dataclass(frozen=True, slots=True)
class Turn:
    """The seconds of one engine for all files: to parse, for the first verdicts and for the same verdicts again."""

    parse: float
    first: float
    again: float


def read_cases(path: Path) -> Iterator[Case]:
    """Yield the files of a collection: one JSON object a line with `id` and `body_base64`."""
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            body = base64.b64decode(row["body_base64"])
            yield Case(row["id"], body, tuple(urls_of(body)))


def urls_of(body: bytes) -> list[str]:
    """Make URLs that the rules of `body` are about: each path, and one below it."""
    urls: dict[str, None] = {"https://example.com/": None}
    for line in read_lines(whole_lines(robots.to_utf8(body)), forgiving=False):
        if line.field in {Field.ALLOW, Field.DISALLOW} and len(urls) < MAX_PATHS:
            path = quote(line.value.removesuffix(b"$").replace(b"*", b"x"), safe=URL_OCTETS)
            url = "https://example.com/" + path.lstrip("/")
            urls |= {url: None, url + "/page.html": None}
    return list(urls)


def take_turn(name: str, cases: Sequence[Case]) -> tuple[Turn, list[bool]]:
    """Let one engine parse all files and decide all URLs; return its times and its verdicts."""
    engine = ENGINES[name]
    questions = [case.questions for case in cases]
    parse, parsed = _timed(lambda: [engine.parse(case.body) for case in cases])
    asked = [(file, agent, url) for file, case in zip(parsed, questions, strict=True) for agent, url in case]
    first, verdicts = _timed(lambda: [engine.decide(file, agent, url) for file, agent, url in asked])
    again, _ = _timed(lambda: [engine.decide(file, agent, url) for file, agent, url in asked])
    return Turn(parse, first, again), verdicts


def _timed(work: Callable[[], list[T]]) -> tuple[float, list[T]]:
    gc.collect()
    gc.freeze()  # earlier objects are no garbage of this phase
    begun = time.process_time()
    done = work()
    taken = time.process_time() - begun
    gc.unfreeze()
    return taken, done


def take_turns(cases: Sequence[Case], repeats: int) -> tuple[dict[str, Any], dict[str, list[bool]]]:
    """Let all engines take turns; return medians and ratios, and the verdicts."""
    turns: dict[str, list[Turn]] = {name: [] for name in ENGINES}
    verdicts: dict[str, list[bool]] = {}
    for _, name, (turn, verdicts[name]) in in_turns(ENGINES, repeats, lambda name: take_turn(name, cases)):
        turns[name].append(turn)
    return {name: medians_of(rows, turns[OURS]) for name, rows in turns.items()}, verdicts


def medians_of(rows: Sequence[Turn], ours: Sequence[Turn]) -> dict[str, float]:
    """Return the medians of an engine's times, and of their ratios to ours."""
    told: dict[str, float] = {}
    for name in ("parse", "first", "again"):
        phase = attrgetter(name)
        told |= {f"{name}_s": median(map(phase, rows)), f"{name}_ratio": paired_ratio(rows, ours, phase)["median"]}
    return told
