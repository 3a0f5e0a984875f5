"""Is each change of a robots.txt named for what it is, and nothing else?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.robots_files.study.history import ChangeKind, change_between
from robots import parse

BEFORE = b"User-agent: a\nCrawl-delay: 5\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\nSitemap: https://a.example/s\n"
MOVED = BEFORE.replace(b"/x\n", b"/0\n").replace(b"/y", b"/x").replace(b"/0", b"/y")
CHANGES = [
    pytest.param((b"# c\n" + BEFORE), {ChangeKind.NOTHING}, id="a comment"),
    pytest.param(BEFORE.replace(b"Sitemap", b"Disalow: /z\nSitemap"), {ChangeKind.NOTHING}, id="a misspelt line"),
    pytest.param(BEFORE.replace(b"User-agent: a", b"user-agent:  A/2"), {ChangeKind.NOTHING}, id="a robot's version"),
    pytest.param(BEFORE.replace(b"-agent: a", b"-agent: b\nUser-agent: a"), {ChangeKind.ROBOTS_ADDED}, id="a robot"),
    pytest.param(BEFORE.replace(b"-agent: a\n", b"-agent: *\n"), {ChangeKind.ROBOTS_REMOVED}, id="a robot less"),
    pytest.param(BEFORE.replace(b"/y", b"/y\nAllow: /y/z"), {ChangeKind.RULES_ADDED}, id="a rule"),
    pytest.param(BEFORE.replace(b"/y", b"/y\nDisallow: /y"), {ChangeKind.RULES_ADDED}, id="a rule twice"),
    pytest.param(BEFORE.replace(b"Disallow: /x\n", b""), {ChangeKind.RULES_REMOVED}, id="a rule less"),
    pytest.param(
        BEFORE.replace(b"Disallow: /y", b"Allow: /y"), {ChangeKind.RULES_ADDED, ChangeKind.RULES_REMOVED}, id="opened"
    ),
    pytest.param(BEFORE.replace(b"5", b"6"), {ChangeKind.DELAYS}, id="another delay"),
    pytest.param(BEFORE.replace(b"5", b"5\nRequest-rate: 1/5"), {ChangeKind.DELAYS}, id="a rate"),
    pytest.param(BEFORE.replace(b"example/s", b"example/t"), {ChangeKind.SITEMAPS}, id="another sitemap"),
    pytest.param(
        BEFORE.replace(b"/y", b"/"), {ChangeKind.RULES_ADDED, ChangeKind.RULES_REMOVED, ChangeKind.CLOSED}, id="closed"
    ),
    pytest.param(MOVED, {ChangeKind.REGROUPED}, id="rules that change places"),
]


@pytest.mark.parametrize(("after", "kinds"), CHANGES)
def test_a_change_is_of_these_kinds(after: bytes, kinds: set[ChangeKind]) -> None:
    assert set(change_between(parse(BEFORE), parse(after)).kinds) == kinds


def test_back_again_what_was_added_is_removed() -> None:
    for case in CHANGES:
        after = parse(case.values[0])  # type: ignore[arg-type]  # a value of a parameter
        there, back = change_between(parse(BEFORE), after), change_between(after, parse(BEFORE))
        assert (there.robots_added, there.rules_added) == (back.robots_removed, back.rules_removed)
        assert (ChangeKind.CLOSED in there.kinds) is (ChangeKind.OPENED in back.kinds)


LINES = st.lists(
    st.sampled_from([*BEFORE.splitlines(), b"User-agent: b", b"Allow: /", b"Disallow: /", b"?"]), max_size=9
)


@given(LINES, LINES)
def test_every_change_has_a_kind_and_no_change_says_nothing(before: list[bytes], after: list[bytes]) -> None:
    old, new = parse(b"\n".join(before)), parse(b"\n".join(after))
    assert change_between(old, old).kinds == (ChangeKind.NOTHING,)
    kinds = change_between(old, new).kinds
    assert kinds
    assert len(kinds) == 1 or not {ChangeKind.NOTHING, ChangeKind.REGROUPED} & set(kinds)
