"""What does a stylesheet in a file bring? The record in which its lease ends, and the name by which a page knows it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urls.records import CanonicalUrl


NO_SHEETS: Mapping[str, str] = MappingProxyType({})  # none is known


class NamedSheet(NamedTuple):
    """A stylesheet of its own site that a page names; `is_read`: the page was read with it."""

    url: CanonicalUrl
    is_read: bool


@dataclass(frozen=True, slots=True)
class Stylesheet:
    """A fetched stylesheet after its parse: the fourth way in which a lease can end."""

    url: CanonicalUrl
    css: str | None  # the rules that say how text shows; None: it can't be used
    reason: str = ""  # why not, a clause
    imports: tuple[CanonicalUrl, ...] = ()  # the sheets that it imports
    fetched_at: float = 0.0
    status: int = 200
    etag: str = ""
    last_modified: str = ""
    seconds: float = 0.0  # how long the fetch took
    size: int = 0  # bytes as they came
