"""Under which name does a site's own word put a URL? Its options, applied after the general canonical form.

They are applied until nothing changes any longer, so that the name found is its own name: `/a/index.html/` loses its
slash, then its index page, then the slash of its folder. Every option but two makes a URL shorter or puts it into an
order; the two that lead to another site are followed once each, so that two sites that name each other end too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawldb.frontier.canonical import Step, canonicalize
from crawldb.frontier.options.choice import TELLS, Choice, SiteOption
from crawldb.frontier.options.rewriting import counterpart, rewritten
from crawldb.frontier.site import site_of
from crawldb.page import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.page import CanonicalUrl

ALIAS = "alias"  # the rule of a URL that an option makes another spelling of one that is known
ELSEWHERE = frozenset({SiteOption.WWW, SiteOption.ADDRESS})  # options that lead to another site
_ORDER = {option: place for place, option in enumerate(SiteOption)}


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of each site, by its name. Empty, it costs nothing."""

    by_site: dict[str, tuple[Choice, ...]] = field(default_factory=dict)

    def canonical(self, url: CanonicalUrl) -> CanonicalUrl:
        """Return the URL under which a canonical URL is known."""
        if not self.by_site or site_of(url) not in self.by_site:
            return url
        for _, after in self._walk(url):
            url = after
        return url

    def steps(self, url: CanonicalUrl) -> list[Step]:
        """Return the steps that options add to those of the general canonical form."""
        steps: list[Step] = []
        for choice, after in self._walk(url):
            rule = f"option {choice.option.value} of {site_of(url)}: {TELLS[choice.option]}"
            steps.append(Step(rule, url, after))
            url = after
        return steps

    def refusal(self, url: CanonicalUrl) -> Refusal | None:
        """Return why a page is not kept under `url`: it has another name; None: it has this one."""
        steps = self.steps(url) if self.canonical(url) != url else []
        return Refusal(ALIAS, f"{steps[0].rule}; it is known as {steps[-1].after}") if steps else None

    def sites_beside(self, sites: frozenset[str]) -> frozenset[str]:
        """Return the sites that options make the same as `sites`: what is known there is in scope as well."""
        found = set(sites)
        for _ in self.by_site:  # a chain is at most as long as there are sites
            found |= {self._target(site, choice) for site in found for choice in self.by_site.get(site, ())} - {""}
        return frozenset(found)

    def told(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """Return what tells two sets of options apart, in a fixed order."""
        return sorted(
            (site, choice.option.value, choice.names) for site, chosen in self.by_site.items() for choice in chosen
        )

    def _walk(self, url: CanonicalUrl) -> Iterator[tuple[Choice, CanonicalUrl]]:
        left: set[str] = set()  # sites: none is come back to
        changed = True
        while changed:
            changed = False
            for choice in sorted(self.by_site.get(site_of(url), ()), key=lambda each: _ORDER[each.option]):
                site = site_of(url)
                if self._target(site, choice) in left:
                    continue
                after = canonicalize(rewritten(url, choice))
                if after == url:
                    continue
                yield choice, after
                url, changed = after, True
                if site_of(url) != site:
                    left.add(site)
                    break  # from here on the options of that site hold

    @staticmethod
    def _target(site: str, choice: Choice) -> str:
        if choice.option is SiteOption.WWW:
            return counterpart(site)
        return choice.names[0] if choice.option is SiteOption.ADDRESS else ""
