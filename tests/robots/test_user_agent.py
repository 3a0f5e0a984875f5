from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots import Dialect, parse, product_token
from robots.group import families_of

LIKE_A_BROWSER = "AppleWebKit/537.36 (KHTML, like Gecko"


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        pytest.param("Breadcrumb", "Breadcrumb", id="a token"),
        pytest.param(" archive.org_bot ", "archive.org_bot", id="a token between blanks"),
        pytest.param("Googlebot-Image/1.0", "Googlebot-Image", id="a product with its version"),
        pytest.param("Googlebot/2.1 (+http://www.google.com/bot.html)", "Googlebot", id="a product and a comment"),
        pytest.param("DuckDuckBot/1.1; (+http://duckduckgo.com)", "DuckDuckBot", id="a stray semicolon"),
        pytest.param("Mozilla/5.0 (compatible; Googlebot/2.1; +http://g.test)", "Googlebot", id="compatible"),
        pytest.param("Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://m.test)", "MJ12bot", id="digits in its name"),
        pytest.param("Mozilla/5.0 (compatible; archive.org_bot +http://a.test/x)", "archive.org_bot", id="no version"),
        pytest.param("Mozilla/5.0 (compatible; Yahoo! Slurp; http://y.test)", "Slurp", id="no token before it"),
        pytest.param(
            f"Mozilla/5.0 {LIKE_A_BROWSER}; compatible; bingbot/2.0; +http://b.test) Chrome/1 Safari/537.36",
            "bingbot",
            id="compatible within the browser's comment",
        ),
        pytest.param(
            f"Mozilla/5.0 (Linux; Android 6) {LIKE_A_BROWSER}) Chrome/1 Mobile Safari/5 (compatible; Googlebot/2.1)",
            "Googlebot",
            id="a telephone's robot",
        ),
        pytest.param(
            f"Mozilla/5.0 (Macintosh) {LIKE_A_BROWSER}) Version/13.1 Safari/605 (Applebot/0.1; +http://a.test)",
            "Applebot",
            id="a comment of its own",
        ),
        pytest.param("Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1)", "Mozilla", id="a browser"),
        pytest.param(f"Mozilla/5.0 (X11) {LIKE_A_BROWSER}) Chrome/120 Safari/537", "Mozilla", id="a browser of today"),
        pytest.param("(((", "(((", id="no token at all"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_105_the_product_token_is_found_in_a_whole_user_agent_string(user_agent: str, token: str) -> None:
    assert product_token(user_agent) == token


@pytest.mark.parametrize(
    ("agent", "group"),
    [
        ("Googlebot-Images", "googlebot"),
        ("googlebot-news", "googlebot"),
        ("hedwig-images", "Hedwig"),
        ("hedwig-images/1.0 (+http://h.test)", "hedwig"),
        ("hedwig-images-small", "hedwig-images"),
        ("hedwig-images-small", "hedwig"),
        ("hedwig-news2", "hedwig"),
    ],
)
def test_105_in_googles_reading_a_robot_without_a_group_goes_by_its_family_and_then_by_everybody(
    agent: str, group: str
) -> None:
    written = f"User-agent: {group}\nDisallow: /g\n\nUser-agent: *\nDisallow: /e\n"
    family = parse(written.encode(), Dialect.GOOGLE)
    assert [family.decide(agent, f"https://h.test{path}").allowed for path in ("/g", "/e")] == [False, True]
    nobody = parse(b"User-agent: *\nDisallow: /e\n", Dialect.GOOGLE)
    assert not nobody.decide(agent, "https://h.test/e").allowed
    theirs = parse(family_with_its_own(agent, group), Dialect.GOOGLE)
    assert theirs.decide(agent, "https://h.test/g").allowed
    others = parse(written.encode(), Dialect.RFC9309)
    assert others.decide(agent, "https://h.test/g").allowed


@pytest.mark.parametrize(
    ("agent", "open_path"),
    [
        ("hedwig-news", "/group1"),
        ("hedwig-news2", "/group1"),
        ("hedwi", "/group2"),
        ("a", "/group2"),
        ("hedwig-new", "/group3"),
        ("hedwig-images", "/group3"),
    ],
)
def test_105_of_three_groups_the_most_specific_one_that_matches_counts(agent: str, open_path: str) -> None:
    groups = {"hedwig-news": "/group1", "*": "/group2", "hedwig": "/group3"}
    written = "".join(f"user-agent: {name}\ndisallow: /\nallow: {path}\n" for name, path in groups.items())
    file = parse(written.encode(), Dialect.GOOGLE)
    assert [path for path in groups.values() if file.decide(agent, f"https://h.test{path}").allowed] == [open_path]


@pytest.mark.parametrize("agent", ["hedwigs", "-images", "images-hedwig", "hedwig_images"])
def test_a_name_that_only_resembles_a_family_is_not_of_it(agent: str) -> None:
    file = parse(b"User-agent: hedwig\nDisallow: /g\n", Dialect.GOOGLE)
    assert file.decide(agent, "https://h.test/g").allowed


@given(st.text())
def test_each_family_of_a_robot_is_the_beginning_of_its_name(agent: str) -> None:
    for family in families_of(agent):
        assert agent.strip().lower().startswith(family)


def family_with_its_own(agent: str, group: str) -> bytes:
    return f"User-agent: {group}\nDisallow: /g\n\nUser-agent: {agent}\nDisallow: /own\n".encode()


@given(st.text())
def test_any_string_has_an_answer_that_means_the_same_when_it_is_asked_again(user_agent: str) -> None:
    token = product_token(user_agent)
    assert token in user_agent
    assert product_token(token) == token


@pytest.mark.parametrize("piece", ["a", "a/", "(a", "(a;", "(compatible;b!)", "1."])
def test_a_long_user_agent_string_is_read_once(piece: str) -> None:
    begin = process_time()
    product_token(piece * 16_000 + "!")
    assert process_time() - begin < 1  # seconds; looking from each letter for the last one took nine
