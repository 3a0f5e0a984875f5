"""Under which name does a site's own word put a URL? Its options, applied after the general canonical form.

They are applied until nothing changes any longer, so that the name found is its own name: `/a/index.html/` loses its
slash, then its index page, then the slash of its folder. Every option but two makes a URL shorter or puts it into an
order; the two that lead to another site are followed once each, so that two sites that name each other end too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from urls.canonical import Step, canonicalize
from urls.host import MAX_HOST
from urls.records import Refusal
from urls.rules import Rule
from urls.site import site_of
from urls.site_options import TELLS, Choice, SiteOption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urls.records import CanonicalUrl


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
        return Refusal(Rule.ALIAS, f"{steps[0].rule}; it is known as {steps[-1].after}") if steps else None

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


# -- What does one option make of a URL? Another spelling, which the site says is the same page.

WWW = "www."
_ADDRESS = re.compile(r"\[|[0-9.]+(?::[0-9]+)?\Z")  # of canonical sites, only an address ends in a number
# The part of a path into which ASP.NET puts a session for browsers without cookies: (S(…)), or (X(1)S(…)), or (…).
_COOKIELESS = re.compile(
    r"\((?:[a-z0-9]{24}|(?:[AFX]\([\w-]+\))*S\([a-z0-9]{24}\)(?:[AFX]\([\w-]+\))*)\)", re.IGNORECASE
)
_SMALL = re.compile(r"%[0-9A-F]{2}|[A-Z]+")  # an escape keeps its capitals: RFC 3986, 6.2.2.1


def rewritten(url: CanonicalUrl, choice: Choice) -> str:
    """Return what `choice` makes of a canonical URL; it may need to be made canonical again."""
    return _REWRITERS[choice.option](url, choice)


def counterpart(site: str) -> str:
    """Return the site with a leading `www.` where this one has none, and without where it has; an address has none."""
    if _ADDRESS.match(site) or len(site) > MAX_HOST - len(WWW):
        return site
    return site.removeprefix(WWW) if site.startswith(WWW) else WWW + site


def _session_ids(url: CanonicalUrl, choice: Choice) -> str:
    """Take named parameters out of the query, and out of the path: /shop;jsessionid=1F/basket; and /(S(x1…y2))/."""
    path, mark, query = _without(url, choice).partition("?")
    if ";" not in path and "(" not in path:
        return path + mark + query
    start = path.index("/", path.index("//") + 2)
    parts = []
    for part in path[start:].split("/"):
        head, *parameters = part.split(";")
        if parameters or choice.names or not _COOKIELESS.fullmatch(part):
            parts.append(";".join([head, *(each for each in parameters if not _named(each, choice))]))
    return path[:start] + "/".join(parts) + mark + query


def _without(url: CanonicalUrl, choice: Choice) -> str:
    path, mark, query = url.partition("?")
    if not mark:
        return url
    kept = [pair for pair in query.split("&") if not _named(pair, choice)]
    return f"{path}?{'&'.join(kept)}" if kept else path


def _named(pair: str, choice: Choice) -> bool:
    name = pair.partition("=")[0].lower()
    return any(name.startswith(known[:-1]) if known.endswith("*") else name == known for known in choice.known_names)


def _sorted_query(url: CanonicalUrl, _: Choice) -> str:
    """Sort by name alone: `a=2&a=1` says something else than `a=1&a=2`."""
    if "&" not in url:
        return url
    path, mark, query = url.partition("?")
    return path + mark + "&".join(sorted(query.split("&"), key=lambda pair: pair.partition("=")[0]))


def _small_letters(url: CanonicalUrl, _: Choice) -> str:
    """Fold the path; a query's values are data, whose case a program may read."""
    path, mark, query = url.partition("?")
    return _SMALL.sub(lambda found: found[0] if found[0][0] == "%" else found[0].lower(), path) + mark + query


def _folder(url: CanonicalUrl, choice: Choice) -> str:
    if "?" in url:
        return url  # with a query it is a program, not a page
    head, slash, last = url.rpartition("/")
    return head + slash if last.lower() in choice.known_names else url


def _without_final_slash(url: CanonicalUrl, _: Choice) -> str:
    path, mark, query = url.partition("?")
    root = path.index("/", path.index("//") + 2)
    return (path[:-1] if path.endswith("/") and len(path) > root + 1 else path) + mark + query


def _www(url: CanonicalUrl, _: Choice) -> str:
    return on_site(url, counterpart(site_of(url)))


def _address(url: CanonicalUrl, choice: Choice) -> str:
    return on_site(url, choice.names[0])


def on_site(url: CanonicalUrl, site: str) -> str:
    """Return the URL with the same path on another site."""
    return url.replace(f"//{site_of(url)}/", f"//{site}/", 1)


_REWRITERS: dict[SiteOption, Callable[[CanonicalUrl, Choice], str]] = {
    SiteOption.SESSION_IDS: _session_ids,
    SiteOption.TRACKING: _without,
    SiteOption.SORT_QUERY: _sorted_query,
    SiteOption.LETTER_CASE: _small_letters,
    SiteOption.INDEX_PAGE: _folder,
    SiteOption.TRAILING_SLASH: _without_final_slash,
    SiteOption.WWW: _www,
    SiteOption.ADDRESS: _address,
}
