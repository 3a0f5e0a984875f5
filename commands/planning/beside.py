"""Was the plan right? Plan and actual, a line each figure, in one form for `report` and for the end of a crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commands.planning.letter import durations, sizes, whole
from commands.terminal.amounts import counted, duration, size
from crawldb.planning.growth import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FIGURES: dict[str, tuple[Callable[[Span], str], Callable[[Any], str]]] = {
    "pages": (whole, "{:,}".format),
    "requests": (whole, "{:,}".format),
    "bytes": (sizes, size),
    "disk": (sizes, size),
    "memory": (sizes, size),
    "seconds": (durations, duration),
}


def rows(plan: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Give for each figure its name, what was planned, and what it is; `plan` is that of `crawldb.report`."""
    for name, (planned, measured) in FIGURES.items():
        yield name, planned(Span(**plan["estimate"][name])), measured(plan["actual"][name])


def sentence(plan: Mapping[str, Any]) -> str:
    """Return the line for the end of a crawl."""
    shown = {
        name: (planned, actual) for name, planned, actual in rows(plan) if name in {"pages", "requests", "seconds"}
    }
    pages, requests, seconds = (shown[name] for name in ("pages", "requests", "seconds"))
    it = "it was" if plan["actual"]["over"] else "so far it is"
    return (
        f"Plan:  {pages[0]} pages, {requests[0]} requests in {seconds[0]}; {it} "
        f"{counted(plan['actual']['pages'], 'page')}, {counted(plan['actual']['requests'], 'request')} in {seconds[1]}."
    )
