"""What do pages say that are none? The sentences of `phrases.toml`, a table a purpose and a line or two a language."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

FEW = r"(?:[^.!?\n\u3002\uff01]|\.(?=\w)){0,70}?"  # what may stand between two words of a sentence
SOUGHT = r"(?:page|file|document|resource|article|content|item|link|address|url)s?"  # what somebody may have asked for


@cache
def _tables() -> dict[str, dict[str, str | list[str]]]:
    return tomllib.loads(files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8"))


def any_of(table: str) -> str:
    """Return one regular expression, to be used without regard to letter case, for all sentences of a table."""
    sentences = [line for said in _tables()[table].values() for line in ([said] if isinstance(said, str) else said)]
    return "(?:" + "|".join(sentences).replace("{few}", FEW).replace("{sought}", SOUGHT) + ")"
