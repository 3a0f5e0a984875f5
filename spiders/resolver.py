"""Where is a host? One resolver for every fetch: it knows `*.localhost`, and it drops addresses nobody meant.

Twisted asks here with host and port just before each connection, addresses spelt out included. What is judged is thus
what is connected to: a name that answers with a public address first and a private one later gains nothing.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from scrapy.resolver import CachingHostnameResolver, HostResolution
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from spiders.address_policy import LOOPBACK, AddressPolicy, is_local_name, literal_address

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
        self.policy = AddressPolicy((), identified=False)  # the spider puts its own here
        self.refusals: dict[tuple[str, int], Refusal] = {}
        self.addresses: dict[str, frozenset[str]] = {}  # by host: what it was last resolved to
        self.seconds = 0.0  # that a look-up may take; 0: no limit

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> GuardedResolver:
        """Build the resolver for a crawler."""
        made = super().from_crawler(crawler, reactor)
        made.seconds = crawler.settings.getfloat("DNS_TIMEOUT")
        return made

    @classmethod
    def installed(cls) -> GuardedResolver:
        """Return the resolver that the running reactor asks, or raise TypeError where it is another one."""
        from twisted.internet import reactor  # noqa: PLC0415 - importing it earlier would choose the reactor

        resolver = getattr(reactor, "nameResolver", None)
        if not isinstance(resolver, cls):
            raise TypeError("TWISTED_DNS_RESOLVER must be spiders.resolver.GuardedResolver: it guards every connection")
        return resolver

    def resolveHostName(  # noqa: N802 - Twisted's name
        self,
        resolutionReceiver: Any,  # noqa: N803 - Twisted's name
        hostName: str,  # noqa: N803 - Twisted's name
        portNumber: int = 0,  # noqa: N803 - Twisted's name
        addressTypes: Sequence[type[Any]] | None = None,  # noqa: N803 - Twisted's name
        transportSemantics: str = "TCP",  # noqa: N803 - Twisted's name
    ) -> Any:
        """Resolve `hostName`, passing on only the addresses that the policy permits for `portNumber`."""
        receiver = _GuardedReceiver(resolutionReceiver, self, hostName, portNumber)
        literal = LOOPBACK if is_local_name(hostName) else hostName
        address = literal_address(literal)
        if address is None:
            if self.seconds:
                receiver.late = self.reactor.callLater(self.seconds, receiver.resolutionComplete)  # with what there is
            # zope.interface declares what mypy can't see: our receiver is an IResolutionReceiver.
            return super().resolveHostName(
                receiver,  # type: ignore[arg-type]  # zope.interface declares it, mypy does not see that
                hostName,
                portNumber,
                addressTypes,
                transportSemantics,
            )
        kind = IPv4Address if address.version == 4 else IPv6Address  # noqa: PLR2004 - the two there are
        resolution = HostResolution(hostName)
        receiver.resolutionBegan(resolution)
        receiver.addressResolved(kind("TCP", str(address), portNumber))
        receiver.resolutionComplete()
        return resolution


@implementer(IResolutionReceiver)
class _GuardedReceiver:
    """Stands before Twisted's receiver and lets through what the policy permits."""

    def __init__(self, receiver: Any, resolver: GuardedResolver, host: str, port: int) -> None:
        self._receiver = receiver
        self._resolver = resolver
        self._host = host
        self._port = port
        self._answers: list[Any] = []
        self._over = False
        self.late: Any = None  # the call that ends a look-up which takes too long

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802 - Twisted's name
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802 - Twisted's name
        self._answers.append(address)  # what one of them is worth may depend on the others

    def resolutionComplete(self) -> None:  # noqa: N802 - Twisted's name
        if self._over:
            return  # it comes too late: whoever asked has gone on
        self._over = True
        if self.late is not None and self.late.active():
            self.late.cancel()
        resolver, where = self._resolver, (self._host, self._port)
        addresses = [ipaddress.ip_address(answer.host.partition("%")[0]) for answer in self._answers]
        refusals = resolver.policy.refusals(self._host, self._port, addresses)
        passed = [answer for answer, refusal in zip(self._answers, refusals, strict=True) if refusal is None]
        refused = next(filter(None, refusals), None)
        # A refusal explains the failure that follows only where no address was left to connect to.
        if refused is not None and not passed:
            resolver.refusals[where] = refused
        else:
            resolver.refusals.pop(where, None)
        if len(resolver.addresses) >= MAX_HOSTS:
            resolver.addresses.clear()
        resolver.addresses[self._host] = frozenset(answer.host for answer in passed)
        for answer in passed:
            self._receiver.addressResolved(answer)
        self._receiver.resolutionComplete()
