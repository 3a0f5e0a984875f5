"""Which source file computes a number on a page? Each file opens with the question that it answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spiders.own_folders import ROOMS

if TYPE_CHECKING:
    from types import ModuleType

_QUESTION = re.compile(r"[^?]*\?")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file, and its opening question."""

    path: str  # from the root of the project
    question: str


def source_files_of(*modules: ModuleType) -> tuple[SourceFile, ...]:
    """Return the file of each module with its opening question, or else the first line of its docstring."""
    paths = (Path(str(module.__file__)).resolve().relative_to(ROOMS).as_posix() for module in modules)
    return tuple(SourceFile(path, _opening(each.__doc__ or "")) for path, each in zip(paths, modules, strict=True))


def _opening(docstring: str) -> str:
    first = docstring.strip().partition("\n")[0]
    question = _QUESTION.match(first)
    return question[0] if question else first
