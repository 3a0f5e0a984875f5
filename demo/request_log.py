"""How do you see later what a robot did? The practice web writes each request into a file, a JSON object a line.

`end` is the moment of the response in seconds since 1970, `took` the seconds that it took, and `url` what the robot
asked for: the path, at the site `host`. `method`, `status`, `agent` and `client` (an IP address) are always there;
`from`, `if_none_match` and `if_modified_since` are there if the robot sent these headers.

A robot in a trap asks without end, so the file has a limit. Its last line then is `{"full": BYTES}`. At the limit, or
on a full disk, one line on standard error says so, and the practice web continues without the log.
"""

from __future__ import annotations

import json
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from demo.messages import Request

MAX_LOG_BYTES = 64 * 1024 * 1024  # some 300,000 requests: wget makes as many in five minutes
_DIGITS = 6  # microseconds


class RequestLog:
    """The file at `path`; an earlier one becomes `NAME.1`. Raises `OSError` if it can't be written."""

    def __init__(self, path: Path, most: int = MAX_LOG_BYTES) -> None:
        if path.exists():
            path.replace(path.with_name(f"{path.name}.1"))
        self.path = path
        self._file = path.open("w", encoding="utf-8", buffering=1)  # a line at a time: one may look at any moment
        self._most = most
        self._left = most
        self._lock = threading.Lock()

    def write(self, request: Request) -> None:
        """Append one request, or nothing once the log has ended."""
        line = json.dumps(_as_dict(request)) + "\n"
        with self._lock:
            if self._left <= 0:
                return
            self._left -= len(line)
            try:
                if self._left > 0:
                    self._file.write(line)
                    return
                self._file.write(json.dumps({"full": self._most}) + "\n")
                reason = f"it has {self._most / 2**20:g} MiB"
            except OSError as error:
                self._left = 0
                reason = f"it can't be written ({error.strerror})"
        print(f"{self.path}: {reason}; later requests are not logged", file=sys.stderr)

    def close(self) -> None:
        """Close the file."""
        with self._lock, suppress(OSError):
            self._left = 0
            self._file.close()


def _as_dict(request: Request) -> dict[str, object]:
    fields: dict[str, object] = {
        "end": round(request.time, _DIGITS),
        "took": round(request.took, _DIGITS),
        "client": request.client,
        "host": request.host,
        "method": request.method,
        "url": request.path,
        "status": request.status,
        "agent": request.user_agent,
    }
    sent = {
        "from": request.sender,
        "if_none_match": request.if_none_match,
        "if_modified_since": request.if_modified_since,
    }
    return fields | {name: value for name, value in sent.items() if value}
