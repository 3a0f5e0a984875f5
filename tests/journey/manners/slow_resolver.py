"""A resolver that looks long for a host the first time: the turn of a request is long before it leaves."""

from typing import Any

from scrapy.resolver import HostResolution

from spiders.downloader.resolver import GuardedResolver

SECONDS = 0.4


class SlowResolver(GuardedResolver):
    """Ours, later."""

    is_first = True

    def resolveHostName(self, resolutionReceiver: Any, hostName: str, *more: Any, **named: Any) -> Any:  # noqa: N802, N803 - Twisted's names
        if not self.is_first:
            return super().resolveHostName(resolutionReceiver, hostName, *more, **named)
        self.is_first = False
        look = super().resolveHostName
        self.reactor.callLater(SECONDS, look, resolutionReceiver, hostName, *more, **named)
        return HostResolution(hostName)
