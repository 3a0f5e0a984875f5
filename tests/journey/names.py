"""A name server that is a table: the guarded resolver uses it instead of the network.

The environment variable `NAMES` has JSON: each name with its lists of IP addresses, one list for each look-up. The last
list stays.
"""

import ipaddress
import json
import os
from typing import Any

from scrapy.resolver import HostResolution
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer

from spiders.downloader.resolver import GuardedResolver


@implementer(IHostnameResolver)
class Table:
    def __init__(self, names: dict[str, list[list[str]]]) -> None:
        self._names = names

    def resolveHostName(self, receiver: Any, hostName: str, portNumber: int = 0, *_: Any) -> HostResolution:  # noqa: N802, N803 - Twisted's names
        answers = self._names.get(hostName, [[]])
        resolution = HostResolution(hostName)
        receiver.resolutionBegan(resolution)
        for address in answers.pop(0) if len(answers) > 1 else answers[0]:
            kind = IPv4Address if ipaddress.ip_address(address).version == 4 else IPv6Address
            receiver.addressResolved(kind("TCP", address, portNumber))
        receiver.resolutionComplete()
        return resolution


class TabledResolver(GuardedResolver):
    def __init__(self, reactor: Any, cache_size: int) -> None:
        super().__init__(reactor, cache_size)
        self.original_resolver: Any = Table(json.loads(os.environ["NAMES"]))
