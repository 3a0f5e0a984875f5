"""Is a robot's bias what Sun and others define, and is each rule's path one that it matches?"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extensions.robots_files.study.one_file import (
    MAX_ROBOTS,
    UNIVERSAL,
    named_paths,
    named_robots,
    robots_in,
    shortest_path,
)
from robots import parse
from robots.file import ITSELF

BAKERY = b"""\
User-agent: *
Disallow: /kitchen/
Disallow: /*.pdf$

User-agent: Favourite
Disallow: /kitchen/

User-agent: Outcast
User-agent: outcast/2.0
Crawl-delay: 5
Disallow: /

User-agent: Narrow
Disallow: /kitchen/
Disallow: /*.pdf$
Disallow: /office/

User-agent: same
Disallow: /*.pdf$
Disallow: /kitchen/
"""


def test_places_are_the_first_page_and_the_shortest_path_of_each_rule() -> None:
    assert named_paths(parse(BAKERY)) == ["/", "/kitchen/", "/.pdf", "/office/"]


@pytest.mark.parametrize(
    ("name", "places", "bias", "shut_out"),
    [
        (UNIVERSAL, 2, 0, False),  # / and /office/
        ("favourite", 3, 1, False),  # and /.pdf
        ("outcast", 0, -2, True),
        ("narrow", 1, -1, False),
        ("same", 2, 0, False),
    ],
)
def test_bias_is_how_many_places_more_than_any_other_robot(name: str, places: int, bias: int, shut_out: bool) -> None:
    [robot] = [each for each in robots_in(parse(BAKERY)) if each.name == name]
    assert (robot.places, robot.bias, robot.is_shut_out) == (places, bias, shut_out)


def test_names_are_product_tokens_as_rfc_9309_matches_them() -> None:
    file = parse(BAKERY + b"User-agent: OUTCAST\nAllow: /\nUser-agent:\nUser-agent: *\nAllow: /a\n")
    assert list(named_robots(file)) == ["favourite", "outcast", "narrow", "same"]
    outcast = next(robot for robot in robots_in(file) if robot.name == "outcast")
    assert outcast.places == len(named_paths(file)), "its groups are one, and the longest rule, of both an Allow, wins"
    assert outcast.delay == 5


def test_without_a_group_for_everybody_nobody_is_favoured() -> None:
    universal, favourite = robots_in(parse(b"User-agent: a\nDisallow: /x\nAllow: /x/y\n"))
    assert (universal.places, favourite.places, favourite.bias) == (3, 2, -1)


def test_a_hostile_file_ends_the_comparison_and_not_the_study() -> None:
    lines = (b"User-agent: a%d\nDisallow: /%d\n" % (number, number) for number in range(2 * MAX_ROBOTS))
    universal, *named = robots_in(parse(b"".join(lines)))
    assert len(named) == MAX_ROBOTS
    assert named[0].compared
    assert not named[-1].compared
    assert not named[-1].is_shut_out, "of what was not compared nothing is said"
    assert universal.compared


VALUES = st.one_of(
    st.text("/ab*$%?2F:=.~é ", max_size=12).map(str.encode),
    st.binary(max_size=12),
).map(lambda value: value.translate(None, b"\r\n#\0").strip())


@given(VALUES)
@example(b"/robots.txt")
@example(b"/%72obots.txt$")
def test_a_rule_matches_its_shortest_path(value: bytes) -> None:
    path = shortest_path(value)
    verdict = parse(b"User-agent: *\nDisallow: " + value + b"\n").decide("Anybody", path or "/")
    if verdict == ITSELF:  # /robots.txt may always be fetched
        assert path.startswith("/")
    elif path:
        assert verdict.line == 2
        assert not verdict.allowed
    else:
        assert not value.startswith((b"/", b"*")), "no path begins so"
        assert verdict.allowed


@given(st.lists(st.sampled_from(BAKERY.splitlines()), max_size=30), st.binary(max_size=60))
def test_every_file_can_be_compared(lines: list[bytes], other: bytes) -> None:
    file = parse(b"\n".join(lines) + other)
    universal, *named = robots_in(file)
    assert universal.bias == 0
    for robot in named:
        assert 0 <= robot.places <= len(named_paths(file))
