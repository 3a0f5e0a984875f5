"""Endings: what a failed download is called, and whether another attempt may help."""

from typing import Any

import pytest
from OpenSSL import SSL
from scrapy import exceptions
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.python.failure import Failure
from twisted.web._newclient import ParseError
from twisted.web.client import ResponseFailed
from twisted.web.http import _MalformedChunkedDataError

from crawldb import Refusal
from spiders.ending import ending_of
from spiders.wire.connection import AnswerLimitError

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
    ending = ending_of(error, URL, {})
    assert (ending.rule, ending.again) == (rule, again)
    assert ending.reason


def test_a_connection_that_the_address_policy_refused_is_told_as_such() -> None:
    refusals = {("a.example", 8080): Refusal("address", "a private address")}
    ending = ending_of(exceptions.CannotResolveHostError(), URL, refusals)
    assert (ending.rule, ending.again) == ("address", False)


@pytest.mark.parametrize(
    ("beneath", "rule", "again", "words"),
    [
        (parse_error("non-integer status code", b"HTTP/1.1 abc"), "protocol", True, "non-integer status code"),
        (SSL.Error([("SSL routines", "", "certificate verify failed")]), "tls", False, "certificate verify failed"),
        (ConnectionDone(), "network", True, "the connection was closed before a whole answer had come"),
        (ConnectionLost(), "network", True, "the connection broke before a whole answer had come"),
        (ValueError("conflicting Content-Length headers"), "protocol", True, "where its body ends can't be told"),
        (KeyError(b"x-odd"), "protocol", True, "its Transfer-Encoding is not known (b'x-odd')"),
        (AnswerLimitError("header-limit", "too many bytes"), "header-limit", False, "too many bytes"),
        (AnswerLimitError("timeout", "too slow"), "timeout", True, "too slow"),
    ],
)
def test_what_lies_beneath_a_failed_download_is_told_in_words(
    beneath: Exception, rule: str, again: bool, words: str
) -> None:
    error = exceptions.DownloadFailedError("[<twisted.python.failure.Failure …>]")
    error.__cause__ = wrapped(beneath)
    ending = ending_of(error, URL, {})
    assert (ending.rule, ending.again) == (rule, again)
    assert words in ending.reason
    assert "Failure" not in ending.reason


def test_chunks_that_are_none_are_told_as_that_and_no_broken_connection() -> None:
    error = exceptions.ResponseDataLossError()
    chunk: Any = _MalformedChunkedDataError
    error.__cause__ = wrapped(chunk("Chunk-size must be an integer."))
    ending = ending_of(error, URL, {})
    assert (ending.rule, ending.again) == ("protocol", True)
    assert ending.reason == "its chunks can't be read (Chunk-size must be an integer.)"


def test_an_odd_error_of_a_request_that_was_never_sent_is_not_told_as_the_answer_of_a_server() -> None:
    assert ending_of(ValueError("no host"), URL, {}).rule == "network"


def test_a_body_that_breaks_off_is_told_as_that_whatever_lies_beneath() -> None:
    error = exceptions.ResponseDataLossError()
    error.__cause__ = wrapped(ConnectionDone())
    assert ending_of(error, URL, {}).rule == "broken-off"
