"""Pages made by programs: left out where a setting says so, and taken in again when it no longer does."""

from collections.abc import Callable

import pytest

from frontier.session import Session
from tests.samples import SEED, a_page, accounting, lease_all
from urls.canonical import canonicalize
from urls.traps.shape import Limits, shape_refusal

SKIPPING = Limits(skip_queries=True)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        pytest.param("http://a.example/search?q=x", "it has a query", id="33: a query"),
        pytest.param("http://a.example/?4711", "it has a query", id="a key alone"),
        pytest.param("http://a.example/cgi-bin/list", "it has /cgi-bin/ in its path", id="33: CGI"),
        pytest.param("http://a.example/old/cgi-bin/list.pl", "it has /cgi-bin/ in its path", id="a deeper one"),
    ],
)
def test_what_a_program_makes_is_left_out_where_a_person_wants_that(url: str, reason: str) -> None:
    assert shape_refusal(canonicalize(url), 0, Limits(), year=2026) is None
    refusal = shape_refusal(canonicalize(url), 0, SKIPPING, year=2026)
    assert refusal is not None
    assert refusal.rule == "dynamic"
    assert refusal.reason.startswith(reason)


@pytest.mark.parametrize("url", ["http://a.example/", "http://a.example/cgi-bin.html", "http://a.example/x.php"])
def test_other_addresses_may_be_anything(url: str) -> None:
    assert shape_refusal(canonicalize(url), 0, SKIPPING, year=2026) is None


def test_they_are_queued_when_the_policy_no_longer_refuses_them(open_session: Callable[..., Session]) -> None:
    session = open_session(limits=SKIPPING)
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/list?page=2",)))
    assert accounting(session)["suppressed"] == 1
    session.close("finished")
    again = open_session()
    assert accounting(again)["suppressed"] == 0
    assert "http://a.example/list?page=2" in lease_all(again)
