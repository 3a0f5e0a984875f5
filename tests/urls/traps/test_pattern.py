"""Patterns: which URLs one program may have made, and which a person named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urls.canonical import UnusableUrl, canonicalize
from urls.traps import Pattern, PatternKind, patterns_of, trees_of


def names(url: str) -> list[str]:
    return [pattern.name for pattern in patterns_of(canonicalize(f"http://a.example{url}"))]


@pytest.mark.parametrize(
    ("url", "patterns"),
    [
        pytest.param("/item/17", ["/item/#"], id="a counter"),
        pytest.param("/2026/07/?view=day", ["/#/#/?view", "/#/#/?*"], id="a calendar, and all views of it"),
        pytest.param("/goods?size=1&colour=2", ["/goods?colour&size", "/goods?*"], id="filters, and all of them"),
        pytest.param("/s/0123456789abcdef/jam", ["/s/{token}/jam", "/s/{token}/*"], id="a session in the path"),
        pytest.param(
            "/c/1b4e28ba-2fa1-11d2-883f-0016d3cca427", ["/c/{token}", "/c/{token}/*"], id="a UUID in the path"
        ),
        pytest.param(
            "/cart;jsessionid=A1?x=1", ["/cart;jsessionid={token}?x", "/cart;jsessionid={token}/*"], id="behind ;"
        ),
        pytest.param(
            "/p/3;jsessionid=A1", ["/p/#;jsessionid={token}", "/p/#;jsessionid={token}/*"], id="number ; token"
        ),
        pytest.param("/m;x=1;y=-2", ["/m;x=#;y=#"], id="numbers behind ;"),
        pytest.param("/tag/rye+oats+jam", ["/tag/{several}"], id="names put together"),
        pytest.param("/lang/c++", ["/lang/*"], id="a name that ends in plus signs"),
        pytest.param("/day/2026-11-21", ["/day/#"], id="a date in one part"),
        pytest.param("/item/1a2b3c4d", ["/item/{token}", "/item/{token}/*"], id="a short hash"),
        pytest.param("/(S(abc123de45))/p/3", ["/{token}/p/#", "/{token}/*"], id="a session as ASP.NET writes it"),
        pytest.param("/minutes/2026-11-21.html", ["/minutes/*"], id="a date that is a file's name"),
        pytest.param("/a/defaced", ["/a/*"], id="a word of the letters a to f"),
        pytest.param("/news-17.html", ["/*"], id="a name that has a number in it"),
        pytest.param("/docs/how-to-bake-20-loaves-of-bread.html", ["/docs/*"], id="a long name is no token"),
        pytest.param("/a/internationalisation", ["/a/*"], id="a long word is no token"),
    ],
)
def test_a_url_is_of_a_narrow_and_a_wide_pattern_or_of_its_folder(url: str, patterns: list[str]) -> None:
    assert names(url) == patterns


@given(st.text(min_size=1, max_size=60))
def test_every_url_has_a_pattern_and_the_narrow_one_comes_first(path: str) -> None:
    try:
        url = canonicalize(f"http://a.example/{path}")
    except UnusableUrl:
        return
    kinds = [pattern.kind for pattern in patterns_of(url)]
    numbered, program, folder = PatternKind
    assert kinds in ([numbered], [numbered, program], [folder])


def test_a_number_does_not_change_the_pattern() -> None:
    assert names("/a/1/b?c=2") == names("/a/999/b?c=x") == ["/a/#/b?c", "/a/#/b?*"]
    assert patterns_of(canonicalize("http://a.example/x")) == (Pattern("/*", PatternKind.FOLDER),)


def test_a_page_lies_in_the_tree_of_its_first_folder_and_in_that_of_its_site() -> None:
    assert [tree.name for tree in trees_of(canonicalize("http://a.example/docs/api/x.html"))] == ["/docs/**", "/**"]
    assert [tree.name for tree in trees_of(canonicalize("http://a.example/x.html"))] == ["/**"]
    assert all(tree.is_tree for tree in trees_of(canonicalize("http://a.example/docs/")))
    assert not Pattern("/docs/*", PatternKind.FOLDER).is_tree
