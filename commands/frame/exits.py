"""The exit codes of commands, and the errors that a user can resolve."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commands.frame.command_settings import CommandSettings

DONE = 0
NO = 1  # it worked, and the answer is no: nothing found, not allowed, not known
MISUSED = 2  # it could not do what was asked: wrong usage, or something that can't be read
HINDERED = 74  # of a part: a folder in use, or a disk that takes nothing; later it may do (EX_IOERR of sysexits(3))
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class CommandError(Exception):
    """A command fails. The message says what was given, what is wrong and what to do."""


def is_of_a_folder(error: Exception) -> bool:
    """Return whether an error is about a missing crawl or index in a data folder."""
    from crawldb.database import DatabaseError
    from indexer import NoIndex

    return isinstance(error, (DatabaseError, NoIndex))


def folder_error(error: Exception, settings: CommandSettings | None) -> str | None:
    """Return the message where a file is in the place of the data folder, or of one above it."""
    if settings is None or not (isinstance(error, NotADirectoryError) or is_of_a_folder(error)):
        return None
    place = next((each for each in (settings.data_dir, *settings.data_dir.parents) if each.exists()), None)
    if place is None or place.is_dir():
        return None
    return f"{place} is a file, not a folder: name another folder with --data, or move the file away"


def error_message(error: Exception) -> str | None:
    """Return the message of an error that a user can resolve; None for an internal error."""
    from crawldb.database import DatabaseError, in_words
    from indexer import IndexFault
    from spiders.setting_values import SettingError
    from urls.canonical import UnusableUrl

    if isinstance(error, (CommandError, DatabaseError, UnusableUrl, IndexFault, SettingError)):
        return str(error)
    if isinstance(error, OSError):
        return f"{error}. Check the folder permissions and the disk space, or name another folder with --data"
    if isinstance(error, sqlite3.Error):
        return in_words(error)
    return None
