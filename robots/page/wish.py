"""Who asked for it? One directive for us, with the header line or the meta in which it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from robots.dialect import Naming
from robots.page.directives import directives_for
from robots.rules.group import our_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

X_ROBOTS_TAG: Final = "x-robots-tag"  # the header, in lower case
ALL_ROBOTS: Final = "robots"  # the name in a meta that is for everybody
MAX_WISHES: Final = 100  # that are kept with a page; all count, and honest pages have under ten
_MAX_SHOWN: Final = 80  # characters of a header line
_LINE: Final = "X-Robots-Tag: "


class Wish(NamedTuple):
    """A directive in lower case, its value where it has one, and what it stands in, as a person would find it."""

    directive: str
    value: str
    source: str

    @property
    def of_header(self) -> bool:
        """Whether the server sent it, rather than the page."""
        return self.source.startswith(_LINE)

    def __str__(self) -> str:
        return f"{self.directive}{f': {self.value}' if self.value else ''}, from {self.source}"


def wishes_from(
    headers: Sequence[tuple[str, str]], metas: Sequence[tuple[str, str]] = (), *, agent: str
) -> tuple[Wish, ...]:
    """Return what `headers` and `metas`, which are pairs of name and content, ask of `agent`, each wish once."""
    ours = our_name(agent, Naming.TOKEN).decode("ascii")
    return tuple(dict.fromkeys((*_of_headers(headers, ours), *_of_metas(metas, ours))))


def _of_headers(headers: Sequence[tuple[str, str]], ours: str) -> Iterator[Wish]:
    for name, line in headers:
        if name.lower() == X_ROBOTS_TAG:
            source = _LINE + (line if len(line) <= _MAX_SHOWN else f"{line[: _MAX_SHOWN - 1]}…")
            yield from (Wish(*directive, source) for directive in directives_for(line, ours, scoped=True))


def _of_metas(metas: Sequence[tuple[str, str]], ours: str) -> Iterator[Wish]:
    for name, content in metas:
        called = name.strip().lower()
        if called in {ALL_ROBOTS, ours} - {""}:
            source = f'<meta name="{called}">'
            yield from (Wish(*directive, source) for directive in directives_for(content, ours, scoped=False))
