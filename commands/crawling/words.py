"""The command line of `crawl`: its options and arguments, checked before Scrapy starts.

They are those of Scrapy's `crawl` that apply here, with our own help and error messages. Scrapy parses options before a
command can. So Scrapy gets all words unparsed, and they are parsed here. `feeds.py` reads `-o` and `-O`.

A data folder in use is detected before Scrapy is imported, because the import takes longer than the check. The crawl
checks again: the words may be unreadable here, and not every system lists its locks.
"""

from __future__ import annotations

import argparse
import math
import shlex
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from commands.frame.command import Signature
from commands.frame.command_settings import CommandSettings
from commands.frame.data_folder import OPTION, chosen_folder
from commands.frame.exits import CommandError
from extension_points import call_extensions
from spiders import settings as defaults
from spiders.own_settings import (
    FORMER,
    default_of,
    mistake_in_choice,
    nearest_settings,
    our_default,
    report_former_name,
    value_from_text,
)
from urls.wording import IS_INSTALLED, PROGRAM, enumerated

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Collection, Iterable, Sequence

    from extension_points import AddedCrawl


_SCRAPY = PROGRAM if IS_INSTALLED else "scrapy"  # a package brings no `scrapy` that knows it
ARGUMENTS = {
    "seeds": "where to start: URL[,URL…], or a file with one URL per line, or in TOML",
    "pages": "a trial: stop after so many fetched pages",
    "each": "a trial: so many requests to each site",
    "mode": "which URLs to request: all (default), due or discover",
    "part": "K/N: this process crawls part K of N",
}


@cache
def report_crawls() -> dict[str, AddedCrawl]:
    """Return the crawls that extensions add, by name: those that end with a report, and those by another engine."""
    return {crawl.name: crawl for crawl in call_extensions("report_crawls")}


@cache
def spider_arguments() -> dict[str, str]:
    """Return all arguments of a crawl, with what each says."""
    return ARGUMENTS | {argument.name: argument.help for argument in call_extensions("spider_arguments")}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "args", nargs="*", metavar="SPIDER",
        help="; ".join(["site", *(f"{added.name}: {added.help}" for added in report_crawls().values())]),
    )  # fmt: skip
    parser.add_argument(
        "-a", dest="spargs", action="append", default=[], metavar="NAME=VALUE", help="an argument of the crawl, below"
    )
    parser.add_argument(
        "-o", "--output", action="append", default=[], metavar="FILE",
        help="append the pages to FILE: .jsonl, .json, .csv or .xml; -:jsonl is standard output",
    )  # fmt: skip
    parser.add_argument(
        "-O", "--overwrite-output", action="append", default=[], metavar="FILE", help="the same, but overwrite FILE"
    )
    parser.add_argument("--json", action="store_true", help="print the report of a crawl that ends with one as JSON")
    parser.add_argument("-L", "--loglevel", metavar="LEVEL", help="log level of Scrapy: ERROR (default), INFO, DEBUG")
    parser.add_argument("--logfile", metavar="FILE", help="log to FILE instead of standard error")
    parser.add_argument("--nolog", action="store_true", help="no log")
    parser.add_argument("--pidfile", metavar="FILE", help="write the process ID to FILE")
    parser.add_argument("--profile", metavar="FILE", help="write a profile of cProfile to FILE")
    parser.add_argument("--pdb", action="store_true", help="open the debugger on an error")
    parser.add_argument_group(
        "arguments, each as -a NAME=VALUE", "\n".join(f"{name:<7}{said}" for name, said in spider_arguments().items())
    )


SIGNATURE = Signature(
    name="crawl",
    example="site -a seeds=http://bakery.localhost:8400/ -a pages=20 --data bakery",
    exits="\n".join(
        [
            "0 done, 1 no page or an internal error, 2 wrong usage, 74 try this part again, 130 interrupted",
            *(f"exit codes of {added.name}: {added.exits}" for added in report_crawls().values() if added.exits),
        ]
    ),
    add_arguments=add_arguments,
)


def check_options(words: Sequence[str]) -> None:
    """Raise `CommandError` for options of other programs, before the words are parsed."""
    for number, word in enumerate(words):
        if word == "--":
            return
        if word.startswith("-t"):
            raise CommandError(
                f"{word}: the file extension determines the format, as in -o pages.jsonl. Or give -o FILE:FORMAT"
            )
        name, equals, value = word.removeprefix("--").partition("=")
        if word.startswith("--") and name in spider_arguments():
            given = value if equals else next(iter(words[number + 1 :]), "")
            raise CommandError(f"{word}: arguments of a crawl need -a; did you mean -a {name}={given or '…'}?")


def check_arguments(
    words: Sequence[str], arguments: Iterable[str], assignments: Iterable[str], known: Collection[str]
) -> None:
    """Raise `CommandError` for an unknown word, `-a` or `-s`; `known` are the names of all settings."""
    spiders = ["site", *report_crawls()]
    if words and (len(words) > 1 or words[0] not in spiders):
        own = find_spec(f"{defaults.NEWSPIDER_MODULE}.{words[0]}") if words[0].isidentifier() else None
        if own:
            yours = f"{_SCRAPY} runspider {shlex.quote(str(own.origin))}"
            raise CommandError(f"{words[0]}: crawl runs {', '.join(spiders)} alone; {yours} runs yours")
        seed = next((word.removeprefix("seeds=") for word in words if "://" in word), "URL")
        raise CommandError(f"{' '.join(words)}: write ./breadcrumb crawl site -a {shlex.quote(f'seeds={seed}')}")
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if name in known:
            raise CommandError(f"-a {argument}: {name} is a setting: -s {name}={value or 'VALUE'}")
        if name not in spider_arguments():
            near = get_close_matches(name.lower(), spider_arguments())
            said = f"did you mean -a {near[0]}={value}? " if near else ""
            taken = ", ".join(f"-a {known}=" for known in spider_arguments())
            raise CommandError(f"-a {name}: {said}site takes {taken}")
        _check_value("-a", name, equals)
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if name in spider_arguments():
            raise CommandError(
                f"-s {name}: this is an argument of the crawl, not a setting: -a {name}={value or 'VALUE'}"
            )
        if name in FORMER:
            report_former_name(name, f"-s {assignment}")
        elif name not in known:
            advice = nearest_settings(name, known) or "docs/settings.md lists ours"
            raise CommandError(f"-s {name}: unknown setting; {advice}")
        _check_value("-s", name, equals)


def _check_value(flag: str, name: str, equals: str) -> None:
    if not equals:
        raise CommandError(f"{flag} {name}: no value: give {flag} {name}=VALUE, without spaces")


_SECONDS = frozenset({"DNS_TIMEOUT", "DOWNLOAD_TIMEOUT", "LOGSTATS_INTERVAL"})  # whole by default, but not only


def check_numbers(assignments: Iterable[str]) -> None:
    """Raise `CommandError` for a value of the wrong type, which Scrapy would read too late: its crawl would hang."""
    for assignment in assignments:
        name, _, text = assignment.partition("=")
        if mistake := mistake_in_choice(name, text):
            raise CommandError(f"-s {mistake}")
        default = default_of(name)
        if isinstance(default, (dict, int, float)) and not (name in _SECONDS and _is_number(text)):
            try:
                value_from_text(name, text)
            except ValueError as error:
                if isinstance(default, dict):
                    raise CommandError(f'-s {name}={text}: give a JSON object, such as {{"NAME": "VALUE"}}') from None
                raise CommandError(f"-s {assignment}: {error}") from None
        if isinstance(our_default(name), str):
            CommandSettings([assignment])


def check_json(words: Sequence[str], *, as_json: bool) -> None:
    """Raise `CommandError` for --json without a report."""
    reporting = [added.name for added in report_crawls().values() if added.make]
    if as_json and not (len(words) == 1 and words[0] in reporting):
        takers = enumerated([f"crawl {name}" for name in reporting] or ["crawls of extensions"], "and")
        raise CommandError(f"--json: only {takers} take it. For other crawls: ./breadcrumb report --json")


def check_loglevel(level: str | None) -> None:
    """Raise `CommandError` for an unknown log level."""
    if level is not None and (mistake := mistake_in_choice("LOG_LEVEL", level)):
        raise CommandError(f"-L {level}: {mistake.partition(': ')[2]}")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def switches(assignments: Iterable[str]) -> dict[str, bool]:
    """Return the boolean settings, parsed as in all other commands; Scrapy parses neither yes nor no."""
    given = (assignment.partition("=")[::2] for assignment in assignments)
    return {name: bool(value_from_text(name, text)) for name, text in given if isinstance(default_of(name), bool)}


_SPECIAL = frozenset({"-h", "--help", "--"})


def reason_not_to_start(words: list[str]) -> str:
    """Return why a crawl with these words can't start, or ""."""
    from crawldb.lock import in_use, is_held

    try:
        Path.cwd()
    except FileNotFoundError:  # Scrapy looks there for its configuration
        return "your current folder was deleted: cd to another one"
    given = [value for flag, value in pairwise(words) if flag in {"-s", "--set"}]
    if (
        _SPECIAL & set(words)
        or report_crawls().keys() & set(words)  # with a folder of their own, unless another one is named
        or any(word.startswith(("part=", "--settings")) for word in words)
        or _times_named(words) != _times_named(given) + words.count(OPTION)
    ):
        return ""
    names = [value for flag, value in pairwise(words) if flag == OPTION]
    try:
        folder = CommandSettings([*given, *chosen_folder(next(iter(names), None), given)]).data_dir
        return in_use(folder) if is_held(folder) else ""
    except (CommandError, OSError, ValueError):
        return ""


def _times_named(words: list[str]) -> int:
    """Return how many words name a folder. If one is not parsed here, the folder is unknown."""
    return sum("DATA_DIR" in word or word.startswith(OPTION) for word in words)


_NO_PREFIX = "\0"  # no word can begin with it


def take_every_word(parser: argparse.ArgumentParser) -> None:
    """Let a parser of Scrapy pass all words on unparsed, under `words`."""
    parser.prefix_chars = _NO_PREFIX  # for this parser, then, no word is an option
    parser.add_argument("words", nargs=argparse.REMAINDER)
