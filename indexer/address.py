"""Where is the index kept? In the data folder, unless the setting INDEX names another place.

    opensearch://host:9200/name              with an engine that an extension adds     (indexer/remote.py)
    whoosh:FOLDER                            an index that Whoosh wrote, to be searched only    (indexer/plain_whoosh)

The setting reaches every room, and every process that a command starts, as the environment variable BREADCRUMB_INDEX
(docs/settings.md).
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from indexer.faults import IndexFault

if TYPE_CHECKING:
    from indexer.remote import IndexEngine, RemoteIndex

VARIABLE = "BREADCRUMB_INDEX"
WHOOSH = "whoosh:"  # before the path of a folder


def read_address(text: str) -> RemoteIndex | None:
    """Read the value of INDEX; None for the data folder. Raises IndexFault, which repeats no password."""
    if not text.strip():
        return None
    from extension_points import called  # noqa: PLC0415 - extensions are asked only where INDEX is set

    engines: list[IndexEngine] = called("index_engines")
    try:
        return _engine_of(text.strip(), engines).read(text.strip())
    except ValueError as error:
        example = f"an address such as {engines[0].example}" if engines else f"{WHOOSH}FOLDER"
        raise IndexFault(
            f"INDEX={without_login(text.strip())}: {error}. Give {example}, or nothing: the data folder"
        ) from None


def _engine_of(text: str, engines: list[IndexEngine]) -> IndexEngine:
    try:
        scheme = urlsplit(text).scheme
    except ValueError:  # whose words repeat all that was given
        raise ValueError("this is no address") from None
    for engine in engines:
        if scheme in engine.schemes:
            return engine
    raise ValueError(
        f"an index is kept {', '.join(['in the data folder', *(engine.places for engine in engines)])}, or is "
        f"{WHOOSH}FOLDER"
    )


def without_login(text: str) -> str:
    """Return what may be shown of a text that somebody gave: a password may stand anywhere before an @."""
    return re.sub(r".*@", "…@", text, flags=re.DOTALL)


def keep_index_at(text: str) -> None:
    """Let this process, and all that it starts, keep the index where INDEX says. Raises IndexFault."""
    if not text.startswith(WHOOSH):
        read_address(text)
    elif not text.removeprefix(WHOOSH).strip():
        raise IndexFault(f"INDEX={text}: give the folder of the index, as whoosh:data/textbook/whoosh")
    os.environ.pop(VARIABLE, None)
    if text.strip():
        os.environ[VARIABLE] = text


def chosen_address() -> RemoteIndex | None:
    """Return where the index of this process is kept; None: in its data folder.

    Raises IndexFault, also where it is a Whoosh folder: those who can search one ask `served_whoosh` first.
    """
    text = os.environ.get(VARIABLE, "")
    if text.startswith(WHOOSH):
        raise IndexFault(
            f"INDEX={text}: search, serve and why read a Whoosh folder, and nothing else does. Leave INDEX empty here"
        )
    return read_address(text)
