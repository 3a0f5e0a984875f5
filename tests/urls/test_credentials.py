"""Credentials in addresses: seen where they are, and never shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urls.canonical import has_credentials, hidden_in, without_credentials


@pytest.mark.parametrize(
    ("url", "has"),
    [
        ("http://user:pw@a.example/", True),
        ("http://user@a.example", True),
        ("http:\\\\user:pw@a.example/", True),
        ("https://a.example/@user", False),
        ("https://a.example/?mail=me@a.example", False),
        ("mailto:me@a.example", False),
        ("http:/user:pw@a.example/", True),
        (" \x01ht\ttps:/\n/user:pw@a.example/", True),
    ],
)
def test_a_name_before_the_host_is_seen(url: str, has: bool) -> None:
    assert has_credentials(url) is has


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://user:p w'@x\"<@a.example/@me", "http://…@a.example/@me"),
        ("http:\\\\user:pw@a.example", "http:\\\\…@a.example"),
        ("http://a.example/?mail=me@a.example", "http://a.example/?mail=me@a.example"),
    ],
)
def test_an_address_shows_no_password_whatever_stands_in_it(url: str, shown: str) -> None:
    assert hidden_in(url) == shown


def test_a_sentence_shows_no_password() -> None:
    said = "302 leads to http://user:p@s's@a.example/x, and it is at https://a.example/@me"
    assert without_credentials(said) == "302 leads to http://…@a.example/x, and it is at https://a.example/@me"


@given(st.text(alphabet="ab:", min_size=1), st.text(alphabet="abc/@?", max_size=10))
def test_no_password_is_ever_shown(password: str, rest: str) -> None:
    assert without_credentials(f"see http://{password}@host.example/{rest}").startswith("see http://…@host.example/")
