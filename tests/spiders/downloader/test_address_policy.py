"""Who sends requests, and to which machines? To public ones, and to private ones with a seed."""

import ipaddress
from pathlib import Path

import pytest

from commands.frame.command_settings import CommandSettings, read_crawl_settings
from spiders.arguments import SpiderArguments
from spiders.downloader.address_policy import AddressPolicy, Identity, IdentityError, is_loopback, is_public


def test_the_user_agent_names_the_robot_and_its_policy_page() -> None:
    identity = Identity("Breadcrumb", "me@example.org", "https://example.org/bot")
    assert identity.headers == {"User-Agent": "Breadcrumb/0.1 (+https://example.org/bot)", "From": "me@example.org"}
    assert identity.complete


def test_without_a_contact_the_identity_is_not_complete() -> None:
    identity = Identity("Breadcrumb")
    assert identity.headers == {"User-Agent": "Breadcrumb/0.1"}
    assert not identity.complete


@pytest.mark.parametrize("product", ["", "My Bot", "Bot/2", "Bot\r\nX: y", "Brösel", "*"])
def test_a_name_by_which_no_robots_txt_could_call_it_is_refused(product: str) -> None:
    with pytest.raises(IdentityError, match="such as Breadcrumb"):
        Identity(product)


@pytest.mark.parametrize(
    "contact", ["me", "me@", "@example.org", "a b@example.org", "me@example.org\r\nX: y", "me@host"]
)
def test_a_contact_that_is_no_address_is_refused_at_the_start(contact: str) -> None:
    with pytest.raises(IdentityError, match=r"you@example\.org"):
        Identity("Breadcrumb", contact)


@pytest.mark.parametrize(
    "page", ["example.org/bot", "ftp://example.org", "https://example.org/b t", "https://e\r\nX: y"]
)
def test_a_policy_page_that_is_no_address_is_refused(page: str) -> None:
    with pytest.raises(IdentityError, match=r"https://example\.org/bot"):
        Identity("Breadcrumb", "", page)


def refusal(policy: AddressPolicy, host: str, port: int, address: str) -> str | None:
    (refused,) = policy.refusals(host, port, [ipaddress.ip_address(address)])
    return refused.rule if refused else None


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("fe80::1", False),
        ("fc00::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("2002:7f00:1::", False),
        ("::127.0.0.1", False),
        ("fec0::1", False),
        ("64:ff9b::10.0.0.1", False),
        ("64:ff9b::93.184.216.34", True),
        ("64:ff9b:1::93.184.216.34", False),
        ("::ffff:169.254.169.254", False),
        ("2001:0:7f00:1::1", False),
        ("::ffff:0:127.0.0.1", False),
        ("5f00::1", False),
        ("4000::1", False),
    ],
)
def test_an_address_is_public_or_not(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("bakery.localhost", True),
        ("127.0.0.5", True),
        ("::1", True),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("notlocalhost", False),
    ],
)
def test_loopback_is_known_by_its_name_without_a_look_up(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_a_seed_may_be_anywhere_its_operator_wants() -> None:
    policy = AddressPolicy([("intranet", 8080)], identified=False)
    assert refusal(policy, "intranet", 8080, "10.0.0.1") is None


def test_a_link_reaches_a_private_address_only_at_the_address_and_port_of_a_seed() -> None:
    policy = AddressPolicy([("intranet", 8080)], identified=True)
    assert refusal(policy, "evil.example", 8080, "10.0.0.1") == "address"
    assert refusal(policy, "intranet", 8080, "10.0.0.1") is None
    assert refusal(policy, "other-name", 8080, "10.0.0.1") is None
    assert refusal(policy, "other-name", 9090, "10.0.0.1") == "address"
    assert refusal(policy, "evil.example", 80, "169.254.169.254") == "address"


def test_nothing_goes_to_the_internet_before_the_robot_says_whose_it_is() -> None:
    assert refusal(AddressPolicy([("a.example", 80)], identified=False), "a.example", 80, "93.184.216.34") == "identity"
    assert refusal(AddressPolicy([("a.example", 80)], identified=True), "a.example", 80, "93.184.216.34") is None


def test_a_public_seed_whose_name_turns_to_a_private_address_is_not_followed_there() -> None:
    policy = AddressPolicy([("shop.example", 80)], identified=True)
    assert refusal(policy, "shop.example", 80, "93.184.216.34") is None
    assert refusal(policy, "shop.example", 80, "127.0.0.1") == "address"
    assert refusal(policy, "other.example", 80, "127.0.0.1") == "address"


def test_a_public_seed_stays_on_the_internet_in_later_runs(tmp_path: Path) -> None:
    for address, refused in (("93.184.216.34", None), ("10.0.0.1", "address")):
        settings = CommandSettings([f"DATA_DIR={tmp_path}", "CONTACT=me@example.org", "BOT_URL=https://example.org/"])
        crawl_settings = read_crawl_settings(settings, SpiderArguments(seeds="http://shop.example/"))
        session = crawl_settings.open_session()
        assert refusal(crawl_settings.addresses, "shop.example", 80, address) == refused
        session.close("finished")


def test_of_several_addresses_the_private_ones_are_left_out() -> None:
    addresses = [ipaddress.ip_address(text) for text in ("10.0.0.1", "93.184.216.34", "::1")]
    for host in ("seed.example", "linked.example"):
        policy = AddressPolicy([("seed.example", 80)], identified=True)
        rules = [refused and refused.rule for refused in policy.refusals(host, 80, addresses)]
        assert rules == ["address", None, "address"]


def test_a_seed_that_is_private_under_all_its_addresses_is_reached_at_each() -> None:
    policy = AddressPolicy([("intranet", 80)], identified=False)
    addresses = [ipaddress.ip_address(text) for text in ("10.0.0.1", "fd00::1")]
    assert policy.refusals("intranet", 80, addresses) == [None, None]
