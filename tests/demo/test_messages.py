"""When is a robot's copy still good? The table of RFC 9110, 13."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.messages import FOUNDED, Response, conditional, moved

PAGE = Response(200, b"bread", modified=FOUNDED)
DATE = dict(PAGE.validators)["Last-Modified"]


@pytest.mark.parametrize(
    ("if_none_match", "if_modified_since", "status"),
    [
        pytest.param(None, None, 200, id="no condition"),
        pytest.param(PAGE.etag, None, 304, id="13.1.2 the same tag"),
        pytest.param("W/" + PAGE.etag, None, 304, id="13.1.2 weak comparison"),
        pytest.param(f'"other", {PAGE.etag}', None, 304, id="13.1.2 one of a list"),
        pytest.param("*", None, 304, id="13.1.2 any"),
        pytest.param('"other"', None, 200, id="13.1.2 another tag"),
        pytest.param('"other"', DATE, 200, id="13.1.3 the date is ignored beside a tag"),
        pytest.param(None, DATE, 304, id="13.1.3 not modified since"),
        pytest.param(None, "Mon, 01 Jan 2024 00:00:00 GMT", 200, id="13.1.3 modified since"),
        pytest.param(None, "Mon, 01 Jan 2024 00:00:00 -0000", 200, id="13.1.3 a date without a zone"),
        pytest.param(None, "last Tuesday", 200, id="13.1.3 a date that can't be read is ignored"),
    ],
)
def test_conditions(if_none_match: str | None, if_modified_since: str | None, status: int) -> None:
    response = conditional(PAGE, if_none_match, if_modified_since)
    assert response.status == status
    assert bool(response.body) is (status == 200)


def test_a_304_repeats_the_tag_of_the_page_it_stands_for() -> None:
    assert dict(conditional(PAGE, PAGE.etag, None).headers)["ETag"] == PAGE.etag


def test_a_page_without_a_date_is_never_unmodified_by_date() -> None:
    assert conditional(Response(200, b"new each time"), None, DATE).status == 200


@pytest.mark.parametrize("status", [301, 404, 500])
def test_only_a_200_has_a_copy_that_could_be_good(status: int) -> None:
    assert conditional(Response(status, b"x"), "*", None).status == status
    assert Response(status, b"x").validators == ()


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_condition_breaks_anything(tag: str, date: str) -> None:
    assert conditional(PAGE, tag, date).status in {200, 304}
    assert conditional(PAGE, None, date).status in {200, 304}


def test_a_redirect_escapes_what_a_header_can_not_carry() -> None:
    assert dict(moved(301, "/뒷마당.html").headers)["Location"] == "/%EB%92%B7%EB%A7%88%EB%8B%B9.html"
