"""Which situations are there? The 40 rows of the catalogue, and those of the hostile one that they do not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.answers.rows import elsewhere, found, hostile, lifetime, others, scope, unavailable

if TYPE_CHECKING:
    from bench.answers.record import Situation

HOSTILE: tuple[Situation, ...] = hostile.ROWS
SITUATIONS: tuple[Situation, ...] = tuple(
    sorted(
        (
            *found.ROWS,
            *elsewhere.ROWS,
            *unavailable.ROWS,
            *lifetime.ROWS,
            *scope.ROWS,
            *others.ROWS,
        ),
        key=lambda situation: situation.id,
    )
)
