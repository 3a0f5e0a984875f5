"""How is a URL written in a command that stands in a sentence? As one word of a shell, whose end nobody can mistake."""

from __future__ import annotations

import shlex

_PUNCTUATION = (".", ",", ":")  # a shell needs no quotes around them; at the end they would be the sentence's


def shell_word(text: str) -> str:
    """Quote a text for a shell where it needs that, or where a reader could not tell its end."""
    return f"'{text}'" if text.endswith(_PUNCTUATION) and shlex.quote(text) == text else shlex.quote(text)
