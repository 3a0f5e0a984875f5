"""How much of each? A bar for each name, one below the other, so that names can be read on a phone.

A bar may lead to what it counts. Then it has the height that a finger needs: 24 px on a phone (WCAG 2.2, 2.5.8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.plots.axis import axis_over, figure
from gateway.plots.svg import CHARACTER, LINE, WIDTH, Plot, drawing, element, fitting, linked, nothing_to_draw, text
from urls.wording import counted, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

ROW = 20  # units from one bar to the next
LINKED_ROW = 31  # of bars that are links
NAME_SHARE = 0.42  # of the width, at most, for the names
GAP = 6
MAX_BARS = 50  # the picture has the first of them and says so; the table has all


def bar_plot(
    bars: Sequence[tuple[str, float]],
    *,
    title: str,
    name: str,
    unit: str,
    one: str = "",
    nothing: str = "",
    links: Mapping[str, str] | None = None,
) -> Plot:
    """Return a bar for each (name, number), in the order given; numbers below 0 go to the left.

    `name` and `unit` are the words for the two columns, and `one` is the unit of 1; `nothing` says why there are no
    bars, `links` where the bar of a name leads. Raises ValueError for what is no finite number.
    """
    links = links or {}
    if not bars:
        return nothing_to_draw(title, nothing or "There is nothing to draw: no numbers yet.")
    drawn = bars[:MAX_BARS]
    axis = axis_over((number for _, number in drawn), from_zero=True)
    left = min(max(len(each) for each, _ in drawn) * CHARACTER, WIDTH * NAME_SHARE) + GAP
    beside = max(len(figure(number)) for _, number in drawn) * CHARACTER + GAP  # the figure at the end of a bar
    room = WIDTH - left - beside

    def across(value: float) -> float:
        return left + axis.share(value) * room

    parts: list[Markup] = []
    row = LINKED_ROW if links else ROW
    bottom = len(drawn) * row
    taken = 0.0
    for tick in axis.ticks:
        x, told = across(tick), figure(tick)
        parts.append(element("line", x1=x, x2=x, y1=0, y2=bottom, class_="grid"))
        if x - len(told) * CHARACTER / 2 >= taken:
            parts.append(text(told, x, bottom + LINE - 2, "middle", "tick"))
            taken = x + len(told) * CHARACTER / 2 + GAP
    zero = across(0)
    for place, (each, number) in enumerate(drawn):
        y, end = place * row + (row - ROW) / 2, across(number)
        shape = element("rect", x=min(zero, end), y=y + 4, width=abs(end - zero), height=ROW - 8, rx=2)
        words = text(fitting(each, left - GAP), left - GAP, y + 14, "end")
        value = text(figure(number), max(zero, end) + 4, y + 14, "start", "value")
        whole = element("title", f"{each}: {_amount(number, one or unit, unit)}")
        if href := links.get(each):
            target = element("rect", x=0, y=place * row, width=WIDTH, height=row, class_="target")
            parts.append(element("a", whole, target, shape, words, value, class_="bar", href=href))
        else:
            parts.append(element("g", whole, shape, words, value, class_="bar"))
    parts.append(text(fitting(unit, WIDTH - left), left, bottom + 2 * LINE, "start", "unit"))
    most = max(bars, key=lambda bar: bar[1])
    cut = f" The first {MAX_BARS} of {len(bars):,} are drawn; the table has all." if len(bars) > MAX_BARS else ""
    says = f"{len(bars)} bars; the longest is {most[0]} with {plain(most[1])} {unit}.{cut}"
    picture = drawing(title, says, bottom + 2 * LINE + GAP, *parts, role="group" if links else "img")
    rows = [(linked(each, links.get(each, "")), plain(number)) for each, number in bars]
    return Plot(title, picture, (name, unit), rows)


def _amount(number: float, one: str, unit: str) -> str:
    return counted(int(number), one, unit) if number == int(number) else f"{plain(number)} {unit}"
