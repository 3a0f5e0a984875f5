"""How do the four readings judge? The verdicts of one, or of all side by side with the choice on which they part."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from commands.terminal.columns import columns, hanging, wrapped
from commands.terminal.ink import Ink, printable
from robots import Dialect, Parting, Verdict, parse, parting, parting_on_denial
from robots.dialect import CHOICES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commands.robots_txt.source import Source

OURS = Dialect.RFC9309  # the reading by which a crawl decides
INDENT = 12  # columns for the word "disallowed"
NAME = 9  # columns for the name of a reading
DENIALS = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


@dataclass(frozen=True, slots=True)
class Judged:
    """One URL and what each reading that was asked says about it."""

    url: str
    verdicts: Mapping[Dialect, Verdict]
    partings: Sequence[Parting]

    def as_dict(self) -> dict[str, object]:
        """Give the verdict by the first reading, and all of them where there are several."""
        first, *others = self.verdicts
        told: dict[str, object] = {"url": self.url} | asdict(self.verdicts[first])
        if others:
            told["readings"] = {dialect.value: asdict(verdict) for dialect, verdict in self.verdicts.items()}
            told["partings"] = [
                {
                    "dialect": parting.theirs.value,
                    "together": parting.together,
                    "differences": [asdict(difference) for difference in parting.differences],
                }
                for parting in self.partings
            ]
        return told


def judge(source: Source, agent: str, urls: Sequence[str], dialects: Sequence[Dialect]) -> list[Judged]:
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
    first, *others = hanging(_word(verdict), printable(f"{judged.url}  ({verdict.reason}{line})"), INDENT)
    yield _inked(first, verdict, pen)
    yield from others


def lines_of_all(judged: Judged, pen: Ink) -> Iterator[str]:
    """Yield the verdicts side by side, and on which rule they part."""
    yield pen.bold(printable(judged.url))
    for dialect, verdict in judged.verdicts.items():
        by = f"line {verdict.line}, {verdict.rule} " if verdict.line else ""
        name = f"  {dialect.value:<{NAME}}"
        label, text = name + _word(verdict), printable(f"{by}({verdict.reason})")
        first, *others = hanging(label, text, len(name) + INDENT)
        yield name + _inked(first.removeprefix(name), verdict, pen)
        yield from others
    for sentence in _told(judged.partings):
        yield from (f"  {line}" for line in wrapped(printable(sentence), columns() - 2))
    if not judged.partings:
        yield "  The four readings agree."


def _told(partings: Sequence[Parting]) -> Iterator[str]:
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


def _parting(source: Source, agent: str, url: str, dialect: Dialect) -> Parting | None:
    if source.availability.file is not None:
        return parting(source.body, agent, url, theirs=dialect)
    return parting_on_denial(theirs=dialect) if source.status in DENIALS else None
