"""Which other libraries can use our index? An extension adds one: its classes open the index, and its formulas rank it.

`indexer.open_whoosh` opens the index with the classes of Whoosh. `/inside/ranking` shows a column for each formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from indexer.query.deadline import Deadline
    from indexer.retrieval.corpus import Visibility


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A result of a library; `saved` is its rank in our list, None: not among the results that were compared."""

    url: str
    title: str
    place: int
    score: float
    saved: int | None


@dataclass(frozen=True, slots=True)
class FormulaColumn:
    """The top ten by one formula; `ndcg` is None for a query without judgements."""

    formula: str
    pages: tuple[RankedPage, ...]
    ndcg: float | None


@dataclass(frozen=True, slots=True)
class FormulaColumns:
    """The columns of a query, and how the library parses it. `missing` says why columns are missing, in a sentence."""

    columns: tuple[FormulaColumn, ...] = ()
    reading: str = ""
    missing: str = ""


class ComparedQuery(NamedTuple):
    """A query; the URLs of our own list, the best first; the grades of a judged query; and the time for the columns."""

    text: str
    ours: Sequence[str]
    grades: Mapping[str, int] | None
    deadline: Deadline


@dataclass(frozen=True, slots=True)
class IndexLibrary:
    """A library with its own classes for an index.

    `key` names it in JSON. `open` returns the index of a data folder, without the pages that a visibility hides.
    `rank` returns the columns of a query over that index. `differences` is a sentence about its ranking. Both
    raise IndexFault if the index cannot be read.
    """

    key: str
    name: str
    open: Callable[[Path, Visibility | None], Any]
    rank: Callable[[Any, ComparedQuery], FormulaColumns]
    differences: str
