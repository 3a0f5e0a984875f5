"""Which arguments does a crawl take with -a? Its seeds, how far it goes, and which part of a whole it is.

Seeds are URLs on the command line, or a file: a URL a line, or TOML. A TOML file can also give each seed a kind
(popular, new or rarely linked) and the options of its site. A good root set has some seeds of each kind (*HTTP: The
Definitive Guide*, chapter 9).

    [[seed]]
    url = "http://bakery.localhost:8400/"
    kind = "popular"
    options = { index-page = true, tracking = ["utm_*", "ref"] }
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawldb.databases import Partition, partition_of
from crawldb.tables.seeds import KINDS
from extension_points import call_extensions
from spiders.setting_values import SettingError
from urls.canonical import UnusableUrl, canonicalize, site_of
from urls.site_options import ChosenOption, OptionError, SiteOption, chosen_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urls.records import CanonicalUrl


@dataclass(frozen=True, slots=True)
class SpiderArguments:
    """The spider's arguments as they were given, each as `-a NAME=VALUE`; empty, or None: not given."""

    seeds: str = ""
    pages: str = ""
    each: str = ""
    mode: str = ""
    part: str = ""
    added: Mapping[str, str] = field(default_factory=dict)  # those of extensions, by name

    @classmethod
    def of(cls, given: Mapping[str, str]) -> SpiderArguments:
        """Return the arguments by their names. Raises TypeError for a name that is none."""
        names = given.keys() & {argument.name for argument in call_extensions("spider_arguments")}
        ours = {name: value for name, value in given.items() if name not in names}
        return cls(**ours, added={name: given[name] for name in names})

    def root_set(self) -> RootSet:
        """Read the seeds; raise `SeedError` for what can't be used."""
        return read_root_set(self.seeds) if self.seeds else RootSet()

    def trial_sizes(self) -> tuple[int, int]:
        """Return `pages` and `each` as numbers, 0 where they are not given."""
        for name, count in (("pages", self.pages), ("each", self.each)):
            if count and not (count.isascii() and count.isdecimal() and int(count)):
                raise SettingError(f"{name}={count!r} is no number of pages: give one from 1 up, or leave it out")
        return int(self.pages or 0), int(self.each or 0)

    def partition(self) -> Partition:
        """Return which partition of a crawl this process is."""
        try:
            return partition_of(self.part or "1/1")
        except ValueError as error:
            raise SettingError(str(error)) from None


_KEYS = ("url", "kind", "options")
_ALL_OPTIONS = frozenset(option.value for option in SiteOption)
_FILES = frozenset({".txt", ".toml", ".lst", ".list", ".csv", ".urls"})  # no host name ends so
_TWO_ADDRESSES = re.compile(r"[\s,]https?://", re.IGNORECASE)
_MISTYPED = re.compile(r"(https?)(?:[:;]/{0,2}|//?)(?=[^/:])(.+)", re.IGNORECASE)  # http:/host, http//host
_IN_A_FILE = "; give a URL such as http://HOST/, or remove it from the file"
_EXAMPLE = '[[seed]] with url = "http://HOST/"'


class SeedError(ValueError):
    """The seeds can't be used; the message names the first bad one, and what would work."""


@dataclass(frozen=True, slots=True)
class RootSet:
    """The seeds in canonical form, each once; with the kinds of some seeds, and the options of some sites."""

    urls: tuple[CanonicalUrl, ...] = ()
    kinds: dict[CanonicalUrl, str] = field(default_factory=dict)
    options: dict[str, tuple[ChosenOption, ...]] = field(default_factory=dict)  # by site


def read_root_set(text: str) -> RootSet:
    """Read `URL[,URL…]`, or the path of a file: TOML, or a URL a line, where `#` begins a comment."""
    path = Path(text)
    if "://" in text or not path.is_file():
        return _listed([part.strip() for part in text.split(",")], "", text)
    try:
        content = path.read_text("utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError as error:
        raise SeedError(f"the seed file {text} can't be read: it is no text in UTF-8; save it as such") from error
    except OSError as error:
        raise SeedError(f"the seed file {text} can't be read: {error.strerror}") from error
    if path.suffix.lower() == ".toml":
        return _from_toml(content, text)
    return _listed([line.partition(" #")[0].strip() for line in content.splitlines()], f"{text}, line {{}}: ", text)


def _listed(given: list[str], where: str, text: str) -> RootSet:
    seeds: dict[CanonicalUrl, None] = {}
    for number, seed in enumerate(given, 1):
        if not seed or seed.startswith("#"):
            continue
        if _TWO_ADDRESSES.search(seed):
            cure = "give each a line of its own" if where else "put commas between them"
            raise SeedError(f"{where.format(number)}{seed!r} looks like several URLs: {cure}")
        seeds[_seed(seed, where.format(number))] = None
    if not seeds:
        raise SeedError(f"{text!r} names no seed: give URLs such as http://HOST/, or a file with one a line")
    return RootSet(tuple(seeds))


def _seed(text: str, where: str) -> CanonicalUrl:
    try:
        return canonicalize(text)
    except UnusableUrl as error:
        cure = _IN_A_FILE if where else ""
        if "://" in text:
            raise SeedError(f"{where}{error}{cure}") from error
        if where:
            raise SeedError(f"{where}{text!r} is no URL{_meant(text) or cure}") from error
        raise SeedError(f"{text!r} is neither a URL nor a file: {_suggestion(text)}") from error


def _suggestion(text: str) -> str:
    """Say what would work instead of a text without `://`: a file that exists, or a URL."""
    if Path(text).is_dir():
        return "it is a folder; give a file in it with one URL a line"
    if Path(text).exists():  # a pipe, such as <(command), could be read only once
        return "it is a pipe or a device; save the URLs in a file, one a line"
    if not _MISTYPED.match(text) and (text.startswith(("/", ".", "~")) or Path(text).suffix.lower() in _FILES):
        return f"there is no file {Path(text).absolute()}; a URL begins with http:// or https://"
    return f"a URL begins with http:// or https://{_meant(text)}"


def _meant(text: str) -> str:
    """Suggest the URL that a text without `://` may mean; "" if that is no URL either."""
    mistyped = _MISTYPED.match(text)
    meant = f"{mistyped[1]}://{mistyped[2]}" if mistyped else f"http://{text}"
    try:
        if "@" in canonicalize(meant) or "@" in text:  # an address of mail
            return ""
    except UnusableUrl:
        return ""
    return f"; did you mean {meant}?"


def _from_toml(content: str, name: str) -> RootSet:
    try:
        read = tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SeedError(f"the seed file {name} is no TOML: {error}") from error
    seeds = read.get("seed", [])
    unknown = [key for key in read if key != "seed"]
    if unknown or not isinstance(seeds, list) or not all(isinstance(seed, dict) for seed in seeds):
        raise SeedError(
            f"{name}: {unknown[0] if unknown else 'seed'!r} means nothing here: give each seed as {_EXAMPLE}"
        )
    urls: dict[CanonicalUrl, None] = {}
    kinds: dict[CanonicalUrl, str] = {}
    options: dict[str, tuple[ChosenOption, ...]] = {}
    for number, seed in enumerate(seeds, 1):
        where = f"{name}, seed {number}: "
        url = _checked(seed, where)
        urls[url] = None
        if "kind" in seed:
            kinds[url] = seed["kind"]
        if "options" in seed:
            site = site_of(url)  # several seeds of one site may each have options
            options[site] = tuple(dict.fromkeys((*options.get(site, ()), *_options(seed["options"], where))))
    if not urls:
        raise SeedError(f"{name} names no seed: give each as {_EXAMPLE}")
    return RootSet(tuple(urls), kinds, options)


def _checked(seed: dict[str, Any], where: str) -> CanonicalUrl:
    for key in seed:
        if key not in _KEYS:
            raise SeedError(f"{where}{key!r} is unknown: a seed has {', '.join(_KEYS)}")
    if not isinstance(seed.get("url"), str):
        raise SeedError(f"{where}it has no url: give {_EXAMPLE}")
    if "kind" in seed and seed["kind"] not in KINDS:
        raise SeedError(f"{where}kind = {seed['kind']!r}: choose {', '.join(KINDS)}")
    return _seed(seed["url"], where)


def _options(given: object, where: str) -> tuple[ChosenOption, ...]:
    if not isinstance(given, dict):
        raise SeedError(f'{where}options are written {{ index-page = true, tracking = ["utm_*"] }}')
    return tuple(choice for name, value in given.items() if (choice := _choice(name, value, where)))


def _choice(name: str, value: object, where: str) -> ChosenOption | None:
    """Return the choice of an option: true, one name, or several names; None for false."""
    names = [value] if isinstance(value, str) else value
    try:
        if names is False and name in _ALL_OPTIONS:
            return None  # off, as without the line
        if isinstance(names, bool):
            return chosen_option(name)
        if isinstance(names, list) and names and all(isinstance(each, str) for each in names):
            return chosen_option(name, names)
    except OptionError as error:
        raise SeedError(f"{where}{error}") from error
    raise SeedError(f"{where}{name} = {value!r}: give true, false or a list of names")
