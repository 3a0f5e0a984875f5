"""Where is a host? One resolver for every fetch: it knows `*.localhost`, and refuses what the address policy forbids.

Twisted calls it with host and port just before each connection, even if the host is an IP address. So it checks the IP
address of the connection itself, even if a name first has a public one and then a private one.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from scrapy.resolver import CachingHostnameResolver, HostResolution
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from spiders.downloader.address_policy import LOOPBACK, AddressPolicy, is_local_name, literal_address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from twisted.internet.base import ReactorBase

    from urls.records import Refusal

MAX_HOSTS = 100_000  # hosts whose addresses are remembered: some 20 MB


@implementer(IHostnameResolver)
class GuardedResolver(CachingHostnameResolver):
    """Scrapy's caching resolver behind the address policy of the spider's session.

    Settings: DNSCACHE_ENABLED, DNSCACHE_SIZE, DNS_TIMEOUT (Scrapy's own, whose resolver for both kinds of addresses
    has no time limit).
    """

    def __init__(self, reactor: ReactorBase, cache_size: int) -> None:
        super().__init__(reactor, cache_size)
        self.policy = AddressPolicy((), identified=False)  # the spider sets its own
        self.refusals: dict[tuple[str, int], Refusal] = {}
        self.addresses: dict[str, frozenset[str]] = {}  # by host: its last IP addresses
        self.seconds = 0.0  # that a look-up may take; 0: no limit

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> GuardedResolver:
        """Build the resolver for a crawler."""
        made = super().from_crawler(crawler, reactor)
        made.seconds = crawler.settings.getfloat("DNS_TIMEOUT")
        return made

    @classmethod
    def installed(cls) -> GuardedResolver:
        """Return the resolver of the running reactor; raise TypeError where it is another one."""
        from twisted.internet import reactor  # importing it earlier would choose the reactor

        resolver = getattr(reactor, "nameResolver", None)
        if not isinstance(resolver, cls):
            raise TypeError(
                "TWISTED_DNS_RESOLVER must be spiders.downloader.resolver.GuardedResolver: it guards every connection"
            )
        return resolver

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type[Any]] | None = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        """Resolve `hostName`, and pass on only the addresses that the policy permits for `portNumber`."""
        receiver = _GuardedReceiver(resolutionReceiver, self, hostName, portNumber)
        literal = LOOPBACK if is_local_name(hostName) else hostName
        address = literal_address(literal)
        if address is None:
            if self.seconds:
                receiver.late = self.reactor.callLater(
                    self.seconds, receiver.resolutionComplete
                )  # with the addresses found so far
            return super().resolveHostName(
                receiver,  # type: ignore[arg-type]  # zope.interface declares that it is an IResolutionReceiver
                hostName,
                portNumber,
                addressTypes,
                transportSemantics,
            )
        kind = IPv6Address if isinstance(address, ipaddress.IPv6Address) else IPv4Address
        resolution = HostResolution(hostName)
        receiver.resolutionBegan(resolution)
        receiver.addressResolved(kind("TCP", str(address), portNumber))
        receiver.resolutionComplete()
        return resolution


@implementer(IResolutionReceiver)
class _GuardedReceiver:
    """Passes on to Twisted's receiver the IP addresses that the policy permits."""

    def __init__(self, receiver: Any, resolver: GuardedResolver, host: str, port: int) -> None:
        self._receiver = receiver
        self._resolver = resolver
        self._host = host
        self._port = port
        self._answers: list[Any] = []
        self._over = False
        self.late: Any = None  # the call that ends a look-up which takes too long

    def resolutionBegan(self, resolution: Any) -> None:
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:
        self._answers.append(address)  # they are checked together: one result may depend on another IP address

    def resolutionComplete(self) -> None:
        if self._over:
            return  # it comes too late: the caller has continued
        self._over = True
        if self.late is not None and self.late.active():
            self.late.cancel()
        resolver, endpoint = self._resolver, (self._host, self._port)
        addresses = [ipaddress.ip_address(answer.host.partition("%")[0]) for answer in self._answers]
        refusals = resolver.policy.refusals(self._host, self._port, addresses)
        passed = [answer for answer, refusal in zip(self._answers, refusals, strict=True) if refusal is None]
        refused = next(filter(None, refusals), None)
        # Only where no address is left to connect to does the refusal explain the failure that follows.
        if refused is not None and not passed:
            resolver.refusals[endpoint] = refused
        else:
            resolver.refusals.pop(endpoint, None)
        if len(resolver.addresses) >= MAX_HOSTS:
            resolver.addresses.clear()
        resolver.addresses[self._host] = frozenset(answer.host for answer in passed)
        for answer in passed:
            self._receiver.addressResolved(answer)
        self._receiver.resolutionComplete()
