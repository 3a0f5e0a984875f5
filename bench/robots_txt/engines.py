"""Who reads robots.txt, and who takes how long? Ours, Protego, the standard library, and a tokenizer that only reads.

The tokenizer is the floor: it splits lines, cuts remarks and names, and stores the rules of each group once. It judges
nothing, normalises nothing and knows no line's number.

The engines take turns on the same files; of the ratios within a turn, the median counts. A decision is timed twice:
first right after parsing, when an engine works out what it needs for a robot, and again, as a crawl asks a file for its
hundredth page. Times are CPU seconds. The collection of garbage counts in the phase that makes the garbage: what was in
memory before a phase is frozen.
"""

from __future__ import annotations

import base64
import gc
import gzip
import json
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote
from urllib.robotparser import RobotFileParser

from protego import Protego

import robots
from bench.harness.program import in_turns
from robots.lines import Field, read_lines, whole_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path


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


T = TypeVar("T")
AGENTS = ("Breadcrumb", "Googlebot")
MAX_PATHS = 20  # of one file: a few files have thousands of rules and would be all that is measured
URL_OCTETS = "".join(chr(octet) for octet in range(0x21, 0x7F))


@dataclass(frozen=True, slots=True)
class Case:
    """One real file, and what is asked of it."""

    name: str
    body: bytes
    urls: tuple[str, ...]

    @property
    def questions(self) -> list[tuple[str, str]]:
        """Each robot with each URL."""
        return [(agent, url) for agent in AGENTS for url in self.urls]


@dataclass(frozen=True, slots=True)
class Turn:
    """The seconds that one engine took for all files, for the first answers and for the same answers again."""

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
    """Make URLs that the rules of `body` are about: each path, and something below it."""
    urls: dict[str, None] = {"https://example.com/": None}
    for line in read_lines(whole_lines(robots.to_utf8(body)), forgiving=False):
        if line.field in {Field.ALLOW, Field.DISALLOW} and len(urls) < MAX_PATHS:
            path = quote(line.value.removesuffix(b"$").replace(b"*", b"x"), safe=URL_OCTETS)
            url = "https://example.com/" + path.lstrip("/")
            urls |= {url: None, url + "/page.html": None}
    return list(urls)


def take_turn(name: str, cases: Sequence[Case]) -> tuple[Turn, list[bool]]:
    """Let one engine read all files and answer all questions; give its times and its verdicts."""
    engine = ENGINES[name]
    questions = [case.questions for case in cases]
    parse, parsed = _timed(lambda: [engine.parse(case.body) for case in cases])
    decide = engine.decide
    if decide is None:
        return Turn(parse, 0.0, 0.0), []
    asked = [(file, agent, url) for file, case in zip(parsed, questions, strict=True) for agent, url in case]
    first, verdicts = _timed(lambda: [decide(file, agent, url) for file, agent, url in asked])
    again, _ = _timed(lambda: [decide(file, agent, url) for file, agent, url in asked])
    return Turn(parse, first, again), verdicts


def _timed(work: Callable[[], list[T]]) -> tuple[float, list[T]]:
    gc.collect()
    gc.freeze()  # what is there already is nobody's in this phase
    begun = time.process_time()
    done = work()
    taken = time.process_time() - begun
    gc.unfreeze()
    return taken, done


def take_turns(cases: Sequence[Case], repeats: int) -> tuple[dict[str, Any], dict[str, list[bool]]]:
    """Let all engines take turns; give medians and ratios, and the verdicts."""
    turns: dict[str, list[Turn]] = {name: [] for name in ENGINES}
    verdicts: dict[str, list[bool]] = {}
    for _, name, (turn, verdicts[name]) in in_turns(ENGINES, repeats, lambda name: take_turn(name, cases)):
        turns[name].append(turn)
    return {name: medians_of(rows, turns[OURS]) for name, rows in turns.items()}, verdicts


def medians_of(rows: Sequence[Turn], ours: Sequence[Turn]) -> dict[str, float | None]:
    """Give the medians of an engine, and of its ratios: how many times our time it took."""
    told: dict[str, float | None] = {}
    for phase in ("parse", "first", "again"):
        theirs = [getattr(turn, phase) for turn in rows]
        asked = all(theirs)  # the floor answers nothing
        told[f"{phase}_s"] = median(theirs) if asked else None
        pairs = zip(theirs, (getattr(turn, phase) for turn in ours), strict=True)
        told[f"{phase}_ratio"] = median(other / own for other, own in pairs) if asked else None
    return told
