"""Whose password stands in this address? Nobody's that we were given: it is never sent, shown or kept.

A link such as `http://user:secret@example.org/` gives away what its author forgot there. The canonical form has none
of it (RFC 3986, 3.2.1); what quotes the address as it was found has to leave it out as well.
"""

from __future__ import annotations

import re

HIDDEN = "…"  # what is shown in its place
# As browsers find it: after http, any number of slashes of either kind; line breaks are taken out before.
_AUTHORITY = re.compile(r"([\x00-\x20]*(?:https?:[/\\]*|[a-z][a-z0-9+.-]*:[/\\]{2}))[^/?#\\]*@", re.IGNORECASE)
_BREAKS = str.maketrans("", "", "\t\r\n")
_USERINFO = re.compile(r"(?<=//)[^/?#\s<>\\]*(?=@)")  # greedy: a password may have an @ in it


def has_credentials(url: str) -> bool:
    """Return whether a user name or password stands before the host of `url`."""
    return "@" in url and _AUTHORITY.match(url.translate(_BREAKS)) is not None


def hidden_in(url: str) -> str:
    """Return an address with what stands before its host hidden, whatever characters that has."""
    return _AUTHORITY.sub(rf"\1{HIDDEN}@", url.translate(_BREAKS), count=1) if has_credentials(url) else url


def without_credentials(text: str) -> str:
    """Return `text` with what stands before the host of each address in it hidden."""
    return _USERINFO.sub(HIDDEN, text) if "@" in text else text
