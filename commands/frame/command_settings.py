"""The settings of a command: defaults, then the operator's own settings, then each `-s`.

Scrapy reads the same settings. They are read without Scrapy here, because its import is slow.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.frame.exits import CommandError
from indexer.remote import engine_of, parse_index_setting
from spiders.own_folders import FILE_VARIABLE, ROOT
from spiders.own_settings import (
    FORMER,
    OURS,
    OwnSettingError,
    is_ours,
    nearest_settings,
    own_defaults,
    own_settings,
    report_former_name,
    value_from_text,
    with_place,
)
from urls.wording import shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spiders.arguments import SpiderArguments
    from spiders.crawl_settings import CrawlSettings
    from spiders.setting_values import ReadableSettings

FROM_FILE, FROM_COMMAND_LINE = 20, 40  # Scrapy's priorities, which spiders/crawl_settings.py asks for


class CommandSettings:
    """The settings by name. Each `-s` value gets the type of its default."""

    def __init__(self, given: Sequence[str] = ()) -> None:
        """Read `given`, each "NAME=VALUE"; raise `CommandError` for a name or value that can't be used."""
        self._values = own_defaults() | own_values()
        self._given: set[str] = set()
        self.assignments = tuple(given)  # as they stood on the command line
        for assignment in given:
            name, equals, text = assignment.partition("=")
            if not equals:
                raise CommandError(
                    f"-s {assignment}: give NAME=VALUE, such as -s DATA_DIR=data. "
                    "Put -- before a value that starts with a dash"
                )
            if name in FORMER:
                report_former_name(name, f"-s {assignment}")
                continue
            if not is_ours(name):
                advice = nearest_settings(name, own_defaults()) or "docs/settings.md lists them all"
                raise CommandError(f"-s {assignment}: unknown setting {name!r}; {advice}")
            try:
                self._values[name] = value_from_text(name, text)
            except ValueError as error:
                raise CommandError(f"-s {assignment}: {error}") from None
            self._given.add(name)
        if not str(self._values["DATA_DIR"]).strip():
            raise CommandError(f"DATA_DIR is empty. Its default is {OURS['DATA_DIR']!r}")

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def getint(self, name: str) -> int:
        """Return a whole number."""
        return int(self[name])

    def getfloat(self, name: str) -> float:
        """Return a number."""
        return float(self[name])

    def getbool(self, name: str) -> bool:
        """Return yes or no."""
        return bool(self[name])

    def getlist(self, name: str) -> list[Any]:
        """Return a list."""
        return list(self[name])

    def getpriority(self, name: str) -> int | None:
        """Return how near to the command line a value was given, in Scrapy's numbers; None for an unknown name."""
        if name not in self._values:
            return None
        return FROM_COMMAND_LINE if name in self._given else FROM_FILE

    def as_dict(self) -> dict[str, Any]:
        """Return all settings by name."""
        return dict(self._values)

    @property
    def data_dir(self) -> Path:
        """The data folder: `DATA_DIR`, relative to the project's folder."""
        return ROOT / str(self._values["DATA_DIR"])


def own_values() -> dict[str, Any]:
    """Return the operator's own settings by name; raise `CommandError` for invalid ones."""
    try:
        return {name: own.value for name, own in own_settings().items()}
    except OwnSettingError as error:
        raise CommandError(str(error)) from error


def places_of(given: Sequence[str]) -> dict[str, str]:
    """Return the source of each setting that is not a default: "-s NAME=VALUE" or its place."""
    own = {name: own.place for name, own in own_settings().items()}
    return own | {assignment.partition("=")[0]: f"-s {assignment}" for assignment in given}


def read_crawl_settings(settings: ReadableSettings, arguments: SpiderArguments) -> CrawlSettings:
    """Return the settings of a crawl; raise `CommandError` for invalid settings, with their place."""
    from spiders.arguments import SeedError
    from spiders.crawl_settings import CrawlSettings
    from spiders.downloader.address_policy import IdentityError
    from spiders.setting_values import SettingError

    try:
        return CrawlSettings.read(settings, arguments)
    except (SettingError, IdentityError, SeedError) as error:
        given = (name for name in own_defaults() if (settings.getpriority(name) or 0) > FROM_FILE)
        raise CommandError(with_place(str(error), frozenset(given).__contains__)) from error


def index_option(given: Sequence[str]) -> str:
    """Return the `-s INDEX=…` of a command line, after a blank and without its password; "" where it has none.

    Settings without which the index may not open follow, such as `-s TRUST_PICKLES=…`.
    """
    texts = {name: text for name, _, text in (assignment.partition("=") for assignment in given)}
    address = parse_index_setting(place := texts.get("INDEX", ""))
    if not address:
        return ""
    needed = {name: texts[name] for name in engine_of(place.strip()).settings if name in texts}
    return "".join(f" -s {shell_word(f'{name}={text}')}" for name, text in {"INDEX": str(address), **needed}.items())


def take_settings_file(name: str | None) -> None:
    """Make this process and its children read the settings file of `--settings`."""
    if name is None:
        return
    if not Path(name).is_file():
        found = "it is a folder, a pipe or a device, not a file" if Path(name).exists() else "no such file"
        raise CommandError(f"--settings {name}: {found}; docs/settings.md shows an example")
    os.environ[FILE_VARIABLE] = str(Path(name).absolute())
