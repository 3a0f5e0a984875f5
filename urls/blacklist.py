"""Which URLs did a person forbid to fetch? Those on the blacklist, from `block` or from a file.

An entry is one URL, a site, or a pattern of either with `*` in it. A folder is the pattern `FOLDER*`. A complaint ends
so: the owner of a site writes, one command answers, and the pages leave the results at once.

A blacklist file has one entry a line. There a URL that ends with a slash means the folder: everything below it stays
out of the crawl. A reason may follow after a blank and a `#`. A line that begins with `#` is a comment. A pattern is
compared piece by piece from the left, without backtracking, whatever the pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from urls.canonical import UnusableUrl, canonicalize, site_of
from urls.host import DEFAULT_PORTS, BadHost, canonical_host
from urls.records import CanonicalUrl, Refusal
from urls.rules import Rule
from urls.wording import shell_word

STAR = "*"  # in a pattern: any run of characters
MAX_PATTERN = 1000  # characters, as long as a URL may be
MAX_BYTES = 10 * 1024 * 1024  # of a file: some 200,000 lines

_SITE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_:[]*")
_AUTHORITY = re.compile(r"[^/?#\\]*")
_LINE_END = re.compile(r"\r\n|\r|\n")  # str.splitlines would end a line, and begin an entry, within a reason as well
_REASON = re.compile(r"[ \t]#")


class TargetKind(StrEnum):
    """The kind of an entry, as in the column `block.kind`."""

    SITE = "site"
    URL = "url"
    PATTERN = "pattern"


@dataclass(frozen=True, slots=True)
class Target:
    """The meaning of an entry: a site (`bakery.example:8080`), one URL, or a pattern."""

    kind: TargetKind
    name: str

    def __str__(self) -> str:
        if self.folder:
            return f"the folder {self.folder}"
        shown = {TargetKind.SITE: f"the site {self.name}", TargetKind.PATTERN: f"what fits {self.name}"}
        return shown.get(self.kind, self.name)

    @property
    def words(self) -> str:
        """It as the words of a command, quoted for a shell."""
        return f"{'--site ' if self.kind is TargetKind.SITE else ''}{shell_word(self.name)}"

    @property
    def folder(self) -> CanonicalUrl | None:
        """The URL of the folder, if the pattern means one URL and all below it."""
        return _folder_of(self.name) if self.kind is TargetKind.PATTERN else None

    def covers(self, url: CanonicalUrl) -> bool:
        """Return whether a canonical URL is meant."""
        if self.kind is TargetKind.PATTERN:
            return wildcard_fits(self.name, url if "://" in self.name else site_of(url))
        if self.kind is TargetKind.SITE:
            return site_of(url) == self.name
        return url == self.name


@dataclass(frozen=True, slots=True)
class Blacklist:
    """Blocked sites, canonical URLs and patterns, each with the reason that was given."""

    sites: dict[str, str]
    urls: dict[str, str]
    patterns: dict[str, str] = field(default_factory=dict)
    _folders: dict[str, str] = field(init=False, repr=False, compare=False)  # reasons by the URL of a folder
    _lengths: tuple[int, ...] = field(init=False, repr=False, compare=False)  # of the URLs of folders
    _others: dict[str, str] = field(init=False, repr=False, compare=False)  # the patterns that mean no folder

    def __post_init__(self) -> None:
        folders = {url: reason for name, reason in self.patterns.items() if (url := _folder_of(name))}
        others = {name: reason for name, reason in self.patterns.items() if not _folder_of(name)}
        object.__setattr__(self, "_folders", folders)  # a frozen dataclass has no other way
        object.__setattr__(self, "_lengths", tuple(sorted({len(url) for url in folders})))
        object.__setattr__(self, "_others", others)

    def refusal(self, url: CanonicalUrl) -> Refusal | None:
        """Return why `url` is blocked, or None."""
        site = site_of(url)
        if site in self.sites:
            return Refusal(Rule.BLOCKED, _because(f"the site {site} is on the blacklist", self.sites[site]))
        if url in self.urls:
            return Refusal(Rule.BLOCKED, _because(f"{url} is on the blacklist", self.urls[url]))
        # A hostile URL may have as many folders as letters, and all of them together fill gigabytes.
        for length in self._lengths:
            if url[length - 1 : length] == "/" and (folder := url[:length]) in self._folders:
                what = f"the folder {folder} is on the blacklist"
                return Refusal(Rule.BLOCKED, _because(what, self._folders[folder]))
        for pattern, reason in self._others.items():
            if Target(TargetKind.PATTERN, pattern).covers(url):
                return Refusal(Rule.BLOCKED, _because(f"what fits {pattern} is on the blacklist", reason))
        return None


def _because(what: str, reason: str) -> str:
    return f"{what}: {reason}" if reason else what


def _folder_of(pattern: str) -> CanonicalUrl | None:
    """Return the URL of a folder, if a pattern means it and all below it: `http://a.example/x/*`."""
    url, star, rest = pattern.partition(STAR)
    is_folder = star and not rest and "://" in url and url.endswith("/") and "?" not in url
    return CanonicalUrl(url) if is_folder else None


def folder_target(text: str) -> Target:
    """Read `text` as the URL of a folder, which means it and all below it. Raises `UnusableUrl`."""
    url = canonicalize(text)
    if STAR in url or "?" in url:
        raise UnusableUrl(
            Refusal(Rule.SCHEME, f"{text[:200]!r} is no folder: give an address such as http://example.org/folder/")
        )
    return Target(TargetKind.PATTERN, f"{url.removesuffix('/')}/{STAR}")


def site_target(text: str) -> Target:
    """Read `text`, a name or any URL of a site, as the whole site. Raises `UnusableUrl`."""
    target = target_of(site_of(canonicalize(text)) if "://" in text else text)
    if target.kind is not TargetKind.SITE:
        raise UnusableUrl(Refusal(Rule.HOST, f"{text[:200]!r} is no site: bakery.localhost:8400 is one"))
    return target


def target_of(text: str) -> Target:
    """Read `text` as one URL, the name of a site, or a pattern. Raises `UnusableUrl` for anything else."""
    text = text.strip()
    if STAR in text:
        return Target(TargetKind.PATTERN, _pattern(text))
    if "://" in text:
        return Target(TargetKind.URL, canonicalize(text))
    name = text.rstrip("/")
    try:
        site = site_of(canonicalize(f"http://{name}/"))
    except UnusableUrl:
        canonicalize(text)  # says why it is no URL either
        raise
    if not _AUTHORITY.fullmatch(name) or "@" in name:  # a page, or who wrote the complaint: never the whole site
        meant = name.rpartition("@")[2] if _AUTHORITY.fullmatch(name) else f"http://{name[:200]}"
        raise UnusableUrl(Refusal(Rule.SCHEME, f"{text[:200]!r} is no site and no address: did you mean {meant}?"))
    return Target(TargetKind.SITE, site.removesuffix(":443"))


def _pattern(text: str) -> str:
    """Return a pattern in the form in which URLs and sites are known; its stars stay where they are."""
    if len(text) > MAX_PATTERN:
        raise UnusableUrl(Refusal(Rule.URL_LENGTH, f"a pattern has at most {MAX_PATTERN} characters, not {len(text)}"))
    scheme, mark, rest = text.partition("://")
    if not mark:
        site = _site_pattern(text.rstrip("/"))
        if site is None:
            raise UnusableUrl(
                Refusal(
                    Rule.HOST, f"{text!r} is no pattern of a site: *.example.org is one, and http://example.org/a/*"
                )
            )
        return site
    authority = _AUTHORITY.match(rest)
    host = authority[0] if authority else ""
    if STAR not in host + scheme:
        return canonicalize(text)  # a star may stand in the path and in the query of any URL
    path, site = rest[len(host) :], _site_pattern(host, scheme.lower())
    if not path or scheme.lower() not in {"http", "https", STAR} or site is None:
        raise UnusableUrl(
            Refusal(Rule.SCHEME, f"{text!r} is no pattern of addresses: http://*.example.org/private/* is one")
        )
    whole = canonicalize(f"http://pattern.invalid{path}")
    return f"{scheme.lower()}://{site}{whole.removeprefix('http://pattern.invalid')}"


def _site_pattern(text: str, scheme: str = STAR) -> str | None:
    """Return the canonical form of a site with `*` in it: lower case, punycode, no default port, no final dot."""
    name, port = (text, "") if "[" in text else text.partition(":")[::2]
    labels = [_label(label) for label in name.removesuffix(".").split(".")]
    default = port in {str(number) for of, number in DEFAULT_PORTS.items() if scheme in {of, STAR}}
    site = ".".join(labels) + (f":{port}" if port and not default else "")
    return site if site and set(site) <= _SITE else None


def _label(text: str) -> str:
    known = text.lower() if text.isascii() else canonical_host(f"{text}.invalid")
    return text if isinstance(known, BadHost) else known.removesuffix(".invalid")


def wildcard_fits(pattern: str, text: str) -> bool:
    """Return whether `pattern`, in which `*` matches any run of characters, matches the whole of `text`."""
    first, *others = pattern.split(STAR)
    if not others:
        return pattern == text
    *middle, last = others
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in middle:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return len(text) - len(last) >= at and text.endswith(last)


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a blacklist file: reasons by target, and a sentence for each unusable line."""

    entries: dict[Target, str]
    mistakes: tuple[str, ...] = ()


def _entry(text: str) -> Target:
    """Read the target of a line: a URL that ends with a slash means the folder."""
    target = target_of(text)
    if target.kind is TargetKind.URL and target.name.endswith("/") and "?" not in target.name:
        return folder_target(target.name)
    return target


def read_blacklist(text: str) -> Reading:
    """Read the lines of a blacklist file. An unusable line is reported, and the others apply."""
    entries: dict[Target, str] = {}
    mistakes: list[str] = []
    for number, line in enumerate(_LINE_END.split(text), 1):
        given, *reason = _REASON.split(line.strip(), maxsplit=1)
        if not given or given.startswith("#"):
            continue
        try:
            entries[_entry(given)] = "".join(reason).strip()
        except UnusableUrl as error:
            mistakes.append(f"line {number} is left out: {error}")
    return Reading(entries, tuple(mistakes))
