"""Lab 2: does a robots.txt of the student's own divide the four readings, and is the rule named on which they part?"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from extensions.course.grading.grade import HandIn
from extensions.course.grading.lab_folder import LabFolder, Missing, Wrong, page_name
from extensions.course.grading.predictions import YES_NO, Measured, Prediction
from robots.dialect import CHOICES, Dialect
from robots.disagreement import disagreement_on_url
from robots.file import parse, parse_by

if TYPE_CHECKING:
    from collections.abc import Iterator

AGENT, CRUMB = "Breadcrumb", "Crumb"
MAX_LINES, URLS = 6, 3
READINGS = tuple(dialect.value for dialect in Dialect)
PAGES = ("kitchen", "window", "ovens")
VERDICT = re.compile(rf"^\s+(?P<reading>{'|'.join(READINGS)})\s+(?P<verdict>allowed|disallowed)\b")


def _bakery(folder: LabFolder) -> bytes:
    return folder.text("robots.txt").encode()


def _window(folder: LabFolder) -> Measured:
    verdict = parse(_bakery(folder)).decide(AGENT, "/kitchen/window/")
    return Measured((float(verdict.line),), f"{verdict}, as RFC 9309 reads your robots.txt")


def _agree(folder: LabFolder) -> Measured:
    verdicts = _verdicts(_bakery(folder), "/kitchen/window/")
    sentence = ", ".join(f"{name} {'allows' if allowed else 'disallows'} it" for name, allowed in verdicts.items())
    return Measured(("no" if len(set(verdicts.values())) > 1 else "yes",), sentence)


def _fetched_by_scrapys(folder: LabFolder) -> Measured:
    requests = folder.requests()
    crawls = [place for place, (path, _) in enumerate(requests) if path == "/robots.txt"]
    if len(crawls) < 2:  # noqa: PLR2004 - with our parser, and with Scrapy's
        raise Missing("your site was crawled less than twice")
    last = {page_name(path) for path, status in requests[crawls[-1] :] if status < 400}  # noqa: PLR2004 - errors
    return Measured(tuple(name for name in PAGES if name in last), "server.log, since the last request of robots.txt")


def _menu(folder: LabFolder) -> Measured:
    verdicts = _verdicts(_bakery(folder), "/menu.pdf", CRUMB)
    return Measured(
        tuple(name for name, allowed in verdicts.items() if not allowed), f"for {CRUMB}, by your robots.txt"
    )


def _forgiving(folder: LabFolder) -> Measured:
    changed = {Dialect.RFC9309: replace(CHOICES[Dialect.RFC9309], forgiving_fields=True)}
    files = {dialect: parse_by(({**CHOICES, **changed})[dialect], _bakery(folder)) for dialect in Dialect}
    closed = [dialect.value for dialect, file in files.items() if not file.decide(CRUMB, "/ovens/").allowed]
    return Measured(tuple(closed), "your robots.txt, read with the changed line")


def _verdicts(body: bytes, path: str, agent: str = AGENT) -> dict[str, bool]:
    return {dialect.value: parse(body, dialect).decide(agent, path).allowed for dialect in Dialect}


def _own_file(folder: LabFolder) -> str:
    body = _own(folder)
    paths = [path for path, _ in _urls(folder)]
    for path in paths:
        verdicts = _verdicts(body, path)
        if len(set(verdicts.values())) == 1:
            word = "allow" if verdicts["rfc9309"] else "disallow"
            raise Wrong(f"all four readings {word} {path}: they must disagree on it")
    return f"the readings disagree on {', '.join(paths)}"


def _own(folder: LabFolder) -> bytes:
    text = folder.text("mine.txt")
    if (lines := len(text.strip("\n").splitlines())) > MAX_LINES:
        raise Wrong(f"mine.txt has {lines:,} lines: at most {MAX_LINES}")
    return text.encode()


def _urls(folder: LabFolder) -> list[tuple[str, str]]:
    found = [(path, reason) for path, _, reason in (line.partition(" ") for line in folder.lines("urls.txt"))]
    if any(not path.startswith("/") for path, _ in found):
        raise Wrong("urls.txt: a line is a path, which begins with /, and the rule on which the readings part")
    if (different := len({path for path, _ in found})) != URLS:
        raise Wrong(f"urls.txt has {different} different paths: {URLS} are needed")
    return found


def _reasons(folder: LabFolder) -> str:
    body, reasons = _own(folder), []
    for path, reason in _urls(folder):
        topics = dict.fromkeys(_topics(body, path))
        if not topics:
            raise Wrong(f"no two readings disagree on {path}, so there is no rule on which they part")
        named = [topic for topic in topics if topic.lower() in reason.lower()]
        if not named:
            raise Wrong(f"{path}: you say “{reason.strip()[:80]}”, they part on {' and on '.join(topics)}")
        reasons.append(f"{path}: {named[0]}")
    return "; ".join(reasons)


def _topics(body: bytes, path: str) -> Iterator[str]:
    for theirs in Dialect:
        parting = disagreement_on_url(body, AGENT, path, theirs=theirs) if theirs is not Dialect.RFC9309 else None
        for difference in parting.differences if parting else ():
            yield difference.topic


def _output(folder: LabFolder) -> str:
    body, lines = _own(folder), folder.text("verdicts.txt").splitlines()
    for path, _ in _urls(folder):
        if path not in lines:
            raise Wrong(f"verdicts.txt has no line {path}: save the output of breadcrumb robots --dialect all for it")
        below = takewhile(lambda line: not line.startswith("/"), lines[lines.index(path) + 1 :])
        shown = {found["reading"]: found["verdict"] for found in map(VERDICT.match, below) if found}
        for reading, allowed in _verdicts(body, path).items():
            verdict = "allowed" if allowed else "disallowed"
            if shown.get(reading) != verdict:
                said = shown.get(reading, "nothing")
                raise Wrong(f"{path} is {verdict} for {reading} by your mine.txt; verdicts.txt says {said}")
    return "the verdicts are those of your mine.txt"


PREDICTIONS = {
    1: Prediction("the line", _window),
    2: Prediction("do they agree", _agree, YES_NO),
    4: Prediction("pages", _fetched_by_scrapys, PAGES),
    5: Prediction("readings that disallow /menu.pdf", _menu, READINGS),
    6: Prediction("readings that disallow /ovens/ now", _forgiving, READINGS),
}
HAND_INS = (HandIn("mine.txt", _own_file), HandIn("urls.txt", _reasons), HandIn("verdicts.txt", _output))
