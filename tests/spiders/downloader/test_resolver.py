"""The resolver checks each IP address at its connection, however it is spelt and whatever came before."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.resolver import HostResolution, dnscache
from twisted.internet.task import Clock

from spiders.downloader.address_policy import AddressPolicy
from spiders.downloader.resolver import GuardedResolver
from tests.journey.names import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLIC, OTHER = "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"


class Receiver:
    """What Twisted would connect to."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.complete = False

    def resolutionBegan(self, resolution: object) -> None:  # noqa: N802 - Twisted's name
        assert resolution

    def addressResolved(self, address: Any) -> None:  # noqa: N802 - Twisted's name
        self.found.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802 - Twisted's name
        self.complete = True


@pytest.fixture(autouse=True)
def no_cache() -> Iterator[None]:
    dnscache.clear()
    yield
    dnscache.clear()


def resolver(names: dict[str, list[list[str]]], cache: int = 0) -> GuardedResolver:
    made = GuardedResolver(SimpleNamespace(nameResolver=Table(names)), cache)  # type: ignore[arg-type]  # all it needs
    made.policy = AddressPolicy([("seed.invalid", 80), ("10.0.0.1", 8080)], identified=True)
    return made


def found(guarded: GuardedResolver, host: str, port: int = 80) -> list[str]:
    receiver = Receiver()
    guarded.resolveHostName(receiver, host, port)
    assert receiver.complete
    return receiver.found


def test_only_the_public_addresses_of_a_name_are_passed_on() -> None:
    guarded = resolver({"a.invalid": [["10.0.0.9", PUBLIC, "::1", OTHER]]})
    assert found(guarded, "a.invalid") == [PUBLIC, OTHER]
    assert guarded.refusals == {}
    assert guarded.addresses["a.invalid"] == {PUBLIC, OTHER}


@pytest.mark.parametrize("host", ["a.invalid", "seed.invalid"])
def test_a_name_that_turns_to_a_private_address_is_refused_there(host: str) -> None:
    guarded = resolver({host: [[PUBLIC], ["127.0.0.1"], [PUBLIC]]})
    assert found(guarded, host) == [PUBLIC]
    assert found(guarded, host) == []
    assert guarded.refusals[host, 80].rule == "address"
    assert found(guarded, host) == [PUBLIC]
    assert guarded.refusals == {}


def test_an_answer_that_is_remembered_is_judged_for_each_port_anew() -> None:
    guarded = resolver({"b.invalid": [["10.0.0.1"]], "10.0.0.1": [["10.0.0.1"]]}, cache=10)
    assert found(guarded, "10.0.0.1", 8080) == ["10.0.0.1"]
    assert found(guarded, "b.invalid", 8080) == ["10.0.0.1"]
    assert found(guarded, "b.invalid", 9090) == []


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "x.localhost"])
def test_an_address_that_is_spelt_out_is_judged_as_well(host: str) -> None:
    assert found(resolver({}), host) == []


@pytest.mark.parametrize("host", ["2130706433", "0177.0.0.1", "0x7f.1", "0"])
def test_an_old_spelling_of_an_address_is_judged_by_what_it_resolves_to(host: str) -> None:
    # The canonical form has none of these; a resolver would still read them, as this table does.
    guarded = resolver({host: [["127.0.0.1"]]})
    assert found(guarded, host) == []
    assert guarded.refusals[host, 80].rule == "address"


class Hanging:
    """A name server that lets those who ask wait."""

    asked: list[Any]

    def __init__(self) -> None:
        self.asked = []

    def resolveHostName(self, receiver: Any, hostName: str, *_: Any) -> HostResolution:  # noqa: N802, N803 - Twisted's names
        self.asked.append(receiver)
        return HostResolution(hostName)


def test_a_look_up_that_takes_too_long_ends_without_an_address_and_what_comes_later_harms_nobody() -> None:
    clock, servers = Clock(), Hanging()
    clock.nameResolver = servers  # type: ignore[attr-defined]  # a reactor has one
    guarded = GuardedResolver(clock, 10)  # type: ignore[arg-type]  # all of a reactor that it needs
    guarded.seconds = 10.0
    receiver = Receiver()
    guarded.resolveHostName(receiver, "a.invalid", 80)
    clock.advance(9.9)
    assert not receiver.complete
    clock.advance(0.2)
    assert (receiver.complete, receiver.found) == (True, [])
    receiver.complete = False
    servers.asked[0].resolutionComplete()
    assert not receiver.complete


def test_a_look_up_in_time_leaves_no_clock_running() -> None:
    clock = Clock()
    clock.nameResolver = Table({"a.invalid": [[PUBLIC]]})  # type: ignore[attr-defined]  # as above
    guarded = GuardedResolver(clock, 10)  # type: ignore[arg-type]  # as above
    guarded.seconds = 10.0
    guarded.policy = AddressPolicy([], identified=True)
    assert found(guarded, "a.invalid") == [PUBLIC]
    assert clock.getDelayedCalls() == []
