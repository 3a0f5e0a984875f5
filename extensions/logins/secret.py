"""Where is a secret kept? In the environment, or in a file that only its owner may read; never in the settings.

A secret is read when a crawl begins to use it. `SecretText` holds it without showing it: in a log, a traceback or a
debugger its representation is three dots.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from spiders.own_folders import ROOT
from spiders.setting_values import SettingError

MAX_SECRET_BYTES = 8192  # servers refuse longer header lines
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True, repr=False)
class SecretText:
    """The text of a secret. Its representation does not show it."""

    text: str

    def __repr__(self) -> str:
        return "SecretText(…)"


@dataclass(frozen=True, slots=True)
class Secret:
    """A reference to a secret: `kind` is "env" or "file", `name` a variable or a path."""

    kind: str
    name: str

    @classmethod
    def named(cls, reference: object) -> Secret | None:
        """Return the secret of `env:NAME` or `file:PATH`; None for anything else."""
        kind, colon, name = str(reference).partition(":") if isinstance(reference, str) else ("", "", "")
        if kind == "env" and _VARIABLE.fullmatch(name):
            return cls(kind, name)
        return cls(kind, name) if kind == "file" and colon and name.strip() and name.isprintable() else None

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    def read(self) -> SecretText:
        """Return the secret itself. Raises SettingError, which says what would work and shows nothing of it."""
        text = _of_environment(self.name) if self.kind == "env" else _of_file(ROOT / Path(self.name).expanduser())
        if not text:
            raise SettingError(f"{self} is empty: it must be the secret")
        if not text.isprintable():
            raise SettingError(f"{self} has a line break or a control character in it: it must be one line")
        return SecretText(text)


def _of_environment(name: str) -> str:
    text = os.environ.get(name)
    if text is None:
        raise SettingError(f"env:{name}: there is no such environment variable: export {name} first")
    return text


def _of_file(path: Path) -> str:
    """Return the first and only line of a file. It is opened before it is checked: nobody can exchange it between."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # a named pipe must not hold us
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise SettingError(f"file:{path} is no file")
            if status.st_mode & _OTHERS:
                raise SettingError(f"file:{path} can be read or changed by others: run chmod 600 {path}")
            content = file.read(MAX_SECRET_BYTES + 1)
    except OSError as error:
        raise SettingError(f"file:{path} can't be read: {error.strerror}") from None
    if len(content) > MAX_SECRET_BYTES:
        raise SettingError(f"file:{path} is longer than {MAX_SECRET_BYTES} bytes: it must have the secret alone")
    try:
        return content.decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise SettingError(f"file:{path} is no text in UTF-8") from None
