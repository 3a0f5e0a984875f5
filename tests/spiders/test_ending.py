"""Endings: what a failed download is called, and whether another attempt may help."""

import pytest
from scrapy import exceptions

from crawldb import Refusal
from spiders.ending import ending_of
from spiders.pace import Pace, Paces, slot_of

URL = "http://a.example:8080/x"


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


def test_a_host_has_one_slot_whatever_the_port_and_loopback_its_own_pace() -> None:
    paces = Paces(Pace(1.0, 1), Pace(0.0, 8))
    assert slot_of("http://a.example:8080/x") == slot_of("https://a.example/") == "a.example"
    assert paces.of("a.example") == Pace(1.0, 1)
    assert paces.of(slot_of("http://bakery.localhost:8400/")) == Pace(0.0, 8)
    assert paces.of(slot_of("http://[::1]:80/")) == Pace(0.0, 8)
