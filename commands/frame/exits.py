"""How does a command end? With an exit code, and where it can't go on, with a sentence on what would work.

It is short because it stands below everything else here: settings, folders and commands all end so.
"""

from __future__ import annotations

import sqlite3

DONE = 0
NO = 1  # it worked, and the answer is no: nothing found, not allowed, not known
MISUSED = 2  # it could not do what was asked: wrong usage, or something that can't be read
HINDERED = 74  # of a part: a folder in use, or a disk that takes nothing; later it may do (EX_IOERR of sysexits(3))
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class CommandError(Exception):
    """The command can't go on; the message says what was given, what is wrong and what would work."""


def is_of_a_folder(error: Exception) -> bool:
    """Return whether an error says that a data folder does not hold what was asked of it."""
    from crawldb.database import DatabaseError
    from indexer import NoIndex

    return isinstance(error, (DatabaseError, NoIndex))


def error_message(error: Exception) -> str | None:
    """Return the sentence for an error that a person can do something about, or None for a fault of ours."""
    from crawldb.database import DatabaseError, in_words
    from indexer import IndexFault
    from urls.canonical import UnusableUrl

    if isinstance(error, (CommandError, DatabaseError, UnusableUrl, IndexFault)):
        return str(error)
    if isinstance(error, OSError):
        return f"{error}. Is there a folder to read and write, and room on its disk? --data FOLDER names another"
    if isinstance(error, sqlite3.Error):
        return in_words(error)
    return None
