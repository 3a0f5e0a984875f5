"""What does a term mean? What docs/glossary.md says, on the page of numbers as in the docs."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_GLOSSARY = Path(__file__).resolve().parents[1] / "docs" / "glossary.md"
_ENTRY = re.compile(r"^- \*\*(.+?)\*\*: (.+)$", re.MULTILINE)


@cache
def glossary() -> dict[str, str]:
    """Return the terms with what they mean; none where the docs are not installed, as in an egg."""
    return dict(_ENTRY.findall(_GLOSSARY.read_text("utf-8"))) if _GLOSSARY.is_file() else {}


def meaning_of(term: str) -> str:
    """Return what a term means, without the full stop; "" where the glossary has it not."""
    return glossary().get(term, "").removesuffix(".").replace("`", "")
