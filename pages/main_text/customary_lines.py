"""With which lines do pages customarily begin and end? The way here, their owner, when they were made, a cookie note.

They stand outside of any element that would say so, and in much the same words everywhere. The words are those of the
larger languages of the web; what is missing here, a site shows by repeating it (pages/content/site_template.py).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pages.main_text.outline import TextLine

MAX_TRAIL_CHARS = 300  # of the way from the home page to a page

_TRAIL = re.compile(r"\s[>\u203a»→/|]\s")
_TURNING = re.compile(
    r"[«\u2039<←\s]*(?:previous|prev\b|next|older|newer|zurück|weiter|vorige|nächste|précédent|suivant|anterior"
    r"|siguiente|назад|вперёд|далее|前へ|次へ|上一|下一)",
    re.IGNORECASE,
)
# Who owns a page, and when it was made: anywhere in a line, after such a word, and at the beginning of a line.
_OF_AN_END = (
    "©", "all rights reserved", "alle rechte vorbehalten", "tous droits réservés", "todos los derechos",
    "все права защищены", "版权所有", "無断転載", "저작권", "zuletzt geändert", "dernière modification",
    "dernière mise", "última modificación", "última actualización", "последнее изменение", "последнее обновление",
)  # fmt: skip
_OF_A_YEAR = re.compile(r"\(c\)\s?\d{4}")
_BEGINS_AN_END = re.compile(
    r"copyright\b|(?:page )?last (?:modified|updated|changed|edited)|(?:powered|generated|created) (?:by|using|with)"
)
_COOKIE = re.compile(r"cookie|куки|クッキー|쿠키|עוגיות", re.IGNORECASE)
_CONSENT = re.compile(
    r"accept|agree|consent|got it|understood|allow|settings|privacy|akzept|zustimm|einverstanden|verwende|utilis"
    r"|acepta|utiliza|принять|соглас|использу|同意|使用|수락|동의|사용",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[^:]{2,30}:\s")
MAX_END_CHARS = 2000  # of a line that are looked at; one that ends a page has under 400


def is_trail(line: TextLine) -> bool:
    """Return whether a line is the way from the home page to this one."""
    return line.links > 0 and line.chars <= MAX_TRAIL_CHARS and _TRAIL.search(line.text) is not None


def is_turning(text: str) -> bool:
    """Return whether a line leads to the page before or behind this one."""
    return _TURNING.match(text) is not None


def is_customary_end(text: str) -> bool:
    """Return whether a line tells who owns the page, when it was last changed or by which program it was made."""
    text = text[:MAX_END_CHARS].lower()
    if _BEGINS_AN_END.match(text) or any(map(text.__contains__, _OF_AN_END)):
        return True
    return "(c)" in text and _OF_A_YEAR.search(text) is not None


def is_consent(text: str) -> bool:
    """Return whether a block asks for consent to cookies."""
    return _COOKIE.search(text) is not None and _CONSENT.search(text) is not None


def names_its_links(text: str) -> bool:
    """Return whether a line says at its beginning what its links are: "See also: a, b"."""
    return _NAMED.match(text) is not None
