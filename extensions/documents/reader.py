"""Who supervises the process that reads documents? This reader starts it, kills it if it is late, and replaces it.

A worker that dies, or takes too long, costs only the file that it read: the next file gets a new worker. The caller
waits in a thread (`asyncio.to_thread`), and the crawl continues. Files are read one after the other.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from extensions.documents.worker import LENGTH, OFFICE, PDF, read_frame
from pages import http_headers
from pages.documents import DocumentText
from spiders.own_folders import ROOMS

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

_SIGNATURES = {PDF: b"%PDF-", OFFICE: b"PK\x03\x04"}
PDF_HEAD_BYTES = 1024  # ISO 32000-1, annex H: readers accept a header in the first 1,024 bytes of a PDF


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """The limits for one file: pages of a PDF (0: no document is read), seconds, and memory of the worker."""

    pages: int = 1000
    seconds: float = 20.0
    megabytes: int = 512


class DocumentProcess:
    """Reads documents in a separate process. Use it as a context manager, or `close` it."""

    types = http_headers.DOCUMENT_TYPE_OF

    def __init__(self, limits: DocumentLimits | None = None) -> None:
        self.limits = limits or DocumentLimits()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0  # the process that started the worker: a fork of it must not use the same pipes
        self._one_at_a_time = threading.Lock()

    def __repr__(self) -> str:
        return f"DocumentProcess({self.limits})"

    def __reduce__(self) -> tuple[Callable[[DocumentLimits], DocumentProcess], tuple[DocumentLimits]]:
        return reader_within, (self.limits,)  # another process has a worker of its own

    @property
    def off(self) -> str:
        """The reason why documents are not read; "" if they are."""
        return "" if self.limits.pages else "DOCUMENT_PAGES is 0"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def read(self, body: bytes, content_type: str) -> DocumentText:
        """Read a file of one of DOCUMENT_TYPES; it never raises, whatever the bytes."""
        kind = PDF if content_type == http_headers.PDF else OFFICE
        if _SIGNATURES[kind] not in (body[:PDF_HEAD_BYTES] if kind == PDF else body[: len(_SIGNATURES[kind])]):
            return DocumentText(fault=f"the server says {content_type}, and the bytes are none")
        with self._one_at_a_time:
            return self._ask(kind + body)

    def close(self) -> None:
        """End the worker, if there is one."""
        with self._one_at_a_time:
            self._end()

    def _ask(self, request: bytes) -> DocumentText:
        process = self._running()
        if process.stdin is None or process.stdout is None:
            raise AssertionError("the worker was started with pipes")
        late = threading.Event()
        watch = threading.Timer(self.limits.seconds, _kill, (process, late))
        watch.daemon = True
        watch.start()
        answer = None
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(LENGTH.pack(len(request)) + request)
                process.stdin.flush()
                answer = read_frame(process.stdout)  # type: ignore[arg-type]  # a BufferedReader is one
        finally:
            watch.cancel()
        if answer is None:
            status = self._end()
            return DocumentText(fault=self._death(status, late=late.is_set()))
        response: dict[str, Any] = json.loads(answer)
        if response.pop("ends", False):
            self._end()
        response.pop("chars", None)
        return _as_text(response)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._owner != os.getpid():
            self._process.returncode = 0  # it belongs to the parent
            self._end()
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._owner = os.getpid()
            limits = [self.limits.megabytes, max(1, int(self.limits.seconds)), self.limits.pages]
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "extensions.documents.worker", *map(str, limits)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PYTHONPATH": str(ROOMS), "PATH": os.environ.get("PATH", "")},
                start_new_session=True,  # Ctrl-C is for the crawl, which ends this process itself
            )
        return self._process

    def _end(self) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        try:
            return process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def _death(self, status: int | None, *, late: bool) -> str:
        limits = self.limits
        if late or status == -signal.SIGXCPU:
            return f"it was not read within {limits.seconds:g} s (DOCUMENT_SECONDS): its reader was ended"
        return f"its reader died of it (exit status {status}): damaged, or more than {limits.megabytes} MB were needed"


def _kill(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _as_text(response: dict[str, Any]) -> DocumentText:
    for name in ("lines", "headings", "warnings"):
        response[name] = tuple(response.get(name, ()))
    response["links"] = tuple((address, words) for address, words in response.get("links", ()))
    return DocumentText(**response)


@cache
def reader_within(limits: DocumentLimits) -> DocumentProcess:
    """Return this process's reader with these limits."""
    return DocumentProcess(limits)
