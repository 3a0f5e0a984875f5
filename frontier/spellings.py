"""What did the last pages link to? Their links, as they were spelt, with what was found out about each.

Nearly every link of a page has been met on the page before it. Asking here first, nothing is parsed, judged or looked
up again, and no request is ever built for it. The memory is bounded in octets: when a generation is full it becomes
the older one, and the one before that is forgotten. What is met again moves to the younger.
"""

from __future__ import annotations

OCTETS = 4 * 1024 * 1024  # of both generations together: some 18,000 spellings, the links of the last pages
LONGEST = 200  # characters: longer spellings are rare, and are asked for again
# Of an entry beside its text, on CPython 3.11: str 49, its place in the dict about 104 (counted when it has just grown,
# at its largest), int 32.
ENTRY_OCTETS = 49 + 104 + 32


class Spellings:
    """A bounded dict from spelling to id (or to a mark), which forgets what was not met for longest."""

    def __init__(self, octets: int = OCTETS) -> None:
        self._half = octets // 2
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._octets = 0  # of the younger generation

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, spelling: str) -> int | None:
        """Return what is known of a spelling, or None."""
        known = self._young.get(spelling)
        if known is None and (known := self._old.pop(spelling, None)) is not None:
            self.put(spelling, known)
        return known

    def put(self, spelling: str, known: int) -> None:
        """Keep what was found out about a spelling, unless it is overlong."""
        if len(spelling) > LONGEST:
            return
        self._octets += ENTRY_OCTETS + len(spelling) * (1 if spelling.isascii() else 4)
        if self._octets > self._half:
            self._young, self._old = {}, self._young
            self._octets = ENTRY_OCTETS + len(spelling)
        self._young[spelling] = known

    def clear(self) -> None:
        """Forget everything."""
        self._young.clear()
        self._old.clear()
        self._octets = 0
