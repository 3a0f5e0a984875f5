"""How is a robots.txt read? The verdicts of one reading or of all four, and how long it asks a robot to wait.

The verdicts of all stand side by side with the choice on which they part. Crawl-delay is told as three engines read it,
since no text says what it means. Request-rate is defined in a proposal of 1996, and few robots obey it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from commands.terminal import Ink, columns, hanging, printable, wrapped
from reports.wording import counted
from robots import Dialect, Disagreement, Verdict, disagreement_on_denial, disagreement_on_url, parse
from robots.dialect import CHOICES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commands.robots_source import Source
    from robots import RobotsFile


OURS = Dialect.RFC9309  # the reading by which a crawl decides
VERDICT_INDENT = 12  # columns for the word "disallowed"
NAME_WIDTH = 9  # columns for the name of a reading
DENIALS = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


@dataclass(frozen=True, slots=True)
class Judged:
    """One URL and what each reading that was asked says about it."""

    url: str
    verdicts: Mapping[Dialect, Verdict]
    partings: Sequence[Disagreement]

    def as_dict(self) -> dict[str, object]:
        """Give the verdict by the first reading, and all of them where there are several."""
        first, *others = self.verdicts
        told: dict[str, object] = {"url": self.url} | asdict(self.verdicts[first])
        if others:
            told["readings"] = {dialect.value: asdict(verdict) for dialect, verdict in self.verdicts.items()}
            told["partings"] = [
                {
                    "dialect": found.theirs.value,
                    "together": found.together,
                    "differences": [asdict(difference) for difference in found.differences],
                }
                for found in self.partings
            ]
        return told


def judge_urls(source: Source, agent: str, urls: Sequence[str], dialects: Sequence[Dialect]) -> list[Judged]:
    """Judge `urls` by each of `dialects`; the first is the one that the others are compared with."""
    verdicts = {dialect: _verdicts(source, agent, urls, dialect) for dialect in dialects}
    return [
        Judged(
            url,
            {dialect: verdicts[dialect][at] for dialect in dialects},
            [found for dialect in dialects[1:] if (found := _parting(source, agent, url, dialect))],
        )
        for at, url in enumerate(urls)
    ]


def lines_of_one(judged: Judged, pen: Ink) -> Iterator[str]:
    """Yield the verdict by one reading."""
    (verdict,) = judged.verdicts.values()
    line = f", line {verdict.line}" if verdict.line else ""
    first, *others = hanging(_word(verdict), printable(f"{judged.url}  ({verdict.reason}{line})"), VERDICT_INDENT)
    yield _inked(first, verdict, pen)
    yield from others


def lines_of_all(judged: Judged, pen: Ink) -> Iterator[str]:
    """Yield the verdicts side by side, and on which rule they part."""
    yield pen.bold(printable(judged.url))
    for dialect, verdict in judged.verdicts.items():
        by = f"line {verdict.line}, {verdict.rule} " if verdict.line else ""
        name = f"  {dialect.value:<{NAME_WIDTH}}"
        label, text = name + _word(verdict), printable(f"{by}({verdict.reason})")
        first, *others = hanging(label, text, len(name) + VERDICT_INDENT)
        yield name + _inked(first.removeprefix(name), verdict, pen)
        yield from others
    for sentence in _told(judged.partings):
        yield from (f"  {line}" for line in wrapped(printable(sentence), columns() - 2))
    if not judged.partings:
        yield "  The four readings agree."


def _told(partings: Sequence[Disagreement]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for found in partings:
        reasons.setdefault(str(found), []).append(found.theirs.value)
    for reason, names in reasons.items():
        verb = "part" if len(names) > 1 else "parts"
        yield f"{_listed(names)} {verb} from {OURS.value} on {reason}."


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _word(verdict: Verdict) -> str:
    return "allowed" if verdict.allowed else "disallowed"


def _inked(line: str, verdict: Verdict, pen: Ink) -> str:
    word = _word(verdict)
    return (pen.good if verdict.allowed else pen.bad)(word) + line[len(word) :]


def _verdicts(source: Source, agent: str, urls: Sequence[str], dialect: Dialect) -> list[Verdict]:
    availability = source.availability
    if availability.file is not None:
        file = availability.file if dialect is OURS else parse(source.body, dialect)
        return [file.decide(agent, url) for url in urls]
    if source.status in DENIALS and CHOICES[dialect].denial_closes:
        reason = f"robots.txt answered {source.status}: in this reading that closes the whole site"
        return [Verdict(allowed=False, line=0, rule="", reason=reason) for _ in urls]
    return [availability.decide(agent, url) for url in urls]


def _parting(source: Source, agent: str, url: str, dialect: Dialect) -> Disagreement | None:
    if source.availability.file is not None:
        return disagreement_on_url(source.body, agent, url, theirs=dialect)
    return disagreement_on_denial(theirs=dialect) if source.status in DENIALS else None


ENGINE_INDENT = 8  # columns for the name of an engine
A_DAY = 24 * 3600.0  # seconds
EVERYBODY = ""  # a robot without a name is told what everybody is told


def delay_meanings(delay: float) -> Mapping[str, str]:
    """Say what each engine makes of a Crawl-delay of so many seconds, which is no less than 0."""
    visits = f"at most {A_DAY / delay:,.0f} visits a day" if delay else "no limit"
    return {
        "Yandex": f"at least {delay:g} s from one visit to the next: {visits} (it stopped reading the line in 2018)",
        "Bing": f"time is cut into windows of {delay:g} s with one visit in each: {visits}, and the last of one window "
        "may be close to the first of the next",
        "Google": "no part of the file: its robots pass the line over and find a pace themselves",
    }


def delay_lines(file: RobotsFile, agent: str) -> Iterator[str]:
    """Yield what is to be known about the Crawl-delay and Request-rate for `agent`; nothing where there are none."""
    yield from _of_delay(file, agent)
    yield from _of_rate(file, agent)


def _of_delay(file: RobotsFile, agent: str) -> Iterator[str]:
    delay = file.delay(agent)
    if delay is not None:
        yield ""
        yield f"Crawl-delay: {delay:g} for {printable(agent)} has three readings:"
        for engine, meaning in delay_meanings(delay).items():
            yield from hanging(engine, meaning, ENGINE_INDENT)
    elif (others := file.delay(EVERYBODY)) is not None:
        yield ""
        yield f"Crawl-delay: {others:g} is not for {printable(agent)}: a robot with a group of its own inherits"
        yield "nothing from the one for *."


def _of_rate(file: RobotsFile, agent: str) -> Iterator[str]:
    rate = file.request_rate(agent)
    if rate is not None:
        yield ""
        pages = f"{counted(rate.requests, 'page')} in {rate.seconds:g} s"
        yield f"Request-rate for {printable(agent)}: at most {pages}, at any hour; evenly spaced,"
        yield f"{rate.seconds_per_request:g} s from one visit to the next."
    elif file.request_rate(EVERYBODY) is not None:
        yield ""
        yield f"Request-rate is not for {printable(agent)}: a robot with a group of its own inherits nothing from"
        yield "the one for *."
