"""Which settings has the operator made permanent? Those in breadcrumb.toml, and above them those of the environment.

    DOWNLOAD_DELAY = 2.5                                in the file: a name and a value, as TOML has it
    BREADCRUMB_DOWNLOAD_DELAY=2.5                       in the environment: the value as after -s

The order, from the weakest: the default in settings.py, the file, the environment, `-s` for one run. The file is
`breadcrumb.toml` (own_folders.py says where), or the one that BREADCRUMB_SETTINGS names. Every mistake is an error
with its place: otherwise a robot could run with other settings than its operator thinks.
"""

from __future__ import annotations

import ast
import codecs
import json
import logging
import math
import os
import re
import sys
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extension_points import added_settings
from spiders import settings as defaults
from spiders.own_folders import FILE_VARIABLE, settings_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

PREFIX = "BREADCRUMB_"
OURS = {name: value for name, value in vars(defaults).items() if name.isupper()}
FORMER = {  # former settings, with their constant values; giving one has no effect
    "PATH_REPEATS": "3", "QUERY_PARAMETERS": "12", "SITEMAP_FILES": "1000", "SPOOF_HIDDEN_WORDS": "20",
    "SPOOF_STUFFED_SHARE": "0.15", "SPOOF_DOORWAYS": "3", "SPOOF_FARM_PAGES": "5", "SPOOF_BOMB_LINKS": "5",
    "HEADERS_MAXSIZE": "262144", "MAX_URL_LENGTH": "1024", "DOMAIN_SITES": "200", "MIN_REVISIT": "72000.0",
    "MAX_HOST_REST": "3600.0", "CONCURRENT_REQUESTS_PER_ADDRESS": "8", "LOOPBACK_CONCURRENCY": "8", "ALARM_AFTER": "20",
    "ALARM_FAILURES": "0.5", "SUBMITS_PER_HOUR": "20", "REQUEST_LOG_BYTES": "10485760", "PAGERANK_CHANGED": "0.25",
}  # fmt: skip
_MISSPELT = 0.8  # how like a setting a variable must be to be a mistake: others may have variables of this prefix
CHOICES = {  # of settings whose other values Scrapy meets with a traceback
    "LOG_LEVEL": tuple(logging.getLevelNamesMapping()),
    "DOWNLOADER_CLIENT_TLS_METHOD": ("TLS", "TLSv1.0", "TLSv1.1", "TLSv1.2"),
}
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off", ""})


def own_defaults() -> dict[str, object]:
    """Return the defaults of our settings, and of those that extensions add, by name."""
    return OURS | added_settings()


def our_default(name: str) -> Any:
    """Return the default of a setting of ours, or of an extension; None for any other."""
    return OURS[name] if name in OURS else own_defaults().get(name)


def is_ours(name: str) -> bool:
    """Return whether a setting is of ours, or of an extension."""
    return name in OURS or name in own_defaults()


def default_of(name: str) -> Any:
    """Return the default of a setting, ours or Scrapy's; None for one of Scrapy's that is no literal, and any other."""
    return our_default(name) if is_ours(name) else scrapys_settings().get(name)


class OwnSettingError(ValueError):
    """An own setting is invalid; the message has its place, what is wrong and what would work."""


@dataclass(frozen=True, slots=True)
class OwnSetting:
    """A value and its place: "/opt/breadcrumb/breadcrumb.toml, line 3"."""

    value: Any
    place: str


def own_settings() -> dict[str, OwnSetting]:
    """Return the settings of file and environment by name. Raises `OwnSettingError`."""
    named = os.environ.get(FILE_VARIABLE, "")
    path = settings_file()
    if named and not path.exists():
        raise OwnSettingError(f"{FILE_VARIABLE}={named}: there is no file {path}; docs/settings.md shows one")
    return (from_file(path) if path.exists() else {}) | from_environment(os.environ)


def from_file(path: Path) -> dict[str, OwnSetting]:
    """Return the settings of a file. Raises `OwnSettingError`."""
    try:
        content = path.read_text("utf-8-sig")  # some editors begin a file with a byte order mark
        read = tomllib.loads(content)
    except UnicodeDecodeError as error:
        raise OwnSettingError(f"{path} can't be read: it is no text in UTF-8; save it as such") from error
    except OSError as error:
        raise OwnSettingError(f"{path} can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said = str(error).replace("end of document", f"line {content.count(chr(10)) + 1}, the last")
        raise OwnSettingError(f"{path} is no TOML: {said}; a line is NAME = VALUE, text in quotes") from error
    found = {}
    for written, value in read.items():
        place = f"{path}, line {_line_of(written, content)}"
        name = _setting_of(written, value, place)
        if name in FORMER:
            report_former_name(name, place)
            continue
        default = _default_of(name, place)
        if not _is_of_kind(value, default):
            kind, example = _kind_of(default)
            raise OwnSettingError(f"{place}: {name} must be {kind}: write {name} = {example}")
        if mistake := mistake_in_choice(name, value):
            raise OwnSettingError(f"{place}: {mistake}")
        found[name] = OwnSetting(float(value) if isinstance(default, float) else value, place)
    return found


def from_environment(environment: Mapping[str, str]) -> dict[str, OwnSetting]:
    """Return the settings among the variables. Raises `OwnSettingError`, also for one that is nearly a setting."""
    found = {}
    for variable in sorted(environment):
        name = variable.removeprefix(PREFIX)
        if variable == name:
            continue
        place = f"the environment variable {variable}"
        if name in FORMER:
            report_former_name(name, place)
        elif is_ours(name) or name in scrapys_settings():
            try:
                found[name] = OwnSetting(value_from_text(name, environment[variable]), place)
            except ValueError as error:
                raise OwnSettingError(f"{place}={environment[variable]}: {error}") from None
        elif near := get_close_matches(name.upper(), own_defaults(), 1, _MISSPELT):
            raise OwnSettingError(f"{place} means nothing; did you mean {PREFIX}{near[0]}?")
    return found


@cache
def report_former_name(name: str, place: str) -> None:
    """Say on standard error, once a process, that a setting which was given at `place` has no effect any more."""
    print(f"{place}: {name} is no setting any more, and has no effect: it is always {FORMER[name]}", file=sys.stderr)


def value_from_text(name: str, text: str) -> object:
    """Return a value that was given as text, with the type of its default. Raises ValueError, which says what does.

    Whole numbers and fractions, yes and no, lists with commas or in JSON, JSON objects, and text as it is.
    """
    default = default_of(name)
    read: Callable[[str], object] = next((read for kind, read in _READERS.items() if type(default) is kind), str)
    try:
        value = read(text)
    except ValueError:
        raise ValueError(f"{name} must be {_kind_of(default)[0]}; its default is {default!r}") from None
    if mistake := mistake_in_choice(name, value):
        raise ValueError(mistake)
    return value


def mistake_in_choice(name: str, value: object) -> str:
    """Return what is wrong with a value of one of Scrapy's settings that take few words; "" where nothing is."""
    if name == "LOG_ENCODING":
        try:
            codecs.lookup(str(value))
        except LookupError:
            return f"LOG_ENCODING={value}: there is no such encoding; its default is 'utf-8'"
    choices = CHOICES.get(name)
    if choices is None or value in choices:
        return ""
    return f"{name}={value}: choose one of {', '.join(choices)}"


def with_place(message: str, given: Callable[[str], bool]) -> str:
    """Return a message that begins with a setting's name, after its place where it was not `given` for this run."""
    name = re.split(r"\W", message, maxsplit=1)[0]
    own = own_settings().get(name)
    return message if own is None or given(name) else f"{own.place}: {message}"


def nearest_settings(name: str, known: Iterable[str]) -> str:
    """Return a question after the settings that may be meant by a name that there is not; "" for none."""
    known = sorted(known, key=len)
    name = name.upper()
    near = get_close_matches(name, known) + [longer for longer in known if name in longer.split("_")]
    near = list(dict.fromkeys(near))[:3]
    return f"did you mean {' or '.join(near)}?" if near else ""


def _setting_of(written: str, value: object, place: str) -> str:
    """Return the setting that a name in the file means: tables `[[site]]` are the setting SITE, a list of tables."""
    name = written.upper()
    if written == name or not isinstance(our_default(name), list):
        return written
    if isinstance(value, dict):
        raise OwnSettingError(f"{place}: write [[{written}]] in two brackets: there may be several")
    return name if isinstance(value, list) and all(isinstance(each, dict) for each in value) else written


def _default_of(name: str, place: str) -> object:
    if is_ours(name):
        return our_default(name)
    known = scrapys_settings()
    if name in known:
        return known[name]
    advice = nearest_settings(name, [*own_defaults(), *known]) or "docs/settings.md lists them all"
    raise OwnSettingError(f"{place}: there is no setting {name!r}; {advice}")


@cache
def scrapys_settings() -> dict[str, object]:
    """Return Scrapy's settings and those defaults that are literals. Read and not imported, which takes longer."""
    spec = find_spec("scrapy")
    if spec is None or not spec.submodule_search_locations:
        return {}
    path = Path(spec.submodule_search_locations[0]) / "settings" / "default_settings.py"
    found: dict[str, object] = {}
    for node in ast.parse(path.read_bytes()).body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and target.id.isupper():
                try:
                    found[target.id] = ast.literal_eval(node.value)
                except ValueError:
                    found[target.id] = None
    return found


def _line_of(name: str, content: str) -> int:
    """Return the line, from 1, that sets a name: the first that begins with it after lines of whole TOML."""
    lines = content.split("\n")  # str.splitlines would end a line within a text as well
    begins = re.compile(rf"""\s*\[*\s*["']?{re.escape(name)}["']?\s*[=.\]]""")
    for number, line in enumerate(lines, 1):
        if begins.match(line) and _is_toml("\n".join(lines[: number - 1])):
            return number
    return 1


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _is_of_kind(value: object, default: object) -> bool:
    if default is None:
        return True
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    if isinstance(default, float):
        return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return isinstance(value, type(default))


def _kind_of(default: object) -> tuple[str, str]:
    """Return what a value must be, in words, and how TOML writes such a one."""
    kinds: dict[type, tuple[str, str]] = {
        bool: ("yes or no", "true or false"),
        int: ("a whole number", repr(default)),
        float: ("a number", repr(default)),
        list: ("a list such as 8080,8443", "[8080, 8443]"),
        dict: ("a JSON object", '{ "NAME" = "VALUE" }'),
    }
    return kinds.get(type(default), ("text", '"…"'))


def _bool(text: str) -> bool:
    if text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _list(text: str) -> list[object]:
    if text.startswith("["):
        return list(json.loads(text))
    return [part.strip() for part in text.split(",") if part.strip()]


def _dict(text: str) -> dict[str, object]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError(text)  # noqa: TRY004 - a value that can't be used, whatever its type
    return value


_READERS: dict[type, Callable[[str], object]] = {bool: _bool, int: int, float: _finite, list: _list, dict: _dict}
