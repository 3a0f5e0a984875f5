"""Does the index for long lists of rules give the answer of reading them one by one, in every dialect?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import robots
from robots import rule_index
from robots.dialect import CHOICES, Dialect
from robots.rule_index import index_of
from tests.robots.oracle import Rule, deciding, judged

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFORMANCE = Path(__file__).parents[1] / "conformance"
RFC9309 = CHOICES[Dialect.RFC9309]
WILD = st.builds("/{}*{}{}".format, st.text("a", max_size=1), st.text("ab*", max_size=4), st.sampled_from(["", "$"]))
VALUES = st.one_of(st.text("/ab*$", max_size=7), st.text("/a*%2Ffé\r", max_size=7), WILD).map(str.encode)
LINES = st.lists(st.tuples(st.booleans(), VALUES), max_size=40).map(
    lambda rules: [(number, allow, value.replace(b"\r", b"%0a")) for number, (allow, value) in enumerate(rules, 1)]
)
PATHS = st.text("/ab$*", max_size=9).map(lambda rest: f"/{rest}".encode())


@pytest.fixture(scope="module", autouse=True)
def _every_list_is_long() -> Iterator[None]:
    """Lists of a dozen rules take the ways that otherwise only thousands take."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rule_index, "FEW", 2)
        patch.setattr(rule_index, "MANY", 2)
        yield


@pytest.mark.parametrize("dialect", list(Dialect))
@given(lines=LINES, path=PATHS)
def test_the_index_agrees_with_reading_every_rule(
    dialect: Dialect, lines: list[tuple[int, bool, bytes]], path: bytes
) -> None:
    choices = CHOICES[dialect]
    index = index_of(lines, choices)
    rank = index.strongest(path)
    rule = deciding([Rule(*line) for line in lines], [path], choices)
    assert (Rule(*index.lines[rank]) if rank >= 0 else None) == rule
    assert index.strongest(path) == rank, "what has grown by the first question changes no answer"


SIGNS = st.lists(st.sampled_from([*"/?*:@=a[$", "%2F", "%3a", "%3F", "%40", "%3D", "%5B", "%"]), max_size=6).map(
    "".join
)


@pytest.mark.parametrize("dialect", list(Dialect))
@given(rules=st.lists(st.tuples(st.sampled_from(["Allow", "Disallow"]), SIGNS), max_size=6), path=SIGNS)
def test_the_signs_of_addresses_and_their_escapes_are_read_alike(
    dialect: Dialect, rules: list[tuple[str, str]], path: str
) -> None:
    body = "User-agent: *\n" + "".join(f"{field}: /{value}\n" for field, value in rules)
    verdict = robots.parse(body.encode(), dialect).decide("x", f"http://h.test/{path}")
    assert (verdict.allowed, verdict.line) == judged(body.encode(), CHOICES[dialect], "x", f"http://h.test/{path}")


def rows() -> list[Any]:
    files = [(CONFORMANCE / name).read_bytes() for name in ("rules.jsonl", "sources.jsonl")]
    return [json.loads(line) for file in files for line in file.splitlines()]  # text would be split at U+2028 too


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["id"])
def test_the_parser_agrees_with_the_plain_reading_of_every_case(row: dict[str, Any]) -> None:
    body = bytes.fromhex(row["robots_hex"]) if "robots_hex" in row else row["robots"].encode()
    for dialect, choices in CHOICES.items():
        verdict = robots.parse(body, dialect).decide(row["agent"], row["url"])
        assert (verdict.allowed, verdict.line) == judged(body, choices, row["agent"], row["url"]), dialect


def decided(values: list[str], path: str, *, allow: bool = False) -> bytes | None:
    index = index_of([(number, allow, value.encode()) for number, value in enumerate(values, 1)], RFC9309)
    rank = index.strongest(path.encode())
    return index.lines[rank][2] if rank >= 0 else None


@pytest.mark.parametrize(
    ("values", "path", "value"),
    [
        pytest.param(["/a*", "/a"], "/ab", b"/a*", id="a star at the end counts as an octet"),
        pytest.param(["/a**b", "/a*b"], "/axb", b"/a**b", id="each star counts"),
        pytest.param(["/*$", "/*"], "/x", b"/*$", id="an end sign counts"),
        pytest.param(["/a$", "/a"], "/a", b"/a$", id="a whole path"),
        pytest.param(["/a$", "/a"], "/ab", b"/a", id="a beginning where the whole is another"),
        pytest.param(["/*ab*b$", "/*a"], "/ab", b"/*a", id="two pieces cannot share an octet"),
        pytest.param(["/*b", "/*a*c", "/*a*b"], "/xaxb", b"/*a*b", id="rules that begin alike"),
        pytest.param(["/%2A*b", "/*b"], "/*xb", b"/%2A*b", id="2.2.3 an escaped star is a plain one"),
        pytest.param(["/a%24$", "/a%24"], "/a$b", b"/a%24", id="2.2.3 an escaped dollar is a plain one"),
        pytest.param(["/*ab*b$", "/*ab*c$"], "/ab", None, id="two pieces of rules that begin alike cannot share one"),
        pytest.param(["/*b", "/xxx", "/*xxxx"], "/xxxx", b"/*xxxx", id="a weaker and a stronger one that begin alike"),
        pytest.param(["/*a*b", "/xxxxx", "/*a*bbbb"], "/xxxxxabbbb", b"/*a*bbbb", id="and have a star more"),
        pytest.param(["$", "/b"], "/", None, id="an end sign alone is no path"),
        pytest.param([], "/", None, id="no rule at all"),
    ],
)
def test_the_rule_with_most_octets_decides(values: list[str], path: str, value: bytes | None) -> None:
    assert decided(values, path) == value
    assert decided(values[::-1], path) == value


def test_rules_of_one_pattern_are_looked_up_once() -> None:
    lines = [(number, number % 2 == 0, b"/x") for number in range(1, 2001)]
    index = index_of(lines, RFC9309)
    assert (len(index.plain), index.lengths) == (1, (2,))
    assert index.lines[index.strongest(b"/x")][0] == 2  # Allow on a tie, and the first of them


def test_many_rules_make_few_lengths_to_try() -> None:
    index = index_of([(number, False, b"/%d" % number) for number in range(30_000)], RFC9309)
    assert index.lengths == (2, 3, 4, 5, 6)


def test_a_pattern_with_more_stars_than_python_has_frames_is_followed() -> None:
    values = ["/" + "*a" * 5_000 + f"*{end}" for end in "bcd"]
    assert decided(values, "/" + "a" * 5_000 + "c") == values[1].encode()
    assert decided(values, "/" + "a" * 4_999 + "c") is None


def test_a_piece_longer_than_any_run_is_found() -> None:
    values = [f"/*{'x' * 30}{number:03}" for number in range(300)]
    assert decided(values, f"/{'x' * 40}217/y") == values[217].encode()
    assert decided(values, f"/{'x' * 40}300") is None
