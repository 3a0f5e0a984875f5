"""Which process reads files that could harm their reader? This one: it takes one file at a time, and may die.

`python -m extensions.documents.worker MEGABYTES SECONDS PAGES` reads frames from its standard input. It answers each
with a frame on its standard output: four bytes of length, big-endian, and the content. A request begins with a byte for
the kind of file; a response is JSON. The kernel enforces the limits: memory for the whole life (RLIMIT_AS), and
processor time for each file (RLIMIT_CPU). No file may grow, and only as many may be open as the parsers need. The
worker ends with its standard input, so it never outlives the process that started it.
"""

from __future__ import annotations

import json
import resource
import struct
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from extensions.documents.office import Extract

LENGTH = struct.Struct(">I")
PDF, OFFICE = b"P", b"O"
FILES_OPEN = 64


def answer_requests(megabytes: int, seconds: int, pages: int) -> None:
    """Answer requests until the input ends."""
    _bound(megabytes)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while (request := read_frame(requests)) is not None:
        _bound_time(seconds)
        answer = json.dumps(_read(request, pages)).encode()
        answers.write(LENGTH.pack(len(answer)) + answer)
        answers.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """Return the content of the next frame, or None if there is none or it breaks off."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    content = stream.read(size)
    return content if len(content) == size else None


def _bound(megabytes: int) -> None:
    for limit, most in (
        (resource.RLIMIT_AS, megabytes * 1024 * 1024),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, FILES_OPEN),
    ):
        _, hard = resource.getrlimit(limit)
        within = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(limit, (within, within))
        except (ValueError, OSError):
            continue  # macOS has no limit on address space: only the time limit holds there


def _bound_time(seconds: int) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, hard))


def _read(request: bytes, pages: int) -> dict[str, object]:
    from extensions.documents.office import NotReadable, read_office
    from extensions.documents.pdf import read_pdf

    kind, body = request[:1], request[1:]
    try:
        extract: Extract = read_pdf(body, pages) if kind == PDF else read_office(body)
    except NotReadable as fault:
        return {"fault": str(fault)}
    except MemoryError:
        return {"fault": "it needs more memory than one file may have"}
    except Exception as error:  # noqa: BLE001 - a parser that fails on its input is reported, and this worker ends
        return {"fault": f"its reader failed on it ({type(error).__name__}: {str(error)[:200]})", "ends": True}
    return asdict(extract)


if __name__ == "__main__":
    answer_requests(*map(int, sys.argv[1:4]))
