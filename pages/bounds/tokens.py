"""Where does a tag, a comment or a raw text begin and end? The tokens of HTML (WHATWG HTML, 13.2.5), to bound a page.

They are known here as far as bounding a page needs them. The patterns repeat possessively: nothing is tried twice, so
they take linear time on any input.
"""

from __future__ import annotations

import re

_ATTRIBUTE = (
    r"""[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"""
    r"""(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:"[^"]*+"?|'[^']*+'?|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?)?"""
)
TAG = re.compile(rf"<(/?)([a-zA-Z][^ \t\n\f\r/>]*+)((?:[ \t\n\f\r/]++|{_ATTRIBUTE})*+)(>?)")
MARKUP = re.compile("<[a-zA-Z/!?]")  # any other `<` is text
ATTRIBUTE = re.compile(_ATTRIBUTE)  # the next one, inside a tag
_COMMENT_END = re.compile("--!?>")

CODE = frozenset({"script", "style", "noembed", "noframes", "iframe"})  # raw text: code, or for other browsers
SHOWN_RAW = frozenset({"title", "textarea", "xmp"})  # raw text that is shown: here tags are text


def closing(markup: str, name: str, place: int) -> int:
    """Return where the end tag of a raw text element begins, or the end of the file."""
    end = re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE).search(markup, place)
    return end.start() if end else len(markup)


def after_declaration(markup: str, start: int) -> int:
    """Return where a comment, doctype or other declaration ends."""
    if markup.startswith("<!--", start) and not markup.startswith((">", "->"), start + 4):
        closed = _COMMENT_END.search(markup, start + 4)
        return closed.end() if closed else len(markup)
    end = markup.find(">", start)
    return end + 1 if end >= 0 else len(markup)
