"""Where do the two parsers differ on one page? Field by field, with the values that only one of them has.

Neither is right by definition. Lexbor builds the tree that browsers build. libxml2, below BeautifulSoup, repairs broken
markup by its own rules. A difference means that the markup is broken: a title that is not closed, a link within a link,
words before the page begins.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pages import language
from pages.html_document import made_safe, read_html
from pages.tolerant_parser import parse_tolerantly
from urls.wording import enumerated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pages.html_document import HtmlDocument
    from pages.links import BaseUrl

SAMPLES = 5  # of what only one reader has
SAMPLE_CHARS = 80
FAST, TOLERANT = "Lexbor", "BeautifulSoup over lxml"


@dataclass(frozen=True, slots=True)
class FieldComparison:
    """One field: how many values both readers have, and how many only one has, with samples of these."""

    field: str
    both: int
    only_fast: int
    only_tolerant: int
    fast_samples: tuple[str, ...] = ()
    tolerant_samples: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether both readers have the same."""
        return not self.only_fast and not self.only_tolerant

    def __str__(self) -> str:
        clauses = [f"{self.field}: {self.both:,} in both"]
        for reader, count, samples in (
            (FAST, self.only_fast, self.fast_samples),
            (TOLERANT, self.only_tolerant, self.tolerant_samples),
        ):
            if count:
                shown = ", ".join(f"“{sample}”" for sample in samples)
                clauses.append(f"{count:,} only by {reader} ({shown}{', …' if count > len(samples) else ''})")
        return "; ".join(clauses)


@dataclass(frozen=True, slots=True)
class ParserComparison:
    """Both readings of one page; times are in seconds."""

    fast_seconds: float
    tolerant_seconds: float
    fields: tuple[FieldComparison, ...]

    def sentences(self) -> Iterator[str]:
        """Tell it for a person."""
        yield (
            f"Read twice: by {FAST} in {self.fast_seconds * 1000:.1f} ms, "
            f"by {TOLERANT} in {self.tolerant_seconds * 1000:.1f} ms."
        )
        same = [reading.field for reading in self.fields if reading.is_same]
        if same:
            yield f"Both have the same {enumerated(same)}."
        yield from (f"{reading}." for reading in self.fields if not reading.is_same)

    def as_dict(self) -> dict[str, Any]:
        """Return it for a program."""
        return asdict(self) | {"same": all(reading.is_same for reading in self.fields)}


def compare_parsers(markup: str, address: BaseUrl) -> ParserComparison:
    """Read markup with both; its `burden` was found bearable for the tolerant one."""
    begun = time.perf_counter()
    fast = read_html(made_safe(markup)[0], address)
    between = time.perf_counter()
    tolerant = parse_tolerantly(markup, address)
    ended = time.perf_counter()
    pairs = zip(_values(fast), _values(tolerant), strict=True)
    fields = tuple(_compared(field, ours, theirs) for (field, ours), (_, theirs) in pairs)
    return ParserComparison(between - begun, ended - between, fields)


def _values(document: HtmlDocument) -> Iterator[tuple[str, Iterable[str]]]:
    yield "title", filter(None, [document.title])
    yield "words", (word for line in document.lines.lines for word in line.split())
    yield "headings", document.headings
    yield "links", (anchor.href.strip() for anchor in document.anchors)
    yield "language", filter(None, [language.identify(document.text, declared=document.language)])
    yield "description", filter(None, [document.description])
    yield "canonical address", filter(None, [document.canonical])
    yield "refresh", [] if document.refresh is None else [f"{document.refresh[0]}; URL={document.refresh[1]}"]
    yield "named metas", (f"{name.lower()}: {' '.join(content.split())}" for name, content in document.metas)


def _compared(field: str, ours: Iterable[str], theirs: Iterable[str]) -> FieldComparison:
    fast, tolerant = Counter(ours), Counter(theirs)
    only_fast, only_tolerant = fast - tolerant, tolerant - fast
    return FieldComparison(
        field,
        both=(fast & tolerant).total(),
        only_fast=only_fast.total(),
        only_tolerant=only_tolerant.total(),
        fast_samples=_samples(only_fast),
        tolerant_samples=_samples(only_tolerant),
    )


def _samples(values: Counter[str]) -> tuple[str, ...]:
    return tuple(value[:SAMPLE_CHARS] for value in list(values)[:SAMPLES])
