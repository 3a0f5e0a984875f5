"""Who sends the requests, and to which machines? The robot gives its name, and keeps out of private networks.

*HTTP: The Definitive Guide* asks robots to send User-Agent, From, Accept and Referer. The owner of a site must be able
to find the owner of a robot (RFC 9110, 10.1.2 and 10.1.5). So no request goes to the open internet without CONTACT and
BOT_URL.

A web page may make us connect to public machines, and to a private one only where a seed already is. A page on the open
web can link to `http://192.168.1.1/` or to a name that resolves there. Following such a link would carry the operator's
own network into the index. So the policy checks the IP address, not the name, at the time of the connection.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from urls.host import DEFAULT_PORTS
from urls.records import Refusal
from urls.rules import ASK_FOR_IDENTITY, LED_ELSEWHERE, NO_SEED_THERE, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable


LOOPBACK_CONCURRENCY = 8  # connections to a host on this machine, where they disturb no other site
VERSION = "0.1"
_PRODUCT_TOKEN = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")  # RFC 9309, 2.2.1: letters, - and _; many have digits too
_EMAIL_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9-]{2,63}\Z")
_HEADER_SAFE = re.compile(r"https?://[\x21-\x7e]+\Z")


class IdentityError(ValueError):
    """A setting that names the robot's owner can't be used; the message says what would do."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The robot's product token, its owner's address, and the page with its policy; the last two may be empty."""

    product: str
    contact: str = ""
    bot_url: str = ""

    def __post_init__(self) -> None:
        if not _PRODUCT_TOKEN.match(self.product):
            raise IdentityError(
                f"PRODUCT={self.product!r} is no product token, by which a robots.txt can name a robot: "
                "give one word of letters, digits, - and _, such as Breadcrumb"
            )
        if self.contact and not _EMAIL_ADDRESS.match(self.contact):
            raise IdentityError(f"CONTACT={self.contact!r} is no e-mail address: give one like you@example.org")
        if self.bot_url and not _HEADER_SAFE.match(self.bot_url):
            raise IdentityError(f"BOT_URL={self.bot_url!r} is no web address: give one like https://example.org/bot")

    @property
    def complete(self) -> bool:
        """Whether a site's owner can reach the robot's: without it, no request leaves the operator's own network."""
        return bool(self.contact and self.bot_url)

    @property
    def user_agent(self) -> str:
        """The User-Agent header."""
        return f"{self.product}/{VERSION}" + (f" (+{self.bot_url})" if self.bot_url else "")

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request, except Accept."""
        return {"User-Agent": self.user_agent} | ({"From": self.contact} if self.contact else {})


LOOPBACK = "127.0.0.1"

# Networks whose last 32 bits are an IPv4 address: "IPv4-compatible" (RFC 4291, 2.5.5.1) and NAT64 (RFC 6052, 2.1).
_EMBEDDING = (ipaddress.IPv6Network("::/96"), ipaddress.IPv6Network("64:ff9b::/96"))
# All that IANA gives out. Beyond it are a NAT64 (RFC 8215), a SIIT (RFC 2765) and segments (RFC 9602) of one's own.
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


def endpoint_of(url: str) -> tuple[str, int]:
    """Return the host and port to which a request for `url` connects; port 0 for a scheme without a default."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)


@lru_cache(maxsize=1024)  # a crawl calls it for the same hosts, some ten times a request
def literal_address(host: str) -> IpAddress | None:
    """Return the address that `host` spells out, or None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def is_local_name(host: str) -> bool:
    """Return whether `host` is `localhost` or below it, which never leaves this machine (RFC 6761, 6.3)."""
    return host == "localhost" or host.endswith(".localhost")


def is_loopback(host: str) -> bool:
    """Return whether `host`, by its name or its spelt-out address, is this machine."""
    address = literal_address(host)
    return is_local_name(host) if address is None else address.is_loopback


def is_public(address: IpAddress) -> bool:
    """Return whether `address` is on the open internet; an IPv4 address inside an IPv6 one is checked itself."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and any(address in network for network in _EMBEDDING):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
        if address not in _GLOBAL_UNICAST:
            return False
    return address.is_global and not address.is_multicast


def is_public_host(host: str) -> bool:
    """Look `host` up and return whether it has an address on the open internet; OSError where the name is not known."""
    answers = socket.getaddrinfo(host.strip("[]"), None)
    found = (literal_address(str(answer[4][0]).partition("%")[0]) for answer in answers)
    return any(address is None or is_public(address) for address in found)


class AddressPolicy:
    """Checks IP addresses. A seed may be on any host, and the policy permits the IP address to which it resolves.

    A seed on the open internet stays there. Once its name has had a public IP address, a private one next to it or
    after it, in a later run too, is an attack (DNS rebinding). `identified` says whether CONTACT and BOT_URL are set:
    without them, no request goes to the open internet.
    """

    def __init__(self, seeds: Iterable[tuple[str, int]], *, identified: bool) -> None:
        self._seeds = frozenset(seeds)
        self._identified = identified
        self._public: set[str] = set()  # hosts of seeds that have had a public address
        self._note_public: Callable[[str], None] = self._public.add
        self._permitted: set[tuple[IpAddress, int]] = set()

    def permit_seeds(self, seeds: Iterable[tuple[str, int]]) -> None:
        """Permit the hosts and ports of more seeds."""
        self._seeds |= frozenset(seeds)

    def remember(self, public: Iterable[str], note: Callable[[str], None]) -> None:
        """Take in the `public` hosts of earlier runs, and give `note` each new one."""
        self._public |= frozenset(public)
        self._note_public = note

    def refusals(self, host: str, port: int, addresses: Collection[IpAddress]) -> list[Refusal | None]:
        """Return for each IP address of `host` why the policy rejects it, or None."""
        is_seed = (host, port) in self._seeds
        if is_seed and host not in self._public and any(is_public(address) for address in addresses):
            self._public.add(host)
            self._note_public(host)
        return [self._refusal(host, port, address, is_seed=is_seed) for address in addresses]

    def _refusal(self, host: str, port: int, address: IpAddress, *, is_seed: bool) -> Refusal | None:
        if is_public(address):
            unknown = Refusal(Rule.IDENTITY, f"{host} is on the internet: {ASK_FOR_IDENTITY}")
            return None if self._identified else unknown
        if is_seed and host not in self._public:
            self._permitted.add((address, port))
            return None
        if (address, port) in self._permitted:
            return None
        if not is_seed:
            return Refusal(Rule.ADDRESS, f"{host} is {address}, {NO_SEED_THERE} {address} port {port}")
        remedy = "if you mean the private one, give the address itself as a seed"
        return Refusal(Rule.ADDRESS, f"{host} is {address}, {LED_ELSEWHERE}; {remedy}")
