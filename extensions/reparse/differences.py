"""Which differences are there between two records of one page? By kind: verdict, title, text, language …"""

from __future__ import annotations

from dataclasses import fields
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from urls.records import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.review import RefilteredPage

# Fields from the fetch, other data of the database, and fields that only make pages comparable.
_NOT_READ = frozenset(
    {
        *("url", "fetched_at", "status", "etag", "last_modified", "body", "headers", "seconds"),
        *("anchors", "links", "links_cut", "base", "refresh", "outdated_at"),
        *("fingerprint", "signature", "refusals", "duplicate_of", "near_duplicate_of", "cluster", "resemblance"),
    }
)
_COMPARED = tuple(field.name for field in fields(Page) if field.name not in _NOT_READ)
MAX_PARTS = 3  # of a changed text that are shown
MAX_PART = 100  # characters of each
MAX_WORDS = 2000  # of a text whose changed parts are looked for


def differences(found: RefilteredPage) -> dict[str, tuple[str, str]]:
    """Return the old and the new value in words, by the kind of the difference."""
    before, after = found.before, found.after
    told: dict[str, tuple[str, str]] = {}
    if _verdict(before) != _verdict(after):
        told["verdict" if _rules(before) != _rules(after) else "reason"] = _verdict(before), _verdict(after)
    for name in _COMPARED:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            told[name] = parts_that_differ(_in_words(old), _in_words(new))
    if found.stored.gained or found.stored.lost:
        told["links"] = " ".join(sorted(found.stored.lost)), " ".join(sorted(found.stored.gained))
    if not told:  # no visible difference: another way to compare pages
        told["fingerprint"] = _made_comparable(before), _made_comparable(after)
        if before.fingerprint == after.fingerprint:
            told = {"cluster": ("it says nearly what some pages say", "others, or none, by the rules of now")}
    return told


def _rules(page: Page) -> list[str]:
    return [refusal.rule for refusal in page.refusals]


def _made_comparable(page: Page) -> str:
    return page.fingerprint.hex() or "no fingerprint"


def _verdict(page: Page) -> str:
    if not page.refusals:
        return "in the index"
    return "; ".join(f"refused ({refusal.rule}): {refusal.reason}" for refusal in page.refusals)


def _in_words(value: object) -> str:
    if isinstance(value, tuple):
        return " · ".join(map(_in_words, value))
    return "" if value is None else str(value)


def parts_that_differ(before: str, after: str) -> tuple[str, str]:
    """Return two texts, or the first parts in which two long ones differ."""
    if max(len(before), len(after)) <= MAX_PART:
        return before, after
    old, new = before.split()[:MAX_WORDS], after.split()[:MAX_WORDS]
    parts = list(_parts(old, new))
    shown = parts[:MAX_PARTS] or [("", "")]
    sides = (" … ".join(part[side] for part in shown if part[side]) for side in (0, 1))
    more = f" (and {len(parts) - MAX_PARTS} more places)" if len(parts) > MAX_PARTS else ""
    was, now = (f"{side}{more}" for side in sides)
    return was, now


def _parts(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    for kind, start, stop, begin, end in SequenceMatcher(None, old, new, autojunk=True).get_opcodes():
        if kind != "equal":
            yield _short(" ".join(old[start:stop])), _short(" ".join(new[begin:end]))


def _short(text: str) -> str:
    return text if len(text) <= MAX_PART else f"{text[: MAX_PART - 1]}…"
