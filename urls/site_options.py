"""What can be switched on for a site? The aliases that have no general cure, each with what it needs to know.

The last three of the six kinds of alias in *HTTP: The Definitive Guide*, chapter 9 (letter case, index page, address
and name) hold for some sites and lose pages on others. So do a leading `www`, a final slash, session ids, tracking
parameters and the order of a query. Each is off until somebody who has seen the evidence switches it on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from urls.blacklist import target_of
from urls.canonical import UnusableUrl, normalize_path

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_NAMES = 100  # parameters or index pages of one option: more is a mistake in a file
MAX_NAME = 100  # characters of each


class SiteOption(Enum):
    """The options, in the order in which they are applied."""

    SESSION_IDS = "session-ids"
    TRACKING = "tracking"
    SORT_QUERY = "sort-query"
    LETTER_CASE = "letter-case"
    INDEX_PAGE = "index-page"
    TRAILING_SLASH = "trailing-slash"
    WWW = "www"
    ADDRESS = "address"


USUAL_NAMES = {
    SiteOption.SESSION_IDS: ("jsessionid", "phpsessid", "aspsessionid*", "sessionid", "session_id", "sid", "cfid",
                             "cftoken"),
    SiteOption.TRACKING: ("utm_*", "gclid", "dclid", "fbclid", "msclkid", "yclid", "mc_cid", "mc_eid", "igshid"),
    SiteOption.INDEX_PAGE: ("index.html", "index.htm", "index.php", "default.htm", "default.html", "default.asp"),
}  # fmt: skip
TELLS = {
    SiteOption.SESSION_IDS: "session ids go",
    SiteOption.TRACKING: "tracking parameters go",
    SiteOption.SORT_QUERY: "the query is sorted",
    SiteOption.LETTER_CASE: "the letters of the path are small",
    SiteOption.INDEX_PAGE: "the index page is its folder",
    SiteOption.TRAILING_SLASH: "the final slash goes",
    SiteOption.WWW: "with and without www is one site",
    SiteOption.ADDRESS: "the address is another name of the site",
}


class OptionError(ValueError):
    """An option can't be switched on; the message says what was given and what would work."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a site. `names` are what it goes by; empty: the usual ones. Of `address`: the other site."""

    option: SiteOption
    names: tuple[str, ...] = ()

    @property
    def known_names(self) -> tuple[str, ...]:
        """The names that it goes by, in small letters."""
        return self.names or USUAL_NAMES.get(self.option, ())

    def __str__(self) -> str:
        return f"{self.option.value} ({', '.join(self.names)})" if self.names else self.option.value


def choice_of(option: str, names: Sequence[str] = ()) -> Choice:
    """Return a choice as a person wrote it; raise `OptionError` for what can't be one."""
    try:
        known = SiteOption(option)
    except ValueError:
        all_of_them = ", ".join(each.value for each in SiteOption)
        raise OptionError(f"there is no option {option!r} of a site: choose from {all_of_them}") from None
    if known is SiteOption.ADDRESS:
        return Choice(known, (_site_named(names),))
    if names and known not in USUAL_NAMES:
        raise OptionError(f"{option} takes no names: write {option} = true")
    if len(names) > MAX_NAMES or any(not name or len(name) > MAX_NAME for name in names):
        raise OptionError(f"{option}: give at most {MAX_NAMES} names of 1 to {MAX_NAME} characters")
    return Choice(known, tuple(_name(option, name, stars=known is not SiteOption.INDEX_PAGE) for name in names))


def _name(option: str, given: str, *, stars: bool) -> str:
    """Return a name as canonical URLs have it, in small letters; raise `OptionError` for one that none can have."""
    if any(sign in given for sign in "/?#&=;") or "*" in (given[:-1] if stars else given):
        example = "utm_*, with a star at its end alone" if stars else "index.html"
        raise OptionError(f"{option}: {given!r} is no name that could stand in an address: {example} is one")
    return normalize_path(given).lower()


def _site_named(names: Sequence[str]) -> str:
    try:
        if len(names) == 1 and (target := target_of(names[0])).kind == "site":
            return target.name
    except UnusableUrl:
        pass
    raise OptionError('address needs the site that the pages are known by, as in address = "bakery.localhost:8400"')
