"""Is each difference from Protego explained by a rule of RFC 9309, and does nothing else part the two?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

import robots
from bench.robots_txt.differences import RULES, explanation, verdict_differences
from bench.robots_txt.engines import Case

SITE = "https://h.example"
NAMES = st.sampled_from(["*", "crumb", "rye"])
PATHS = st.text("/ab*", max_size=6).map("/{}".format)
LINES = st.one_of(
    st.tuples(st.just("User-agent"), NAMES),
    st.tuples(st.sampled_from(["Allow", "Disallow"]), st.one_of(PATHS, PATHS.map("{}$".format))),
)


def verdicts(body: str, agent: str, path: str) -> tuple[bool, bool]:
    """Ours, and Protego's."""
    ours = robots.parse(body.encode()).decide(agent, SITE + path).allowed
    return ours, bool(Protego.parse(body).can_fetch(SITE + path, agent))


@pytest.mark.parametrize(
    ("body", "path", "ours", "theirs", "rule"),
    [
        pytest.param(
            f"User-agent: *\nDisallow: {SITE}/cellar/\n",
            f"/{SITE}/cellar/",
            True,
            False,
            "whole address",
            id="2.2 path-pattern begins with a slash: a whole address matches no path",
        ),
        pytest.param(
            "User-agent: crumb\nCrawl-delay: 5\nUser-agent: rye\nDisallow: /cellar\n",
            "/cellar",
            False,
            True,
            "other records",
            id="2.2.4 other records do not end a group",
        ),
        pytest.param(
            "User-agent: crumb\nRequest-rate: 1/5\nUser-agent: rye\nDisallow: /cellar\n",
            "/cellar",
            False,
            True,
            "other records",
            id="2.2.4 nor does a Request-rate",
        ),
    ],
)
def test_a_rule_explains_why_they_part(body: str, path: str, *, ours: bool, theirs: bool, rule: str) -> None:
    assert verdicts(body, "crumb", path) == (ours, theirs)
    assert explanation(body.encode(), "crumb", SITE + path) == rule


def test_each_rule_has_its_source() -> None:
    assert [rule.name for rule in RULES] == ["whole address", "other records"]
    assert all("RFC 9309" in rule.source for rule in RULES)


def test_what_no_rule_explains_is_told_as_such() -> None:
    body = "User-agent: *\nDisalow: /cellar\n"  # Protego forgives the slip
    assert verdicts(body, "crumb", "/cellar") == (True, False)
    assert explanation(body.encode(), "crumb", f"{SITE}/cellar") is None


def test_differences_are_told_with_their_file_and_question() -> None:
    case = Case("f1", f"User-agent: *\nDisallow: {SITE}/a\n".encode(), (f"{SITE}/{SITE}/a", f"{SITE}/"))
    (first, second) = verdict_differences([case], [True] * 4, [False, True, False, True])
    assert (first.file, first.agent, first.url, first.ours) == ("f1", "Breadcrumb", f"{SITE}/{SITE}/a", True)
    assert (second.agent, second.explained_by) == ("Googlebot", "whole address")


@given(st.lists(LINES, max_size=12), NAMES.filter("*".__ne__), st.text("/ab", max_size=7))
def test_on_files_without_such_lines_they_agree(lines: list[tuple[str, str]], agent: str, path: str) -> None:
    body = "".join(f"{field}: {value}\n" for field, value in lines)
    ours, theirs = verdicts(body, agent, f"/{path}")
    assert ours == theirs, body
