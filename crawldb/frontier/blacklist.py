"""Which URLs are never fetched because a person said so? Those that `block` put on the blacklist.

An entry is one URL, which also covers everything below it when it ends with a slash, or a site. It is how a
complaint ends: the owner of a site asks, one command answers, and the pages are gone from the results at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.frontier.site import site_of
from crawldb.page import Refusal

if TYPE_CHECKING:
    from crawldb.page import CanonicalUrl


@dataclass(frozen=True, slots=True)
class Blacklist:
    """Blocked sites and canonical URLs, each with the reason that was given."""

    sites: dict[str, str]
    urls: dict[str, str]

    def refusal(self, url: CanonicalUrl) -> Refusal | None:
        """Return why `url` is blocked, or None."""
        site = site_of(url)
        if site in self.sites:
            return Refusal("blocked", _because(f"the site {site} is on the blacklist", self.sites[site]))
        for prefix in (url, *_folders(url)):
            if prefix in self.urls:
                return Refusal("blocked", _because(f"{prefix} is on the blacklist", self.urls[prefix]))
        return None


def _because(what: str, reason: str) -> str:
    return f"{what}: {reason}" if reason else what


def _folders(url: CanonicalUrl) -> list[str]:
    root = url.index("/", url.index("//") + 2)
    path = url.partition("?")[0]
    return [path[: at + 1] for at, letter in enumerate(path) if letter == "/" and at >= root]
