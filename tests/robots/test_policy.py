"""Does the index for long lists of rules give the same answer as reading them all?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import robots
from robots.dialect import CHOICES, Dialect
from robots.rules.policy import INDEX_FROM, first, index_of, policy_for, strongest
from robots.rules.rule import compile_rule

RFC9309 = CHOICES[Dialect.RFC9309]
PATTERNS = st.lists(st.tuples(st.booleans(), st.text("/ab*$", max_size=6)), max_size=30)
PATHS = st.text("/ab$", max_size=8).map(lambda rest: f"/{rest}".encode())


@given(PATTERNS, PATHS)
def test_the_index_agrees_with_reading_every_rule(patterns: list[tuple[bool, str]], path: bytes) -> None:
    rules = [compile_rule(line, text.encode(), RFC9309, allow=allow) for line, (allow, text) in enumerate(patterns, 1)]
    assert index_of(rules).strongest(path) == strongest(rules, path)


@given(PATTERNS, PATHS)
def test_the_strongest_rule_comes_first_where_there_is_no_index(patterns: list[tuple[bool, str]], path: bytes) -> None:
    rules = [compile_rule(line, text.encode(), RFC9309, allow=allow) for line, (allow, text) in enumerate(patterns, 1)]
    assert first(sorted(rules, key=lambda rule: rule.rank, reverse=True), path) == strongest(rules, path)


def test_long_lists_have_an_index_and_short_ones_do_not() -> None:
    for count, indexed in ((INDEX_FROM - 1, False), (INDEX_FROM, True)):
        file = robots.parse(b"User-agent: *\n" + b"Disallow: /x\n" * count)
        assert (policy_for("x", file.groups, RFC9309).index is not None) is indexed


def test_rules_of_one_pattern_are_looked_up_once() -> None:
    file = robots.parse(b"User-agent: *\n" + b"Disallow: /x\nAllow: /x\n" * 1000)
    index = policy_for("x", file.groups, RFC9309).index
    assert index
    assert (len(index.prefixes), index.prefix_lengths) == (1, (2,))
    assert file.decide("x", "http://h.test/x").line == 3  # Allow on a tie, and the first of them


def test_many_rules_make_few_lengths_to_try() -> None:
    body = b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % number for number in range(30_000))
    index = policy_for("x", robots.parse(body).groups, RFC9309).index
    assert index
    assert index.prefix_lengths == (6, 5, 4, 3, 2)


def test_a_group_that_names_a_robot_twice_counts_once() -> None:
    file = robots.parse(b"User-agent: a\nCrawl-delay: 1\nUser-agent: a\nDisallow: /x\n")
    assert len(policy_for("a", file.groups, RFC9309).rules) == 1
