"""Which URLs are ours to fetch? Those on the sites of the seeds, or on their registered domains."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from crawldb.frontier.site import domain_of


class Breadth(Enum):
    """How far from a seed's site the crawl may go: setting `SCOPE`."""

    HOST = "host"
    DOMAIN = "domain"


@dataclass(frozen=True, slots=True)
class Scope:
    """The sites of the seeds, and whether their whole domains are meant."""

    sites: frozenset[str]
    breadth: Breadth = Breadth.HOST

    def covers(self, site: str) -> bool:
        """Return whether pages of `site` are fetched; a link to any other site is counted and not followed."""
        if site in self.sites:
            return True
        return self.breadth is Breadth.DOMAIN and domain_of(site) in {domain_of(seed) for seed in self.sites}
