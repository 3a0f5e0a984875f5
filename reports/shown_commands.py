"""Completes the commands in a text, so that they can be pasted: quotes the URL and names the data folder.

Advice is written as `./breadcrumb why URL`, without knowing the data folder or the option that named it. The commands
and the gateway complete it here. A command ends before the first word that can't belong to one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urls.site_options import SiteOption
from urls.wording import IS_INSTALLED, PROGRAM, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUOTED = r"""(?:'[^']*'|"'")"""  # as shell_word writes it
_PLAIN = rf"(?:{_QUOTED}|[\w@%+=:,./\[\]-])"
_END = rf"(?:{_QUOTED}|[\w@%+=/\]-])"  # a sentence goes on after . , or :
_OPTIONS = "|".join(SiteOption)
_ARGUMENT = rf"""(?:
    --(?:data|store|master)[ ]{_PLAIN}*{_END}   # which crawl, and who does it
  | --(?:site|below)[ ]{_PLAIN}*{_END}          # a site may be one word, as the host of an intranet
  | --(?:apply|off)[ ]{_PLAIN}*{_END}[ ](?:{_OPTIONS})  # a site and its option
  | -s[ ]INDEX={_PLAIN}*{_END}                  # where its index is
  | --in[ ]robots                               # what is searched
  | --?[A-Za-z][\w-]*(?:={_PLAIN}*{_END})?      # an option
  | [A-Z][A-Z_]+(?:=\w+(?:[,=]\w+)*)?(?![\w'])  # what a person has to fill in: URL, WORDS, NAME=VALUE
  | [a-z_]+={_PLAIN}*{_END}                     # seeds=…
  | {_QUOTED}(?:{_PLAIN}*{_END})?
  | [\w\[]{_PLAIN}*[.:/]{_PLAIN}*{_END}         # an address, a site, an option of one
  | /{_PLAIN}*{_END}                            # a pattern, a path
  | \d+\b
)"""
# In an installed package the launcher is called by its name alone.
_PROGRAM = r"(?:\./|(?<![\w./-]))breadcrumb" if IS_INSTALLED else r"\./breadcrumb"
COMMAND = re.compile(
    rf"{_PROGRAM}[ ](?:crawl[ ]site|report[ ](?:links|robots|traps)|[a-z]+)\b(?:[ ]{_ARGUMENT})*", re.VERBOSE
)
_PLACE = re.compile(r"(?<=[ =])URL(?=\s|$)")
_OF_NO_FOLDER = frozenset({"demo", "test", "robots"})
_FOLLOWS = re.compile(rf"{_PROGRAM} index(?! --rebuild)\b")
_IN_A_STORE = frozenset({"cluster"})
_INDEX = " -s INDEX="
_WHOOSH_FOLDER = re.compile(r" -s '?INDEX=whoosh:.*")  # no crawl fills it, and no other command takes it
_READ_WHOOSH = frozenset({"search", "serve", "why"})
_NAMES_A_FOLDER = re.compile(r" (?:--data[ =]|-s DATA_DIR=)")


def of_url(text: str, url: str) -> str:
    """Return a text whose commands have `url`, quoted for a shell, wherever they say URL."""
    return COMMAND.sub(lambda command: _PLACE.sub(lambda _: shell_word(url), command[0]), text)


def in_folder(text: str, folder: str) -> str:
    """Return a text whose commands name the data folder by the option `folder`; one that names its own keeps it."""
    return "".join(_of_folder(piece, folder) if is_command else piece for is_command, piece in pieces(text))


def _of_folder(command: str, folder: str) -> str:
    _, name, *_ = command.split()
    command = PROGRAM + command.removeprefix("./").removeprefix("breadcrumb")
    if name in _OF_NO_FOLDER and "--import" not in command:
        return command
    if name not in _READ_WHOOSH:
        folder = _WHOOSH_FOLDER.sub("", folder)
    folder, mark, index = folder.partition(_INDEX)
    named = name in _IN_A_STORE or _NAMES_A_FOLDER.search(command)
    return command + ("" if named else folder) + ("" if _INDEX in command else mark + index)


def without_commands(text: str) -> str:
    """Return the text of a stranger, in which nothing looks like a command of ours."""
    plain = text.replace("./breadcrumb", "breadcrumb")
    return plain.replace("breadcrumb", "Breadcrumb") if IS_INSTALLED else plain


def by_next_turn(text: str) -> str:
    """Return a text in which a part's next turn does what `index` would: its folder is in a store, where none works."""
    return "".join(
        "the next turn of its part" if is_command and _FOLLOWS.match(piece) else piece
        for is_command, piece in pieces(text)
    )


def pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield a text piece by piece, each with whether it is a command."""
    end = 0
    for command in COMMAND.finditer(text):
        if command.start() > end:
            yield False, text[end : command.start()]
        yield True, command[0]
        end = command.end()
    if end < len(text):
        yield False, text[end:]
