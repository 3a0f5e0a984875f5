"""How do numbers become a picture? Inline SVG made of numbers alone, next to a table of the same numbers.

    plot = line_plot({"pages": [(0, 1), (1, 4)]}, title="Pace", x="minutes", y="pages a minute")
    {{ plot_with_table(plot) }}            in a template, after {% from "inside/plot.html" import plot_with_table %}

A plot has no style of its own: `static/inside.css` gives its classes their colours, light and dark. Text and attributes
are escaped by markupsafe.

The box is WIDTH units wide, and a browser draws it as wide as the page allows. So each character has CHARACTER units,
which is what a phone needs; on wider screens the style makes letters smaller.

The numbers at an axis are round: 1, 2 or 5 times a power of ten, about five of them, the ends included (Paul Heckbert,
"Nice Numbers for Graph Labels", *Graphics Gems*, 1990).
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from urls.wording import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


WIDTH = 360  # units: a phone of 320 pixels shows a unit as .8 of them
CHARACTER = 7.6  # units, the widest character: 13 units high, as in `inside.css` on a phone
LINE = 16  # units from one line of text to the next
COLOURS = 6  # of lines in `inside.css`; a seventh line has the first one
# XML 1.0, 2.2: characters that no document may have, even escaped.
_NO_CHARACTERS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture, and its numbers as a table. Without numbers the picture is a sentence."""

    title: str
    picture: Markup
    head: tuple[str, ...] = ()
    rows: Sequence[Sequence[str | Markup]] = field(default=())


def empty_plot(title: str, sentence: str) -> Plot:
    """Return a plot without numbers, with a sentence that says why."""
    return Plot(title, element("p", sentence, class_="quiet"))


def drawing(title: str, description: str, height: float, *parts: Markup, role: str = "img") -> Markup:
    """Return the whole picture. `description` is for screen readers; a picture with links is a `group`."""
    names = (element("title", title), element("desc", description))
    box = f"0 0 {WIDTH} {height:g}"
    return element("svg", *names, *parts, viewBox=box, role=role, class_="plot", focusable="false")


def element(tag: str, *content: str, **attributes: object) -> Markup:
    """Return an element. In attribute names, a final _ avoids Python's keywords, and _ stands for -."""
    inside = Markup("").join(escape(permitted(piece)) for piece in content)
    attributes_text = Markup("").join(
        Markup(' {}="{}"').format(_attribute(name), permitted(_figure(value))) for name, value in attributes.items()
    )
    return Markup("<{0}{1}>{2}</{0}>").format(tag, attributes_text, inside)


def permitted(text: str) -> str:
    """Return a text without the characters that XML forbids; markup stays markup."""
    return text if isinstance(text, Markup) else _NO_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text)


def text(words: str, x: float, y: float, anchor: str = "start", kind: str = "label") -> Markup:
    """Return a text at a position; `anchor` is start, middle or end."""
    return element("text", words, x=x, y=y, text_anchor=anchor, class_=kind)


def shortened_label(words: str, units: float) -> str:
    """Return a text cut to the room for it."""
    room = max(int(units / CHARACTER + 0.01), 1)  # in floating point, 3 * 7.6 is a little less than 22.8
    return words if len(words) <= room else words[: room - 1] + "…"


def name_link(name: str, href: str) -> str | Markup:
    """Return a name, as a link if it has one."""
    return Markup('<a href="{}">{}</a>').format(href, permitted(name)) if href else permitted(name)


def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _figure(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


STEPS = 4  # about, between the ends
MAX_TICKS = 12
LEAST_STEP = 1e-300  # smaller steps are beyond the precision of a float
_NICE = (1, 2, 5, 10)
_UNITS = ((1e9, "G"), (1e6, "M"), (1e4, "k"))  # 10,000 is 10k, 9,000 is 9,000
_LETTER = {"G": 1e9, "M": 1e6, "k": 1e3}
_PLAIN = (1e-4, 1e15)  # smaller and larger numbers have an exponent


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale between two round numbers."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """Return the position of a value: 0 at the low end, 1 at the high end."""
        width = self.high / 2 - self.low / 2  # halves: the difference of two floats may overflow
        return min(max((value / 2 - self.low / 2) / width, 0.0), 1.0) if width > 0 else 0.0


def axis_for(values: Iterable[float], *, from_zero: bool = False) -> Axis:
    """Return a scale for all values. Raises ValueError for a number that is not finite."""
    found = list(values)
    if odd := [value for value in found if not math.isfinite(value)]:
        raise ValueError(f"{odd[0]} can't be drawn: a plot needs finite numbers")
    low, high = min(found, default=0.0), max(found, default=0.0)
    if from_zero or low == high:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        high = 1.0
    step = _step(high / STEPS - low / STEPS)
    if all(value == int(value) for value in found):
        step = max(step, 1.0)  # there is no half page
    first, last = math.floor(low / step), math.ceil(high / step)
    ends = sys.float_info.max
    ticks = [min(max(number * step, -ends), ends) for number in range(first, min(last, first + MAX_TICKS) + 1)]
    return Axis(min(low, ticks[0]), max(high, ticks[-1]), tuple(ticks))


def _step(width: float) -> float:
    power = 10.0 ** math.floor(math.log10(max(width, LEAST_STEP)))
    return max(next(nice * power for nice in _NICE if nice * power >= width * (1 - 1e-9)), LEAST_STEP)


def figure(value: float) -> str:
    """Return a number in few characters: 2,500, 25k, 1.5M, 0.25, 2e+20."""
    size = abs(value)
    if size and not _PLAIN[0] <= size < _PLAIN[1]:
        return f"{value:.3g}"
    for least, letter in _UNITS:
        if size >= least:
            return f"{value / _LETTER[letter]:.4g}{letter}"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3g}"


ROW = 20  # units from one bar to the next
LINKED_ROW = 31  # of bars with links: 24 px on a phone, the size of a finger (WCAG 2.2, 2.5.8)
NAME_SHARE = 0.42  # of the width, at most, for the names
GAP = 6
MAX_BARS = 50  # in the picture; the table has all


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
    """Return a bar for each (name, number), in this order; negative numbers go to the left.

    `name` and `unit` are the table heads, and `one` is the singular of the unit. `nothing` is the sentence without
    bars. `links` has a link for each name. Raises ValueError for a number that is not finite.
    """
    links = links or {}
    if not bars:
        return empty_plot(title, nothing or "No numbers yet.")
    drawn = bars[:MAX_BARS]
    axis = axis_for((number for _, number in drawn), from_zero=True)
    left = min(max(len(each) for each, _ in drawn) * CHARACTER, WIDTH * NAME_SHARE) + GAP
    beside = max(len(figure(number)) for _, number in drawn) * CHARACTER + GAP  # the number at the end of a bar
    room = WIDTH - left - beside

    def across(value: float) -> float:
        return left + axis.share(value) * room

    parts: list[Markup] = []
    row = LINKED_ROW if links else ROW
    bottom = len(drawn) * row
    taken = 0.0
    for tick in axis.ticks:
        x, label = across(tick), figure(tick)
        parts.append(element("line", x1=x, x2=x, y1=0, y2=bottom, class_="grid"))
        if x - len(label) * CHARACTER / 2 >= taken:
            parts.append(text(label, x, bottom + LINE - 2, "middle", "tick"))
            taken = x + len(label) * CHARACTER / 2 + GAP
    zero = across(0)
    for place, (each, number) in enumerate(drawn):
        y, end = place * row + (row - ROW) / 2, across(number)
        shape = element("rect", x=min(zero, end), y=y + 4, width=abs(end - zero), height=ROW - 8, rx=2)
        words = text(shortened_label(each, left - GAP), left - GAP, y + 14, "end")
        value = text(figure(number), max(zero, end) + 4, y + 14, "start", "value")
        whole = element("title", f"{each}: {_amount(number, one or unit, unit)}")
        if href := links.get(each):
            target = element("rect", x=0, y=place * row, width=WIDTH, height=row, class_="target")
            parts.append(element("a", whole, target, shape, words, value, class_="bar", href=href))
        else:
            parts.append(element("g", whole, shape, words, value, class_="bar"))
    parts.append(text(shortened_label(unit, WIDTH - left), left, bottom + 2 * LINE, "start", "unit"))
    most = max(bars, key=lambda bar: bar[1])
    cut = f" The picture has the first {MAX_BARS} of {len(bars):,}; the table has all." if len(bars) > MAX_BARS else ""
    description = f"{len(bars)} bars; the longest is {most[0]} with {plain(most[1])} {unit}.{cut}"
    picture = drawing(title, description, bottom + 2 * LINE + GAP, *parts, role="group" if links else "img")
    rows = [(name_link(each, links.get(each, "")), plain(number)) for each, number in bars]
    return Plot(title, picture, (name, unit), rows)


def _amount(number: float, one: str, unit: str) -> str:
    return counted(int(number), one, unit) if number == int(number) else f"{plain(number)} {unit}"


HEIGHT = 150  # units from the axis to the top
TOP = 22  # units for the label of the vertical axis
SAMPLE = 24  # units of a line in the legend


def line_plot(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str,
    x: str,
    y: str,
    marks: Mapping[str, float] | None = None,
    nothing: str = "",
) -> Plot:
    """Return a line for each name through its (x, y) points.

    `x` and `y` are the labels of the axes, and `marks` are vertical lines with a name. `nothing` is the sentence
    without points. Raises ValueError for a number that is not finite.
    """
    drawn = {name: points for name, points in lines.items() if points}
    if not drawn:
        return empty_plot(title, nothing or "No numbers yet.")
    upright = axis_for((point[1] for points in drawn.values() for point in points), from_zero=True)
    level = axis_for([*(point[0] for points in drawn.values() for point in points), *(marks or {}).values()])
    left = max(len(figure(tick)) for tick in upright.ticks) * CHARACTER + GAP
    right = WIDTH - 3 * CHARACTER

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return left + level.share(point[0]) * (right - left), TOP + (1 - upright.share(point[1])) * HEIGHT

    parts = [*_axes(level, upright, left, right), text(shortened_label(y, WIDTH), 0, 12, "start", "unit")]
    parts.append(text(shortened_label(x, right - left), right, TOP + HEIGHT + 2 * LINE, "end", "unit"))
    for name, value in (marks or {}).items():
        parts += _mark(name, place((value, 0.0))[0], [place(point) for points in drawn.values() for point in points])
    for number, points in enumerate(drawn.values()):
        parts += _line(number, [place(point) for point in points])
    bottom = TOP + HEIGHT + 2 * LINE + GAP
    if len(drawn) > 1:
        for number, name in enumerate(drawn):
            height = bottom + number * LINE + LINE / 2
            parts.append(element("line", x1=left, x2=left + SAMPLE, y1=height, y2=height, class_=_kind(number)))
            words = shortened_label(name, WIDTH - left - SAMPLE - GAP)
            parts.append(text(words, left + SAMPLE + GAP, height + 4))
        bottom += len(drawn) * LINE
    picture = drawing(title, _description(drawn, y), bottom, *parts)
    rows = [(name, plain(point[0]), plain(point[1])) for name, points in drawn.items() for point in points]
    if len(drawn) == 1:
        return Plot(title, picture, (x, y), [row[1:] for row in rows])
    return Plot(title, picture, ("line", x, y), rows)


def _axes(level: Axis, upright: Axis, left: float, right: float) -> list[Markup]:
    parts: list[Markup] = []
    for tick in upright.ticks:
        y = TOP + (1 - upright.share(tick)) * HEIGHT
        parts.append(element("line", x1=left, x2=right, y1=y, y2=y, class_="grid"))
        parts.append(text(figure(tick), left - 4, y + 4, "end", "tick"))
    taken = 0.0
    for tick in level.ticks:
        x, label = left + level.share(tick) * (right - left), figure(tick)
        half = len(label) * CHARACTER / 2
        if x - half >= taken and x + half <= WIDTH:
            parts.append(element("line", x1=x, x2=x, y1=TOP + HEIGHT, y2=TOP + HEIGHT + 3, class_="grid"))
            parts.append(text(label, x, TOP + HEIGHT + LINE, "middle", "tick"))
            taken = x + half + GAP
    return parts


def _mark(name: str, across: float, places: list[tuple[float, float]]) -> list[Markup]:
    """Return a vertical line with its name at the top, or at the bottom where a line is at the top."""
    before = across > WIDTH / 2
    words = shortened_label(name, (across if before else WIDTH - across) - 4)
    width = len(words) * CHARACTER + 4
    low, high = (across - width, across) if before else (across, across + width)
    at_top = any(low <= x <= high and y < TOP + LINE for x, y in places)
    label = text(
        words,
        across + (-4 if before else 4),
        TOP + (HEIGHT - 4 if at_top else 12),
        "end" if before else "start",
        "unit",
    )
    return [element("line", x1=across, x2=across, y1=TOP, y2=TOP + HEIGHT, class_="mark"), label]


def _line(number: int, places: list[tuple[float, float]]) -> list[Markup]:
    if len(places) == 1:  # a line with one point is invisible
        [(x, y)] = places
        return [element("circle", cx=x, cy=y, r=3, class_=_kind(number))]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return [element("polyline", points=points, class_=_kind(number))]


def _kind(number: int) -> str:
    return f"line line-{number % COLOURS}"


def _description(lines: Mapping[str, Sequence[tuple[float, float]]], y: str) -> str:
    parts = []
    for name, points in lines.items():
        values = [value for _, value in points]
        parts.append(f"{name}: from {plain(values[0], 4)} to {plain(values[-1], 4)}, at most {plain(max(values), 4)}")
    return f"{y}. {'; '.join(parts)}."
