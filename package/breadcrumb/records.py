"""What comes back? Records of plain values, which no longer need the engine."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page that answers a query; `url` has its fragment."""

    url: str
    title: str
    snippet: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A result. `rank` counts from 1; `fetched_at` is in seconds since the epoch, None if it was never fetched."""

    rank: int
    url: str
    title: str
    snippet: str
    score: float
    language: str
    fetched_at: float | None
    sections: tuple[Section, ...]
    explanation: Mapping[str, Any]  # the parts of the score: `explain` of /api/search (docs/gateway.md)


@dataclass(frozen=True, slots=True)
class Results:
    """One page of results, the best first. `total` counts all results; `notice` says what was not searched, or ""."""

    query: str
    total: int
    hits: tuple[Hit, ...]
    notice: str

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    def to_frame(self) -> pd.DataFrame:
        """Return a frame of pandas with a row for each hit. Raises ImportError where pandas is not installed."""
        import pandas as pd  # noqa: PLC0415 - half a second, and a package that not everybody has

        return pd.DataFrame([asdict(hit) for hit in self.hits], columns=[field.name for field in fields(Hit)])


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything known about a URL. `record` is the object of `why --json`; `known`: the crawl has met the URL."""

    url: str
    known: bool
    answer: str
    record: Mapping[str, Any]
    _text: str

    def text(self) -> str:
        """Return what `breadcrumb why` prints."""
        return self._text


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a robots.txt on one URL, which counts as true where it is allowed.

    `line` counts from 1 and is 0 where no rule decided; `rule` is that line, or "".
    """

    allowed: bool
    line: int
    rule: str
    reason: str

    def __bool__(self) -> bool:
        return self.allowed

    def __str__(self) -> str:
        word = "allowed" if self.allowed else "disallowed"
        return f"{word} by line {self.line}" if self.line else f"{word}: {self.reason}"
