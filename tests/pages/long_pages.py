"""How much memory do long pages beyond Latin take? A server of six, each of 9 MB, and one of 2,000,000 characters.

A character takes two or three bytes on the wire and two in memory. Chinese has no blanks between words, so each pair of
characters is a term of the index. Words are random, and hardly two pages share one: real texts take less.
"""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE_BYTES = 9_000_000
RUN_CHARS = 2_000_000  # of the one page without a blank
WORDS = 60_000  # different ones of a page
PARAGRAPH_CHARS = 2_000
ALPHABETS = {  # first and last letter, and what stands between two words
    "Russian": ("\u0430", "\u044f", " "),
    "Greek": ("\u03b1", "\u03c9", " "),
    "Hebrew": ("\u05d0", "\u05ea", " "),
    "Arabic": ("\u0627", "\u064a", " "),
    "Hindi": ("\u0905", "\u0938", " "),
    "Chinese": ("\u4e00", "\u6dff", ""),
}
RUN = "run"


@cache
def page(name: str) -> bytes:
    """Return a page: a long one in an alphabet, or RUN."""
    draw = random.Random(name)
    first, last, between = ALPHABETS["Chinese" if name == RUN else name]
    letters = [chr(code) for code in range(ord(first), ord(last) + 1)]
    if name == RUN:
        paragraphs = ["".join(draw.choices(letters, k=RUN_CHARS))]
    else:
        chars = PAGE_BYTES // len(first.encode())
        known = ["".join(draw.choices(letters, k=draw.randint(3, 11))) for _ in range(WORDS)]
        text = between.join(draw.choices(known, k=chars // 7))[:chars]
        paragraphs = [text[start : start + PARAGRAPH_CHARS] for start in range(0, len(text), PARAGRAPH_CHARS)]
    body = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)
    return f"<!doctype html><meta charset=utf-8><title>{name}</title>\n{body}".encode()


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer with a page, or that it is not there."""
        name = self.path.strip("/")
        known = name in ALPHABETS or name == RUN
        body = page(name) if known else b"none"
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "text/html" if known else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    """Serve the pages on loopback while the block runs; give the server's address.

    A process of its own serves them: a crawl that is started from a large process counts that one's peak as its own.
    """
    with subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield (process.stdout.readline() if process.stdout else "").strip()
        finally:
            process.terminate()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    for each in (*ALPHABETS, RUN):
        page(each)  # made before anybody waits for it
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
