"""Which name and IP address do others use for this machine? From the system, with test look-ups for the network."""

import time

import pytest

from extensions.plan.plan import OwnAddress, check_reverse_name, outgoing_address, own_address


def test_on_loopback_there_is_nothing_to_look_up_and_it_says_what_to_ask() -> None:
    found = own_address(["bakery.localhost", "127.0.0.1", "[::1]"], 1.0)
    assert (found.address, found.name, found.leads_back) == ("", "", False)
    assert "no one else sees its IP address" in found.sentence
    assert "ask your network operator for a PTR record" in found.sentence


def test_a_host_that_nobody_knows_is_told() -> None:
    assert "There is no route to bakery.invalid" in own_address(["bakery.invalid"], 0.0).sentence


def test_the_address_is_that_of_the_way_out() -> None:
    assert outgoing_address("127.0.0.1") == "127.0.0.1"


@pytest.mark.parametrize(
    ("address", "name", "addresses", "leads_back", "said"),
    [
        pytest.param("192.0.2.1", "", set(), False, "the private address", id="for documentation only, so not public"),
        pytest.param("10.0.0.5", "box.lan", {"10.0.0.5"}, True, "your network gateway", id="behind a gateway"),
        pytest.param("93.184.216.34", "", set(), False, "has no name: ask your network operator", id="no PTR record"),
        pytest.param(
            "93.184.216.34",
            "bot.example",
            {"1.2.3.4"},
            False,
            "does not lead back",
            id="a name that anybody could claim",
        ),
        pytest.param(
            "93.184.216.34",
            "bot.example",
            {"93.184.216.34"},
            True,
            "leads back to it, as it should",
            id="47: as it should be",
        ),
    ],
)
def test_a_name_counts_where_it_leads_back(
    address: str, name: str, addresses: set[str], said: str, *, leads_back: bool
) -> None:
    found = check_reverse_name(address, lambda _: name, lambda _: addresses)
    assert isinstance(found, OwnAddress)
    assert found.leads_back is leads_back
    assert said in found.sentence


def test_a_look_up_that_hangs_holds_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extensions.plan.plan.outgoing_address", lambda _: time.sleep(30))
    assert "There is no route to" in own_address(["bakery.invalid"], 0.01).sentence
