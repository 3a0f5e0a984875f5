"""Which record ends an epoch? It lists the files that hold the part now, its messages to others, and its counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Self

from extensions.machines.store.objects import StoreError


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a part's folder in the store: the name of its object, its size and its checksum."""

    name: str  # of the object; an unchanged file keeps that of the epoch that wrote it
    size: int  # bytes
    sha256: str


@dataclass(frozen=True, slots=True)
class MessageFile:
    """The messages of a part to others (`receivers`) in one epoch: its outbox rows after one number, up to another."""

    sender: int
    term: int
    file: StoredFile
    after: int  # numbers of the sender's outbox
    last: int
    letters: int
    receivers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EpochOutcome:
    """How an epoch of a part ended, with the results of its stage.

    `ending` is "finished" (all that is left of the round is not yet due) or "bounded" (the stage reached its limit of
    time or pages). `counts`: sites, pages, indexed, requests, queued, failed, faults and discovered of the part now.
    `waiting` counts messages not yet delivered, `sent` those of this epoch; `behind` is 1 if the index is behind, for
    the driver only. The epoch began with the folder of epoch `base`, 0 for none; `at` is the wall clock of that
    machine.
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
        """Return the outcome as it is stored."""
        return asdict(self)

    @classmethod
    def of(cls, found: dict[str, Any], where: str) -> Self:
        """Read a stored outcome. Raises `StoreError` if this Breadcrumb does not write it like that."""
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
