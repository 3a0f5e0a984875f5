"""Which URLs has a person let go? For these no rule about traps holds (`crawldb/frontier/release.py` lets them go)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Released:
    """The URLs that a person has released, for the policy to ask."""

    urls: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()

    def covers(self, url: str) -> bool:
        """Return whether no rule about traps holds for `url`."""
        return url in self.urls or (bool(self.beginnings) and url.startswith(self.beginnings))
