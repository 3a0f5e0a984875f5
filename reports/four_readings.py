"""What do the readings of a robots.txt say about URLs, on which rules do they part, and how long shall a robot wait?

The verdicts of all stand side by side with the choice on which they part. Crawl-delay is told as three engines read it,
since no text says what it means. Request-rate is defined in a proposal of 1996, and few robots obey it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from reports.wording import counted, plain
from robots import (
    DENIALS,
    Access,
    Availability,
    Dialect,
    Disagreement,
    Verdict,
    disagreement_on_denial,
    disagreement_on_url,
    origin_of,
    parse,
    to_utf8,
)
from robots.dialect import CHOICES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from robots import RobotsFile
    from robots.dialect import Choices

OURS = Dialect.RFC9309  # the reading by which a crawl decides
A_DAY = 24 * 3600.0  # seconds
EVERYBODY = ""  # a robot without a name is told what everybody is told


@dataclass(frozen=True, slots=True)
class RobotsSource:
    """A robots.txt and where it came from. `origin` is empty, `status` 0 where it was not asked from a server."""

    name: str
    availability: Availability
    raw: bytes  # the file as it came, in whatever alphabet; of an answer without a file, what came instead
    origin: str = ""
    status: int = 0

    @property
    def body(self) -> bytes:
        """The file; empty where the server had none."""
        return self.availability.body

    @classmethod
    def of_text(cls, name: str, raw: bytes, reason: str) -> RobotsSource:
        """Return a file that no server was asked for; `reason` says where it is from."""
        text = to_utf8(raw)
        return cls(name, Availability(Access.PARSED, reason, file=parse(text), body=text), raw)


@dataclass(frozen=True, slots=True)
class JudgedUrl:
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

    @property
    def agree(self) -> bool:
        """Whether all readings come to the same, by whatever line."""
        return len({verdict.allowed for verdict in self.verdicts.values()}) == 1

    def parting_sentences(self) -> Iterator[str]:
        """Say on which rules readings part from ours; those that do so for one reason together."""
        reasons: dict[str, list[str]] = {}
        for found in self.partings:
            reasons.setdefault(str(found), []).append(found.theirs.value)
        for reason, names in reasons.items():
            verb = "part" if len(names) > 1 else "parts"
            yield f"{_listed(names)} {verb} from {OURS.value} on {reason}."


def judge_urls(
    source: RobotsSource, agent: str, urls: Sequence[str], dialects: Sequence[Dialect], *, compared: bool = True
) -> list[JudgedUrl]:
    """Judge `urls` by each of `dialects`; the first is the one that the others are compared with.

    To find out why two part takes some forty parses of the file; unless `compared` nobody does.
    """
    parsed: dict[Choices, RobotsFile] = {}
    if source.availability.file is not None:
        parsed = {CHOICES[dialect]: parse(source.body, dialect) for dialect in dialects if dialect is not OURS}
        parsed[source.availability.file.choices] = source.availability.file
    verdicts = {dialect: _verdicts(source, agent, urls, dialect, parsed) for dialect in dialects}
    return [
        JudgedUrl(
            url,
            {dialect: verdicts[dialect][at] for dialect in dialects},
            [
                found
                for dialect in dialects[1:]
                if compared and (found := _parting(source, agent, url, dialect, parsed))
            ],
        )
        for at, url in enumerate(urls)
    ]


def notes_on(source: RobotsSource, urls: Sequence[str]) -> list[str]:
    """Return what a person should know about the verdicts on `urls`."""
    notes = list(source.availability.file.notes) if source.availability.file else []
    for url in urls:
        if url.startswith("/"):
            continue
        try:
            origin = origin_of(url)
        except ValueError:
            notes.append(f"{url} is no http or https address, nor a path that begins with /")
            continue
        if source.origin and origin != source.origin:
            notes.append(f"{url} is not of {source.origin}: this file does not speak for it")
    return notes


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _verdicts(
    source: RobotsSource, agent: str, urls: Sequence[str], dialect: Dialect, parsed: Mapping[Choices, RobotsFile]
) -> list[Verdict]:
    availability = source.availability
    if availability.file is not None:
        file = availability.file if dialect is OURS else parsed[CHOICES[dialect]]
        return [file.decide(agent, url) for url in urls]
    if source.status in DENIALS and CHOICES[dialect].denial_closes:
        reason = f"robots.txt answered {source.status}: in this reading that closes the whole site"
        return [Verdict(allowed=False, line=0, rule="", reason=reason) for _ in urls]
    return [availability.decide(agent, url) for url in urls]


def _parting(
    source: RobotsSource, agent: str, url: str, dialect: Dialect, parsed: dict[Choices, RobotsFile]
) -> Disagreement | None:
    if source.availability.file is not None:
        return disagreement_on_url(source.body, agent, url, theirs=dialect, parsed=parsed)
    return disagreement_on_denial(theirs=dialect) if source.status in DENIALS else None


def delay_meanings(delay: float) -> Mapping[str, str]:
    """Say what each engine makes of a Crawl-delay of so many seconds, which is no less than 0."""
    visits = f"at most {A_DAY / delay:,.0f} visits a day" if delay else "no limit"
    apart = f"{plain(delay)} s"
    return {
        "Yandex": f"at least {apart} from one visit to the next: {visits} (it stopped reading the line in 2018)",
        "Bing": f"time is cut into windows of {apart} with one visit in each: {visits}, and the last of one window "
        "may be close to the first of the next",
        "Google": "no part of the file: its robots pass the line over and find a pace themselves",
    }


@dataclass(frozen=True, slots=True)
class PaceAsked:
    """What a line on the pace means for one robot: a sentence, and what engines make of it where they differ."""

    sentence: str
    meanings: Mapping[str, str]


def paces_asked(file: RobotsFile, agent: str) -> Iterator[PaceAsked]:
    """Yield what is to be known about the Crawl-delay and Request-rate for `agent`; nothing where there are none."""
    nothing = "a robot with a group of its own inherits nothing from the one for *."
    if (delay := file.delay(agent)) is not None:
        yield PaceAsked(f"Crawl-delay: {plain(delay)} for {agent} has three readings:", delay_meanings(delay))
    elif (others := file.delay(EVERYBODY)) is not None:
        yield PaceAsked(f"Crawl-delay: {plain(others)} is not for {agent}: {nothing}", {})
    if (rate := file.request_rate(agent)) is not None:
        pages = f"{counted(rate.requests, 'page')} in {plain(rate.seconds)} s"
        evenly = f"evenly spaced, {plain(rate.seconds_per_request)} s from one visit to the next."
        yield PaceAsked(f"Request-rate for {agent}: at most {pages}, at any hour; {evenly}", {})
    elif file.request_rate(EVERYBODY) is not None:
        yield PaceAsked(f"Request-rate is not for {agent}: {nothing}", {})
