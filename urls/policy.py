"""May this URL enter the frontier? The whole policy on URLs in one call, used wherever a URL is found.

Links, redirects, sitemaps and seeds all go through `Policy.check`. Its result is one of four: accepted under the
canonical URL; refused with a rule and a reason; off site, which is only counted; or unusable: no URL to fetch.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from urls.blacklist import Blacklist
from urls.canonical import UnusableUrl, canonicalize, site_of
from urls.host import DEFAULT_PORTS
from urls.records import CanonicalUrl, Refusal
from urls.rules import Rule
from urls.site_options import Options
from urls.traps import Limits, Released, shape_refusal

if TYPE_CHECKING:
    from urls.canonical import Scope


OF_SITES = (Rule.OFF_SITE, Rule.PORT)  # that refuse a whole site, whatever the form of its URLs


class Ruling(Enum):
    """The result of the policy for a URL."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    OFF_SITE = "off-site"
    UNUSABLE = "unusable"  # not an http(s) URL at all, so not "discovered" either


@dataclass(frozen=True, slots=True)
class PolicyDecision:
    """The ruling on one URL, with its canonical form if it has one, and the refusal if there is one."""

    ruling: Ruling
    url: CanonicalUrl | None = None
    refusal: Refusal | None = None
    general: CanonicalUrl | None = None  # its canonical form before the options of its site: the blacklist knows both


@dataclass(frozen=True, slots=True)
class Policy:
    """Scope, blacklist and limits together. `ports` are allowed in addition to 80, 443 and those of the seeds."""

    scope: Scope
    blacklist: Blacklist = field(default_factory=lambda: Blacklist({}, {}))
    limits: Limits = field(default_factory=Limits)
    ports: frozenset[int] = frozenset()
    options: Options = field(default_factory=Options)
    released: Released = field(default_factory=Released)
    year: int = 9999  # the present one: a date too far from it is a trap's

    def check(self, url: str, depth: int = 0) -> PolicyDecision:
        """Check an absolute URL that was found `depth` links from a seed."""
        return self.check_form(self.place(url), depth)

    def place(self, url: str) -> PolicyDecision:
        """Check only the place of a URL: a URL in scope is accepted, whatever its form."""
        try:
            general = canonicalize(url)
            canonical = self.options.canonical(general)
        except UnusableUrl as error:
            return PolicyDecision(Ruling.UNUSABLE, refusal=error.refusal)
        site = site_of(canonical)
        refusal = self.port_refusal(canonical, site)
        if refusal:
            return PolicyDecision(Ruling.UNUSABLE, canonical, refusal)
        if not self.covers(site):
            refusal = Refusal(Rule.OFF_SITE, f"no seed is on {site}: links to it are counted, not followed")
            return PolicyDecision(Ruling.OFF_SITE, canonical, refusal)
        return PolicyDecision(Ruling.ACCEPTED, canonical, general=general)

    def check_form(self, place: PolicyDecision, depth: int) -> PolicyDecision:
        """Check the form of a URL in scope: whether it is blocked, and whether it has the shape of a trap."""
        url = place.url
        if url is None or place.ruling is not Ruling.ACCEPTED:
            return place
        refusal = self.blocked(place.general or url, url) or shape_refusal(
            url, depth, self.limits, year=self.year, released=self.released.covers(url)
        )
        return replace(place, ruling=Ruling.REFUSED, refusal=refusal) if refusal else place

    def covers(self, site: str) -> bool:
        """Return whether pages of `site` are fetched: it is in scope, or an option makes it a site that is."""
        if self.scope.covers(site):
            return True
        return bool(self.options.by_site) and site in self.options.sites_beside(self.scope.sites)

    def blocked(self, general: CanonicalUrl, canonical: CanonicalUrl) -> Refusal | None:
        """Return why a URL is blocked: under its own spelling, or under the one that the site's options give it."""
        refusal = self.blacklist.refusal(general)
        return refusal if refusal or canonical == general else self.blacklist.refusal(canonical)

    def port_refusal(self, url: CanonicalUrl, site: str) -> Refusal | None:
        """Return why the port of `url` is forbidden, or None.

        A web page may not make us talk to a mail server: 80, 443, the seeds' ports and ALLOWED_PORTS are all there is.
        """
        port = port_of_site(site) or DEFAULT_PORTS[url.partition(":")[0]]
        if port in DEFAULT_PORTS.values() or site in self.scope.sites or port in self.ports:
            return None
        if port in {port_of_site(seed) for seed in self.scope.sites}:
            return None
        return Refusal(Rule.PORT, f"port {port} is not 80, 443, a seed's, or in ALLOWED_PORTS")


def port_of_site(site: str) -> int | None:
    """Return the port that a site's name carries, or None where it is the default one."""
    port = site.rpartition("]")[2].partition(":")[2]
    return int(port) if port else None
