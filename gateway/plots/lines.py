"""How does one number follow another? Lines over a common pair of axes, told apart by colour and by dashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.plots.axis import Axis, axis_over, figure
from gateway.plots.svg import CHARACTER, COLOURS, LINE, WIDTH, Plot, drawing, element, fitting, nothing_to_draw, text
from urls.wording import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

HEIGHT = 150  # units between the axis and the top of the lines
TOP = 22  # where the unit of the upright axis stands
GAP = 6
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
    """Return a line for each name through its (x, y), in the order given.

    `x` and `y` are the words and units at the axes, `marks` upright lines with a name. `nothing` says why there are
    no points. Raises ValueError for what is no finite number.
    """
    drawn = {name: points for name, points in lines.items() if points}
    if not drawn:
        return nothing_to_draw(title, nothing or "There is nothing to draw: no numbers yet.")
    upright = axis_over((point[1] for points in drawn.values() for point in points), from_zero=True)
    level = axis_over([*(point[0] for points in drawn.values() for point in points), *(marks or {}).values()])
    left = max(len(figure(tick)) for tick in upright.ticks) * CHARACTER + GAP
    right = WIDTH - 3 * CHARACTER

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return left + level.share(point[0]) * (right - left), TOP + (1 - upright.share(point[1])) * HEIGHT

    parts = [*_axes(level, upright, left, right), text(fitting(y, WIDTH), 0, 12, "start", "unit")]
    parts.append(text(fitting(x, right - left), right, TOP + HEIGHT + 2 * LINE, "end", "unit"))
    for name, value in (marks or {}).items():
        parts += _mark(name, place((value, 0.0))[0], [place(point) for points in drawn.values() for point in points])
    for number, points in enumerate(drawn.values()):
        parts += _line(number, [place(point) for point in points])
    bottom = TOP + HEIGHT + 2 * LINE + GAP
    if len(drawn) > 1:
        for number, name in enumerate(drawn):
            height = bottom + number * LINE + LINE / 2
            parts.append(element("line", x1=left, x2=left + SAMPLE, y1=height, y2=height, class_=_kind(number)))
            words = fitting(name, WIDTH - left - SAMPLE - GAP)
            parts.append(text(words, left + SAMPLE + GAP, height + 4))
        bottom += len(drawn) * LINE
    picture = drawing(title, _in_words(drawn, y), bottom, *parts)
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
        x, told = left + level.share(tick) * (right - left), figure(tick)
        half = len(told) * CHARACTER / 2
        if x - half >= taken and x + half <= WIDTH:
            parts.append(element("line", x1=x, x2=x, y1=TOP + HEIGHT, y2=TOP + HEIGHT + 3, class_="grid"))
            parts.append(text(told, x, TOP + HEIGHT + LINE, "middle", "tick"))
            taken = x + half + GAP
    return parts


def _mark(name: str, across: float, places: list[tuple[float, float]]) -> list[Markup]:
    """Return an upright line with its name beside it: at the top, or at the bottom where a line runs at the top."""
    before = across > WIDTH / 2
    words = fitting(name, (across if before else WIDTH - across) - 4)
    width = len(words) * CHARACTER + 4
    low, high = (across - width, across) if before else (across, across + width)
    at_top = any(low <= x <= high and y < TOP + LINE for x, y in places)
    told = text(
        words,
        across + (-4 if before else 4),
        TOP + (HEIGHT - 4 if at_top else 12),
        "end" if before else "start",
        "unit",
    )
    return [element("line", x1=across, x2=across, y1=TOP, y2=TOP + HEIGHT, class_="mark"), told]


def _line(number: int, places: list[tuple[float, float]]) -> list[Markup]:
    if len(places) == 1:  # a line of one point would not be seen
        [(x, y)] = places
        return [element("circle", cx=x, cy=y, r=3, class_=_kind(number))]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return [element("polyline", points=points, class_=_kind(number))]


def _kind(number: int) -> str:
    return f"line line-{number % COLOURS}"


def _in_words(lines: Mapping[str, Sequence[tuple[float, float]]], y: str) -> str:
    said = []
    for name, points in lines.items():
        values = [value for _, value in points]
        said.append(f"{name}: from {plain(values[0], 4)} to {plain(values[-1], 4)}, at most {plain(max(values), 4)}")
    return f"{y}. {'; '.join(said)}."
