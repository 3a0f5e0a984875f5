"""Does a change of a public name or signature come with a line in CHANGELOG.md? `signatures.txt` lists what is public.

Its first line is that of the changelog on the newest change, its second a digest over the first line and the rest.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import breadcrumb

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
LISTED = Path(__file__).with_name("signatures.txt")


def public_signatures() -> list[str]:
    return [line for name in breadcrumb.__all__ for line in signatures_of(name, getattr(breadcrumb, name))]


def signatures_of(name: str, found: object) -> Iterator[str]:
    if not isinstance(found, type):
        yield f"{name}{inspect.signature(found)}" if callable(found) else name
        return
    yield f"{name}({', '.join(base.__name__ for base in found.__bases__)})"
    if is_dataclass(found):
        yield from (f"{name}.{each.name}: {each.type}" for each in fields(found) if not each.name.startswith("_"))
    for method, value in vars(found).items():
        if inspect.isfunction(value) and not method.startswith("_"):
            yield f"{name}.{method}{inspect.signature(value)}"


def digest(sentence: str, lines: list[str]) -> str:
    return sha256("\n".join([sentence, *lines]).encode()).hexdigest()[:16]


def test_a_change_of_a_public_signature_has_a_line_in_the_changelog() -> None:
    sentence, sealed, *lines = LISTED.read_text().splitlines()
    assert lines == public_signatures(), (
        "a public name or signature has changed: say it in CHANGELOG.md in a line of its own, and write "
        f"{LISTED.name} again: PYTHONPATH=.:package .venv/bin/python tests/package/{Path(__file__).name} 'THE LINE'"
    )
    assert sealed == digest(sentence, lines), f"{LISTED.name} was changed by hand: see the top of this file"
    assert sentence in (ROOT / "CHANGELOG.md").read_text().splitlines()


def test_the_import_loads_nothing_but_itself() -> None:
    program = "import sys; before = set(sys.modules); import breadcrumb; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=ROOT / "package", capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) <= {"breadcrumb", "__future__"}


if __name__ == "__main__":
    found = public_signatures()
    LISTED.write_text("\n".join([sys.argv[1], digest(sys.argv[1], found), *found]) + "\n")
