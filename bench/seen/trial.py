"""What does one visited set cost? New URLs go in, the same are asked for again, and memory and disk are looked at."""

from __future__ import annotations

import gc
import re
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.seen.sets import SETS, KeysOnDisk

if TYPE_CHECKING:
    from collections.abc import Iterator

_RESIDENT = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)
AT_ONCE = 10_000  # URLs that are made before the clock runs; the last of them are asked for again, as links are


def address(number: int) -> str:
    """Return the address of a page as documentation sites have them, about 60 characters, in no order."""
    place = number * 2_654_435_761 % 2**32  # Knuth's multiplicative hash takes each number to another one
    return f"http://docs-{place % 97}.example/library/{place % 1009}/chapter-{place:08x}.html"


def batches(count: int) -> Iterator[list[str]]:
    """Give so many addresses, some at a time."""
    for first in range(0, count, AT_ONCE):
        yield [address(number) for number in range(first, min(first + AT_ONCE, count))]


def resident() -> int:
    """Return the memory of this process in bytes; 0 where /proc does not tell it."""
    status = Path("/proc/self/status")
    found = _RESIDENT.search(status.read_text("utf-8")) if status.exists() else None
    return int(found[1]) * 1024 if found else 0


def measure_set(name: str, count: int) -> dict[str, Any]:
    """Measure one set with `count` URLs."""
    with tempfile.TemporaryDirectory() as folder:
        visited = SETS[name](count, Path(folder))
        gc.collect()
        before, errors = resident(), 0
        new = cpu = 0.0
        for some in batches(count):
            begun, begun_cpu = time.perf_counter(), time.process_time()
            for url in some:
                errors += visited.known(url)
            new += time.perf_counter() - begun
            cpu += time.process_time() - begun_cpu
        begun = time.perf_counter()
        for url in some:
            visited.known(url)
        again = time.perf_counter() - begun
        memory = resident() - before
        if isinstance(visited, KeysOnDisk):
            visited.close()
        disk = visited.octets if isinstance(visited, KeysOnDisk) else 0
    return {
        "name": name,
        "urls": count,
        "new_per_second": count / new,
        "new_per_cpu_second": count / cpu,
        "again_per_second": len(some) / again,
        "memory_per_url": memory / count,
        "disk_per_url": disk / count,
        "errors": errors / count,
        "what": (SETS[name].__doc__ or "").partition("\n")[0],
    }
