"""Is every plot whole? Well-formed, inside its box, with round numbers at its axes, and next to the same numbers."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from gateway.plots import CHARACTER, MAX_BARS, Plot, axis_for, bar_plot, figure, line_plot

FINITE = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.text(max_size=40)
POINTS = st.lists(st.tuples(FINITE, FINITE), max_size=6)
SLACK = 0.11  # coordinates are written with one place


def drawn(plot: Plot) -> ET.Element:
    """The picture, of which every part has been found inside its box."""
    picture = ET.fromstring(plot.picture)
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    for part in picture.iter():
        at = part.attrib
        rights = [float(at[name]) for name in ("x", "x1", "x2", "cx") if name in at]
        downs = [float(at[name]) for name in ("y", "y1", "y2", "cy") if name in at]
        if part.tag == "rect":
            rights.append(rights[0] + float(at["width"]))
            downs.append(downs[0] + float(at["height"]))
        if part.tag == "polyline":
            pairs = [pair.split(",") for pair in at["points"].split()]
            rights, downs = [float(x) for x, _ in pairs], [float(y) for _, y in pairs]
        if part.tag == "text":
            wide = len(part.text or "") * CHARACTER
            begins = rights[0] - {"start": 0.0, "middle": wide / 2, "end": wide}[at["text-anchor"]]
            if at["class"] != "number":  # which stands in its circle
                rights += [begins, begins + wide]
        for values, end in ((rights, width), (downs, height)):
            assert all(-SLACK <= value <= end + SLACK for value in values), ET.tostring(part)
    assert picture.attrib["role"] == "img"
    assert [part.tag for part in picture[:2]] == ["title", "desc"]
    return picture


def words(picture: ET.Element, kind: str) -> list[str]:
    return [part.text or "" for part in picture.iter("text") if part.attrib["class"] == kind]


@given(st.lists(st.tuples(NAMES, FINITE), min_size=1, max_size=8))
def test_any_bars_are_drawn_inside_their_box(bars: list[tuple[str, float]]) -> None:
    plot = bar_plot(bars, title="Some", name="each", unit="pages")
    picture = drawn(plot)
    assert len(list(picture.iter("rect"))) == len(plot.rows) == len(bars)


@given(st.dictionaries(NAMES, POINTS, max_size=8), st.lists(FINITE, max_size=2))
def test_any_lines_are_drawn_inside_their_box(lines: dict[str, list[tuple[float, float]]], marks: list[float]) -> None:
    named = {f"here {number}": value for number, value in enumerate(marks)}
    plot = line_plot(lines, title="Some", x="minutes", y="pages", marks=named)
    points = sum(len(line) for line in lines.values())
    assert len(plot.rows) == points
    if points:
        drawn(plot)
    else:
        assert "No numbers yet" in plot.picture


@given(st.lists(FINITE, max_size=6))
def test_an_axis_holds_its_values_between_ticks_that_rise(values: list[float]) -> None:
    axis = axis_for(values)
    assert all(axis.low <= value <= axis.high for value in values)
    assert list(axis.ticks) == sorted(axis.ticks)
    assert 2 <= len(axis.ticks) <= 13
    assert all(0 <= axis.share(value) <= 1 for value in values)
    assert all(len(figure(tick)) <= 10 for tick in axis.ticks)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([0, 97], ["0", "50", "100"]),
        ([3, 4], ["3", "4"]),
        ([0, 0.9], ["0", "0.5", "1"]),
        ([0, 1_300_000], ["0", "500k", "1M", "1.5M"]),
        ([-4, 12], ["-5", "0", "5", "10", "15"]),
        ([5, 5], ["0", "2", "4", "6"]),
        ([], ["0", "1"]),
    ],
)
def test_ticks_are_round_numbers(values: list[float], told: list[str]) -> None:
    assert [figure(tick) for tick in axis_for(values).ticks] == told


@pytest.mark.parametrize("letters", range(1, 20))
def test_a_name_for_which_there_is_room_is_whole(letters: int) -> None:
    picture = drawn(bar_plot([("x" * letters, 1)], title="Some", name="each", unit="pages"))
    assert words(picture, "label") == ["x" * letters]


def test_longer_numbers_are_longer_bars_from_a_common_zero() -> None:
    picture = drawn(bar_plot([("a", 1), ("b", 2), ("c", -2)], title="Some", name="each", unit="pages"))
    one, two, less = [(float(bar.attrib["x"]), float(bar.attrib["width"])) for bar in picture.iter("rect")]
    assert two[1] == pytest.approx(2 * one[1], abs=SLACK)
    assert less[0] + less[1] == pytest.approx(one[0], abs=SLACK)


def test_higher_numbers_stand_higher_and_later_ones_to_the_right() -> None:
    picture = drawn(line_plot({"a": [(0, 1), (10, 4)]}, title="Some", x="minutes", y="pages"))
    [line] = picture.iter("polyline")
    (x1, y1), (x2, y2) = (map(float, pair.split(",")) for pair in line.attrib["points"].split())
    assert x1 < x2
    assert y1 > y2
    assert {"minutes", "pages"} <= set(words(picture, "unit"))


def test_one_has_its_noun_in_the_right_number() -> None:
    picture = drawn(bar_plot([("a", 1), ("b", 2)], title="Some", name="each", unit="pages", one="page"))
    assert [each.text for each in picture.iter("title")][-2:] == ["a: 1 page", "b: 2 pages"]


def test_a_bar_leads_on_and_has_room_for_a_finger() -> None:
    plot = bar_plot([("a", 1), ("b", 2)], title="Some", name="each", unit="pages", links={"a": "/search?q=<"})
    picture = ET.fromstring(plot.picture)
    [link] = picture.iter("a")
    assert (link.attrib["href"], picture.attrib["role"]) == ("/search?q=<", "group"), "an img has no links for a reader"
    target = next(link.iter("rect"))
    assert float(target.attrib["height"]) * 288 / 360 >= 24, "px, where a phone of 320 has 288 for a plot"
    assert [str(row[0]) for row in plot.rows] == ['<a href="/search?q=&lt;">a</a>', "b"]


@pytest.mark.parametrize(("height", "there"), [(1.0, "bottom"), (0.5, "top")])
def test_the_name_of_a_mark_stands_where_no_line_runs(height: float, there: str) -> None:
    curve = [(0.0, 0.0), *((step / 10, height) for step in range(4, 11)), (1.1, 1.0)]
    plot = line_plot({"curve": curve}, title="Some", x="x", y="y", marks={"here": 0.8})
    [label] = [each for each in ET.fromstring(plot.picture).iter("text") if each.text == "here"]
    assert (float(label.attrib["y"]) > 100) is (there == "bottom")


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_is_refused(odd: float) -> None:
    with pytest.raises(ValueError, match="finite numbers"):
        bar_plot([("a", odd)], title="Some", name="each", unit="pages")
    with pytest.raises(ValueError, match="finite numbers"):
        line_plot({"a": [(0, odd)]}, title="Some", x="minutes", y="pages")


def test_without_numbers_there_is_a_sentence() -> None:
    assert bar_plot([], title="Some", name="each", unit="pages", nothing="No page yet.").picture == Markup(
        '<p class="quiet">No page yet.</p>'
    )


def test_more_bars_than_a_picture_has_room_for_are_told_and_in_the_table() -> None:
    plot = bar_plot([(str(n), n) for n in range(MAX_BARS + 5)], title="Some", name="each", unit="pages")
    assert len(list(drawn(plot).iter("rect"))) == MAX_BARS
    assert f"The picture has the first {MAX_BARS} of 55; the table has all." in plot.picture
    assert len(plot.rows) == MAX_BARS + 5


def test_names_are_text_whatever_they_hold() -> None:
    evil = "<script>alert(1)</script>\"'&\x00\ud800"
    plot = bar_plot([(evil, 1)], title=evil, name=evil, unit=evil)
    assert "<script" not in plot.picture
    assert "&lt;script&gt;" in plot.picture
