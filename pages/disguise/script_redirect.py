"""Does a script lead readers away at once? One that does nothing else: `location = "…"`, perhaps after a moment.

A page with a text of its own and such a script is one for robots, who read it, and not for readers, who never do
(Wu and Davison, "Cloaking and Redirection", 2005). A script that first asks something (which browser, which language,
whether it is in a frame) is an honest page's, more often than not: it is not looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_REDIRECT_CHARS = 500  # of a script that does nothing else
_WINDOW = r"(?:(?:window|self|top|document|parent)\s*\.\s*)*"
_JUMP = re.compile(
    rf"""{_WINDOW}location(?:\s*\.\s*href)?\s*(?:=|\.\s*(?:replace|assign)\s*\()\s*["']([^"'\s]{{1,400}})["']\s*\)?\s*;?"""
)
_LATER = re.compile(
    r"""(?:window\s*\.\s*)?setTimeout\s*\(\s*(?:function\s*\(\s*\)\s*\{|\(\s*\)\s*=>\s*\{?|["'`])\s*(.{1,450}?)\s*[}"'`]?"""
    r"\s*,\s*\d{1,4}\s*\)\s*;?",
    re.DOTALL,
)


def script_target(scripts: Iterable[str]) -> str:
    """Return where a script leads that does nothing else, as it is written; "" where none does."""
    for script in scripts:
        said = script.strip().removeprefix("<!--").removesuffix("-->").removesuffix("//").strip()
        if len(said) > MAX_REDIRECT_CHARS or "location" not in said:
            continue
        later = _LATER.fullmatch(said)
        jump = _JUMP.fullmatch(later[1].strip().rstrip("}").strip() if later else said)
        if jump:
            return jump[1]
    return ""
