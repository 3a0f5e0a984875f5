"""What is written down when a term ends? Which files hold the part now, what it wrote to others, and what was done."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Self

from extensions.machines.store.objects import StoreError


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a part's folder as it lies in the store: under which name, and what it must be when it is read."""

    name: str  # of the object; a file that did not change keeps that of the term that wrote it
    size: int  # bytes
    sha256: str


@dataclass(frozen=True, slots=True)
class MessageFile:
    """What a part wrote to others, `receivers`, in one term: the rows of its outbox after one number, up to another."""

    sender: int
    term: int
    file: StoredFile
    after: int  # numbers of the sender's outbox
    last: int
    letters: int
    receivers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EpochOutcome:
    """How a term of a part ended, with all that its stage has brought.

    `ending` is "finished" (nothing is left of the round, but for what a later one asks for) or "bounded" (the time or
    the pages of the stage were used up). `counts`: sites, pages, indexed, requests, queued, failed, faults and
    discovered of the part as it is now; `waiting` letters that it has not taken, `sent` letters of this term; 1
    `behind` where the index is, which only the driver hears. `base` is the term whose folder it began with, 0 for none;
    `at` is what the clock on the wall said on that machine.
    """

    part: int
    term: int
    stage: int
    ending: str
    base: int
    at: float
    schema: int
    counts: dict[str, int]
    letters: MessageFile
    files: dict[str, StoredFile] = field(repr=False)
    told: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as it is written."""
        return asdict(self)

    @classmethod
    def of(cls, found: dict[str, Any], where: str) -> Self:
        """Return what was written. Raises `StoreError` where it is not as this Breadcrumb writes it."""
        try:
            known = {name: found[name] for name in cls.__dataclass_fields__}
            known["files"] = {name: StoredFile(**file) for name, file in known["files"].items()}
            letters = known["letters"]
            known["letters"] = MessageFile(
                **letters | {"file": StoredFile(**letters["file"]), "receivers": tuple(letters["receivers"])}
            )
            return cls(**known | {"told": tuple(known["told"])})
        except (KeyError, TypeError, AttributeError) as error:
            raise StoreError(
                f"{where} is not as this Breadcrumb writes it ({error!r}): take the version that wrote it, or put back "
                "a backup"
            ) from error
