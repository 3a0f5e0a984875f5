"""What does each status code mean for a lease, and each failed download? A URL is retried if that may help."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from OpenSSL import SSL
from scrapy import exceptions
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.python.failure import Failure
from twisted.web._newclient import ParseError
from twisted.web.client import ResponseFailed
from twisted.web.http import _MalformedChunkedDataError

from crawldb.tables.queue import Lease
from crawldb.tables.urls import Kind
from spiders.downloader.bounded_connection import ResponseLimitError
from spiders.outcome import FetchFailure, ResponseHead, Retries, fetch_failure, outcome_of, outcome_of_failure
from urls.records import CanonicalUrl, LeaseEnd, Outcome, Refusal
from urls.rules import Rule

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()


def lease(attempts: int = 0) -> Lease:
    return Lease(1, CanonicalUrl("http://a.example/dir/x"), "a.example", 0, attempts, False, "", "", "")


def outcome(status: int, attempts: int = 0, **headers: str) -> Outcome | None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return outcome_of(ResponseHead(status, named, NOW, 0.1, 5), lease(attempts), Retries(3, 2.0))


@pytest.mark.parametrize(
    ("status", "fate", "rule"),
    [
        (304, LeaseEnd.NOT_MODIFIED, "not-modified"),
        (404, LeaseEnd.GONE, "gone"),
        (410, LeaseEnd.GONE, "gone"),
        (401, LeaseEnd.FAILED, "auth"),
        (403, LeaseEnd.FAILED, "forbidden"),
        (407, LeaseEnd.FAILED, "auth"),
        (408, LeaseEnd.DEFERRED, "status"),
        (425, LeaseEnd.DEFERRED, "status"),
        (418, LeaseEnd.FAILED, "status"),
        (499, LeaseEnd.FAILED, "status"),
        (206, LeaseEnd.FAILED, "no-page"),
        (300, LeaseEnd.FAILED, "status"),
        (429, LeaseEnd.DEFERRED, "too-many-requests"),
        (500, LeaseEnd.DEFERRED, "server-error"),
        (599, LeaseEnd.DEFERRED, "server-error"),
        (99, LeaseEnd.FAILED, "bad-status"),
        (999, LeaseEnd.FAILED, "bad-status"),
    ],
)
def test_a_code_is_read_and_an_unknown_one_by_its_class(status: int, fate: LeaseEnd, rule: str) -> None:
    ended = outcome(status)
    assert ended is not None
    assert (ended.fate, ended.rule, ended.status) == (fate, rule, status)
    assert str(status) in ended.reason


@pytest.mark.parametrize("status", [200, 201, 202, 203, 204, 205, 226, 250, 299])
def test_25_success_is_a_class(status: int) -> None:
    assert outcome(status) is None


def test_a_part_of_a_page_is_read_and_a_part_of_a_sitemap_is_asked_for_again() -> None:
    part = ResponseHead(200, {}, NOW, 0.1, 5, cut_off=True)
    assert outcome_of(part, lease(), Retries(3, 2.0)) is None
    ended = outcome_of(part, replace(lease(), kind=Kind.SITEMAP), Retries(3, 2.0))
    assert ended is not None
    assert (ended.fate, ended.rule) == (LeaseEnd.DEFERRED, "broken-off")


def test_what_another_attempt_may_help_is_asked_for_again_and_the_rest_fails_at_once() -> None:
    again = outcome_of_failure(FetchFailure(Rule.TIMEOUT, "no answer", again=True), lease(), NOW, 1.0, Retries(2, 3.0))
    assert (again.fate, again.retry_after, again.reason) == (LeaseEnd.DEFERRED, 3.0, "no answer")
    last = outcome_of_failure(FetchFailure(Rule.TIMEOUT, "no answer", again=True), lease(1), NOW, 1.0, Retries(2, 3.0))
    assert (last.fate, last.reason) == (LeaseEnd.FAILED, "no answer; that was the last attempt of this round")
    never = outcome_of_failure(
        FetchFailure(Rule.SIZE, "it is too large", again=False), lease(), NOW, 1.0, Retries(2, 3.0)
    )
    assert (never.fate, never.reason) == (LeaseEnd.FAILED, "it is too large")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_every_redirect_leads_to_its_target_resolved_against_the_page(status: int) -> None:
    ended = outcome(status, location="../y#part")
    assert ended is not None
    assert (ended.fate, ended.target) == (LeaseEnd.MOVED, "http://a.example/y#part")


@pytest.mark.parametrize(
    ("location", "target"),
    [
        pytest.param("/voil\u00c3\u00a0", "http://a.example/voil%C3%A0", id="UTF-8 that nobody escaped"),
        pytest.param("/\u00fc", "http://a.example/%FC", id="Latin-1 that nobody escaped"),
        pytest.param("\\\\b.example\\y", "http://b.example/y", id="slashes that lean backward"),
        pytest.param("http:/y", "http://a.example/y", id="one slash after the scheme"),
        pytest.param("?", "http://a.example/dir/x?", id="an empty query"),
        pytest.param("ftp://b.example/y", "ftp://b.example/y", id="another scheme, which the frontier refuses"),
    ],
)
def test_a_location_leads_where_a_browser_would_go(location: str, target: str) -> None:
    ended = outcome(302, location=location)
    assert ended is not None
    assert (ended.fate, ended.target) == (LeaseEnd.MOVED, target)


def test_no_password_of_a_location_is_told() -> None:
    ended = outcome(302, location="http://me:se'cret@b.example/")
    assert ended is not None
    assert "cret" not in ended.reason


@pytest.mark.parametrize(
    ("location", "rule"),
    [("", "bad-location"), ("http://[::1", "bad-location"), ("x", "redirect-loop"), ("#part", "redirect-loop")],
)
def test_a_redirect_to_nowhere_or_to_itself_fails(location: str, rule: str) -> None:
    ended = outcome(302, location=location)
    assert ended is not None
    assert (ended.fate, ended.rule) == (LeaseEnd.FAILED, rule)


def test_of_several_locations_that_differ_none_is_believed() -> None:
    said = frozenset({"/a", "http://b.example/"})
    ended = outcome_of(ResponseHead(302, {"location": "/a"}, NOW, 0.1, 5, said), lease(), Retries())
    assert ended is not None
    assert (ended.fate, ended.rule) == (LeaseEnd.FAILED, "bad-location")
    assert "2 different Locations" in ended.reason


def test_what_a_location_says_that_is_no_url_is_told() -> None:
    ended = outcome(302, location="http://a.example:99999/")
    assert ended is not None
    assert "'http://a.example:99999/', which is no address" in ended.reason


def test_each_attempt_waits_twice_as_long_and_the_last_one_fails() -> None:
    ended = [outcome(503, attempts) for attempts in range(3)]
    assert [end.retry_after for end in ended if end] == [2.0, 4.0, None]
    assert ended[2] is not None
    assert ended[2].fate is LeaseEnd.FAILED


def test_a_longer_wait_that_the_server_asks_for_is_kept() -> None:
    ended = outcome(503, retry_after="120")
    assert ended is not None
    assert ended.retry_after == 120.0


@given(st.integers(100, 999), st.text())
def test_no_code_and_no_header_raises(status: int, value: str) -> None:
    outcome(status, location=value, retry_after=value)


URL = "http://a.example:8080/x"
parse_error: Any = ParseError  # Twisted's classes have no types


def wrapped(error: Exception) -> Exception:
    """As the network library hands it on: a list of failures, each with its error."""
    failure: Any = Failure
    response_failed: Any = ResponseFailed
    made: Exception = response_failed([failure(error)])
    return made


@pytest.mark.parametrize(
    ("error", "rule", "again"),
    [
        (exceptions.DownloadTimeoutError("30 s"), "timeout", True),
        (exceptions.DownloadConnectionRefusedError(), "refused-connection", True),
        (exceptions.CannotResolveHostError(), "dns", True),
        (exceptions.ResponseDataLossError(), "broken-off", True),
        (exceptions.DownloadFailedError(), "network", True),
        (exceptions.DownloadCancelledError(), "size", False),
        (ZeroDivisionError("odd"), "network", True),
    ],
)
def test_an_error_has_a_rule_and_a_sentence(error: Exception, rule: str, again: bool) -> None:
    failure = fetch_failure(error, URL, {})
    assert (failure.rule, failure.again) == (rule, again)
    assert failure.reason


def test_a_connection_that_the_address_policy_refused_is_told_as_such() -> None:
    refusals = {("a.example", 8080): Refusal(Rule.ADDRESS, "a private address")}
    failure = fetch_failure(exceptions.CannotResolveHostError(), URL, refusals)
    assert (failure.rule, failure.again) == ("address", False)


@pytest.mark.parametrize(
    ("beneath", "rule", "again", "words"),
    [
        (parse_error("non-integer status code", b"HTTP/1.1 abc"), "protocol", True, "non-integer status code"),
        (SSL.Error([("SSL routines", "", "certificate verify failed")]), "tls", False, "certificate verify failed"),
        (ConnectionDone(), "network", True, "the connection was closed before a whole answer had come"),
        (ConnectionLost(), "network", True, "the connection broke before a whole answer had come"),
        (ValueError("conflicting Content-Length headers"), "protocol", True, "the end of its body is not clear"),
        (KeyError(b"x-odd"), "protocol", True, "its Transfer-Encoding is not known (b'x-odd')"),
        (ResponseLimitError(Rule.HEADER_LIMIT, "too many bytes"), "header-limit", False, "too many bytes"),
        (ResponseLimitError(Rule.TIMEOUT, "too slow"), "timeout", True, "too slow"),
    ],
)
def test_what_lies_beneath_a_failed_download_is_told_in_words(
    beneath: Exception, rule: str, again: bool, words: str
) -> None:
    error = exceptions.DownloadFailedError("[<twisted.python.failure.Failure …>]")
    error.__cause__ = wrapped(beneath)
    failure = fetch_failure(error, URL, {})
    assert (failure.rule, failure.again) == (rule, again)
    assert words in failure.reason
    assert "Failure" not in failure.reason


def test_chunks_that_are_none_are_told_as_that_and_no_broken_connection() -> None:
    error = exceptions.ResponseDataLossError()
    chunk: Any = _MalformedChunkedDataError
    error.__cause__ = wrapped(chunk("Chunk-size must be an integer."))
    failure = fetch_failure(error, URL, {})
    assert (failure.rule, failure.again) == ("protocol", True)
    assert failure.reason == "its chunks can't be read (Chunk-size must be an integer.)"


def test_an_odd_error_of_a_request_that_was_never_sent_is_not_told_as_the_answer_of_a_server() -> None:
    assert fetch_failure(ValueError("no host"), URL, {}).rule == "network"


def test_a_body_that_breaks_off_is_told_as_that_whatever_lies_beneath() -> None:
    error = exceptions.ResponseDataLossError()
    error.__cause__ = wrapped(ConnectionDone())
    assert fetch_failure(error, URL, {}).rule == "broken-off"
