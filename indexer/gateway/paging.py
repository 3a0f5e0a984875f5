"""Which pages of results can be gone to from here? The one before, the one after, and numbers around this one."""

from __future__ import annotations

from dataclasses import dataclass

AROUND = 3  # page numbers shown on each side of this one


@dataclass(frozen=True, slots=True)
class Paging:
    """Page `current` of `last`; numbers from 1."""

    current: int
    last: int

    @property
    def numbers(self) -> range:
        """The numbers that are shown."""
        return range(max(1, self.current - AROUND), min(self.last, self.current + AROUND) + 1)

    @property
    def before(self) -> int | None:
        """The page before, if there is one."""
        return min(self.current - 1, self.last) if self.current > 1 and self.last else None

    @property
    def after(self) -> int | None:
        """The page after, if there is one."""
        return self.current + 1 if self.current < self.last else None


def paging(total: int, size: int, current: int, highest: int) -> Paging:
    """Return the paging of `total` results, `size` on a page, of which pages up to `highest` may be asked for."""
    return Paging(current, min(-(-total // size), highest))
