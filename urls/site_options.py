"""Which aliases are true for some sites only? Each is an option of a site, with the URL that it gives.

The last three of the six kinds of alias in *HTTP: The Definitive Guide*, chapter 9 (letter case, index page, IP address
and name) hold for some sites and lose pages on others. So do a leading `www`, a final slash, session ids, tracking
parameters, the order of a query, and mirrors. Each is an option. It is off until a person who has seen the evidence
switches it on for a site. Options apply after the general canonical form.

Options apply until nothing changes any longer, so the resulting URL is its own result: `/a/index.html/` loses its
slash, then its index page, then the slash of its folder. All options but three shorten a URL or sort it. The three that
change the site apply once each, so two sites that name each other end too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from urls.blacklist import TargetKind, target_of
from urls.canonical import Step, UnusableUrl, canonicalize, normalize_path, site_of
from urls.host import MAX_HOST
from urls.records import Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from urls.records import CanonicalUrl

MAX_NAMES = 100  # parameters or index pages of one option: more is a mistake in a file
MAX_NAME = 100  # characters of each
WWW = "www."

_ADDRESS = re.compile(r"\[|[0-9.]+(?::[0-9]+)?\Z")  # of canonical sites, only an address ends in a number
# The part of a path into which ASP.NET puts a session for browsers without cookies: (S(…)), or (X(1)S(…)), or (…).
_COOKIELESS = re.compile(
    r"\((?:[a-z0-9]{24}|(?:[AFX]\([\w-]+\))*S\([a-z0-9]{24}\)(?:[AFX]\([\w-]+\))*)\)", re.IGNORECASE
)
_CAPITALS = re.compile(r"%[0-9A-F]{2}|[A-Z]+")  # an escape keeps its capitals: RFC 3986, 6.2.2.1


class SiteOption(StrEnum):
    """The options, in the order in which they are applied: what each does, and the names that it usually goes by."""

    effect: str
    usual_names: tuple[str, ...]  # of parameters or index pages; none: the option takes no names

    def __new__(cls, word: str, effect: str = "", usual_names: str = "") -> Self:
        """Make a member whose value is its word, as seeds files and the column `site_option.option` have it."""
        option = str.__new__(cls, word)
        option._value_ = word
        option.effect = effect
        option.usual_names = tuple(usual_names.split())
        return option

    SESSION_IDS = (
        "session-ids",
        "session ids go",
        "jsessionid phpsessid aspsessionid* sessionid session_id sid cfid cftoken",
    )
    TRACKING = ("tracking", "tracking parameters go", "utm_* gclid dclid fbclid msclkid yclid mc_cid mc_eid igshid")
    SORT_QUERY = "sort-query", "the query is sorted"
    LETTER_CASE = "letter-case", "the letters of the path are small"
    INDEX_PAGE = (
        "index-page",
        "the index page is its folder",
        "index.html index.htm index.php default.htm default.html default.asp",
    )
    TRAILING_SLASH = "trailing-slash", "the final slash goes"
    WWW = "www", "with and without www is one site"
    ADDRESS = "address", "the address is another name of the site"
    MIRROR = "mirror", "the site is a mirror of another one"


_NAMES_A_SITE = frozenset({SiteOption.ADDRESS, SiteOption.MIRROR})
LEAD_ELSEWHERE = _NAMES_A_SITE | {SiteOption.WWW}  # to another site
_ORDER = {option: place for place, option in enumerate(SiteOption)}


class OptionError(ValueError):
    """An option can't be switched on; the message says what was given and what would work."""


@dataclass(frozen=True, slots=True)
class ChosenOption:
    """One option of a site. `names` are its names (empty: the usual ones), or for two options the other site."""

    option: SiteOption
    names: tuple[str, ...] = ()

    @property
    def known_names(self) -> tuple[str, ...]:
        """Its names, in lower case."""
        return self.names or self.option.usual_names

    def __str__(self) -> str:
        return f"{self.option} ({', '.join(self.names)})" if self.names else self.option


def chosen_option(option: str, names: Sequence[str] = ()) -> ChosenOption:
    """Return a choice as a person wrote it; raise `OptionError` for what can't be one."""
    try:
        known = SiteOption(option)
    except ValueError:
        all_of_them = ", ".join(SiteOption)
        raise OptionError(f"there is no option {option!r} of a site: choose from {all_of_them}") from None
    if known in _NAMES_A_SITE:
        return ChosenOption(known, (_site_named(option, names),))
    if names and not known.usual_names:
        raise OptionError(f"{option} takes no names: write {option} = true")
    if len(names) > MAX_NAMES or any(not name or len(name) > MAX_NAME for name in names):
        raise OptionError(f"{option}: give at most {MAX_NAMES} names of 1 to {MAX_NAME} characters")
    return ChosenOption(known, tuple(_name(option, name, stars=known is not SiteOption.INDEX_PAGE) for name in names))


def _name(option: str, given: str, *, stars: bool) -> str:
    """Return a name as in canonical URLs, in lower case. Raises `OptionError` for an impossible one."""
    if any(sign in given for sign in "/?#&=;") or "*" in (given[:-1] if stars else given):
        example = "utm_*, with a star at its end alone" if stars else "index.html"
        raise OptionError(f"{option}: {given!r} is no name that could stand in an address: {example} is one")
    return normalize_path(given).lower()


def _site_named(option: str, names: Sequence[str]) -> str:
    try:
        if len(names) == 1 and (target := target_of(names[0])).kind is TargetKind.SITE:
            return target.name
    except UnusableUrl:
        pass
    raise OptionError(f'{option} needs the site that the pages are known by, as in {option} = "bakery.localhost:8400"')


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of each site, by its name. Empty, it costs nothing."""

    by_site: dict[str, tuple[ChosenOption, ...]] = field(default_factory=dict)

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
            rule = f"option {choice.option} of {site_of(url)}: {choice.option.effect}"
            steps.append(Step(rule, url, after))
            url = after
        return steps

    def refusal(self, url: CanonicalUrl) -> Refusal | None:
        """Return why a page is not kept under `url`: it has another name; None: it has this one."""
        steps = self.steps(url) if self.canonical(url) != url else []
        return Refusal(Rule.ALIAS, f"{steps[0].rule}; it is known as {steps[-1].after}") if steps else None

    def first_choice(self, url: CanonicalUrl) -> ChosenOption | None:
        """Return the first option that renames `url`."""
        return next((choice for choice, _ in self._walk(url)), None)

    def sites_beside(self, sites: frozenset[str]) -> frozenset[str]:
        """Return the sites that options make the same as `sites`: what is known there is in scope as well."""
        found = set(sites)
        for _ in self.by_site:  # a chain is at most as long as there are sites
            found |= {self._other_site(site, choice) for site in found for choice in self.by_site.get(site, ())} - {""}
        return frozenset(found)

    def sorted_choices(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """Return the options as a sorted tuple: two equal sets have equal tuples."""
        return sorted(
            (site, choice.option.value, choice.names) for site, chosen in self.by_site.items() for choice in chosen
        )

    def _walk(self, url: CanonicalUrl) -> Iterator[tuple[ChosenOption, CanonicalUrl]]:
        left: set[str] = set()  # sites: none is come back to
        changed = True
        while changed:
            changed = False
            for choice in sorted(self.by_site.get(site_of(url), ()), key=lambda each: _ORDER[each.option]):
                site = site_of(url)
                if self._other_site(site, choice) in left:
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
    def _other_site(site: str, choice: ChosenOption) -> str:
        if choice.option is SiteOption.WWW:
            return www_counterpart(site)
        return choice.names[0] if choice.option in _NAMES_A_SITE else ""


def rewritten(url: CanonicalUrl, choice: ChosenOption) -> str:
    """Return what `choice` makes of a canonical URL; it may need to be made canonical again."""
    return _REWRITERS[choice.option](url, choice)


def www_counterpart(site: str) -> str:
    """Return the site with a leading `www.` where this one has none, and without where it has; an address has none."""
    if _ADDRESS.match(site) or len(site) > MAX_HOST - len(WWW):
        return site
    return site.removeprefix(WWW) if site.startswith(WWW) else WWW + site


def _session_ids(url: CanonicalUrl, choice: ChosenOption) -> str:
    """Take named parameters out of the query, and out of the path: /shop;jsessionid=1F/basket; and /(S(x1…y2))/."""
    path, mark, query = _without_parameters(url, choice).partition("?")
    if ";" not in path and "(" not in path:
        return path + mark + query
    start = path.index("/", path.index("//") + 2)
    parts = []
    for part in path[start:].split("/"):
        head, *parameters = part.split(";")
        if parameters or choice.names or not _COOKIELESS.fullmatch(part):
            parts.append(";".join([head, *(each for each in parameters if not _named(each, choice))]))
    return path[:start] + "/".join(parts) + mark + query


def _without_parameters(url: CanonicalUrl, choice: ChosenOption) -> str:
    path, mark, query = url.partition("?")
    if not mark:
        return url
    kept = [pair for pair in query.split("&") if not _named(pair, choice)]
    return f"{path}?{'&'.join(kept)}" if kept else path


def _named(pair: str, choice: ChosenOption) -> bool:
    name = pair.partition("=")[0].lower()
    return any(name.startswith(known[:-1]) if known.endswith("*") else name == known for known in choice.known_names)


def _sorted_query(url: CanonicalUrl, _: ChosenOption) -> str:
    """Sort by name alone: `a=2&a=1` says something else than `a=1&a=2`."""
    if "&" not in url:
        return url
    path, mark, query = url.partition("?")
    return path + mark + "&".join(sorted(query.split("&"), key=lambda pair: pair.partition("=")[0]))


def _small_letters(url: CanonicalUrl, _: ChosenOption) -> str:
    """Fold the path; a query's values are data, whose case a program may read."""
    path, mark, query = url.partition("?")
    return _CAPITALS.sub(lambda found: found[0] if found[0][0] == "%" else found[0].lower(), path) + mark + query


def _without_index_page(url: CanonicalUrl, choice: ChosenOption) -> str:
    if "?" in url:
        return url  # with a query it is a program, not a page
    head, slash, last = url.rpartition("/")
    return head + slash if last.lower() in choice.known_names else url


def _without_final_slash(url: CanonicalUrl, _: ChosenOption) -> str:
    path, mark, query = url.partition("?")
    root = path.index("/", path.index("//") + 2)
    return (path[:-1] if path.endswith("/") and len(path) > root + 1 else path) + mark + query


def _www(url: CanonicalUrl, _: ChosenOption) -> str:
    return on_site(url, www_counterpart(site_of(url)))


def _address(url: CanonicalUrl, choice: ChosenOption) -> str:
    return on_site(url, choice.names[0])


def on_site(url: CanonicalUrl, site: str) -> str:
    """Return the URL with the same path on another site."""
    return url.replace(f"//{site_of(url)}/", f"//{site}/", 1)


_REWRITERS: dict[SiteOption, Callable[[CanonicalUrl, ChosenOption], str]] = {
    SiteOption.SESSION_IDS: _session_ids,
    SiteOption.TRACKING: _without_parameters,
    SiteOption.SORT_QUERY: _sorted_query,
    SiteOption.LETTER_CASE: _small_letters,
    SiteOption.INDEX_PAGE: _without_index_page,
    SiteOption.TRAILING_SLASH: _without_final_slash,
    SiteOption.WWW: _www,
    SiteOption.ADDRESS: _address,
    SiteOption.MIRROR: _address,
}
