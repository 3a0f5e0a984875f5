"""What is told of a word that a command does not take? What was given, what is wrong, and what would work.

argparse finds the mistake and says it in words of its own, which differ between versions of Python (3.11 to 3.14 were
compared). What is not known here is told as argparse says it.
"""

from __future__ import annotations

import re
from difflib import get_close_matches

from urls.wording import enumerated

_ARGUMENT = re.compile(r"argument (?:\S+/)?(?P<name>\S+): (?P<fault>.*)", re.DOTALL)
_CHOICE = re.compile(r"invalid choice: (?P<given>.*?) \(choose from (?P<choices>.*)\)", re.DOTALL)
_KIND = re.compile(r"invalid (?P<kind>int|float) value: (?P<given>.*)", re.DOTALL)
_BESIDE = re.compile(r"not allowed with argument (?:\S+/)?(?P<other>\S+)")
_UNKNOWN = re.compile(r"unrecognized arguments: (?P<given>.*)", re.DOTALL)
_MISSING = re.compile(r"the following arguments are required: (?P<names>.*)")
_OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
_KINDS = {"int": "a whole number", "float": "a number"}


def told_of_mistake(message: str, usage: str) -> str:
    """Return one sentence or two for what argparse says, with its end; `usage` has the command's options."""
    if unknown := _UNKNOWN.fullmatch(message):
        return f"{unknown['given']}: {_nearest(unknown['given'], usage)}"
    if missing := _MISSING.fullmatch(message):
        return f"{missing['names']} is missing."
    about = _ARGUMENT.fullmatch(message)
    return f"{_told_of(about['name'], about['fault']) if about else message}."


def _told_of(name: str, fault: str) -> str:
    before = f"{name} " if name.startswith("-") else ""  # a word that is no option needs no name
    if choice := _CHOICE.fullmatch(fault):
        choices = [each.strip("'\"") for each in choice["choices"].split(", ")]
        return f"{before}{_bare(choice['given'])}: choose {enumerated(choices, 'or')}"
    if kind := _KIND.fullmatch(fault):
        return f"{before}{_bare(kind['given'])}: give {_KINDS[kind['kind']]}"
    if beside := _BESIDE.fullmatch(fault):
        return f"{name} and {beside['other']} can't be given together: leave one of them out"
    if fault.startswith("expected "):
        return f"{name}: it has no value: give {name} VALUE"
    return f"{name}: {fault}"


def _bare(given: str) -> str:
    """Return what was given without the quotes that argparse puts around it."""
    return given[1:-1] if len(given) > 1 and given[0] == given[-1] and given[0] in "'\"" else given


def _nearest(given: str, usage: str) -> str:
    """Say which option may be meant, or what a word that is none needs."""
    word = given.partition(" ")[0].partition("=")[0]
    options = sorted(set(_OPTION.findall(usage)))
    if word.startswith("--") and (near := get_close_matches(word, options, 1)):
        return f"there is no such option; did you mean {near[0]}?"
    if word.startswith("-"):
        return "there is no such option. A word that begins with - and is no option stands after --."
    return "more words than it takes; one with blanks in it stands in quotes."
