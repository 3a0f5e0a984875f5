"""How does a person read a URL? As a trail: the host in its own script, then the folders, one after the other.

`http://xn--bcker-gra.example/br%C3%B6tchen/roggen` reads `bäcker.example`, `brötchen`, `roggen`. Only what is shown
is decoded, never what is linked to. What could mislead the eye stays escaped: blanks, invisible characters and those
that turn the direction of writing, and a host label that mixes Latin letters with those of another script.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, urlsplit

MAX_SHOWN = 120  # characters of a trail: about one line on a wide screen, three on a phone
SEPARATOR = " > "  # takes this much room between two parts, whatever a page draws there
MAX_URL = 8_000  # characters; RFC 9110, 4.1 asks for 8,000 octets, and the crawl stores far shorter ones
LINKED_SCHEMES = ("http://", "https://")  # javascript: and data: would run what a page wrote

_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def is_link(url: str) -> bool:
    """Return whether `url` may stand in an href."""
    return url.lower().startswith(LINKED_SCHEMES)


def trail(url: str) -> tuple[str, ...]:
    """Return the host and the path's parts in readable form, cut to `MAX_SHOWN` characters in all."""
    try:
        parts = urlsplit(url[:MAX_URL])
    except ValueError:
        return (_shortened(url, MAX_SHOWN),)
    folders = [readable(part) for part in parts.path.split("/") if part]
    if parts.query:
        question = "?" + readable(parts.query)
        folders = [*folders[:-1], folders[-1] + question] if folders else [question]
    return _fitted(readable_host(parts.netloc.rpartition("@")[2]), folders)


def readable(text: str) -> str:
    """Decode the escapes of letters and signs beyond ASCII; those of ASCII are data or structure, and stay."""
    return _ESCAPES.sub(lambda run: _decoded(run[0]), text)


def readable_host(host: str) -> str:
    """Return a host, with or without its port, in the letters that its owner writes it with."""
    return ".".join(_readable_label(label) for label in host.split("."))


def _decoded(escapes: str) -> str:
    octets = bytes.fromhex(escapes.replace("%", ""))
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError:
        return escapes
    # isprintable() is False for blanks, controls and everything that turns the direction of writing
    return "".join(
        letter if not letter.isascii() and letter.isprintable() else quote(letter, safe="") for letter in text
    )


def _readable_label(label: str) -> str:
    name, colon, port = label.partition(":")
    if not name.startswith("xn--"):
        return label
    import idna  # noqa: PLC0415 - 25 ms of tables, and most hosts are ASCII

    try:
        decoded = idna.decode(name)
    except (idna.IDNAError, UnicodeError):
        return label
    return label if _mixes_scripts(decoded) else decoded + colon + port


def _mixes_scripts(label: str) -> bool:
    latin = {unicodedata.name(letter, "").startswith("LATIN") for letter in label if letter.isalpha()}
    return len(latin) > 1


def _fitted(host: str, folders: list[str]) -> tuple[str, ...]:
    """Leave out the folders before the last one first: the host and the last part say the most."""
    host = _shortened(host, MAX_SHOWN // 2)
    last = [_shortened(folder, MAX_SHOWN // 2) for folder in folders[-1:]]
    room = MAX_SHOWN - len(host) - sum(map(len, last))
    kept = []
    for folder in folders[:-1]:
        room -= len(folder) + len(SEPARATOR)
        kept.append(folder if room >= 0 else "…")
        if room < 0:
            break
    return (host, *kept, *last)


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
