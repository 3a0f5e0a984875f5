"""Does bench/guard notice a crawl that does not end as it should? A tame server is hostile in none of its ways."""

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.child import PATIENCE
from tests.serving import PatientServer, serving

BENCH = Path(__file__).resolve().parents[2] / "bench" / "guard"
CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "conformance" / "hostile_answers.jsonl").read_text("utf-8").splitlines()
]


class Tame(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_what_does_not_end_as_it_should_is_named_and_told_by_the_exit_code() -> None:
    with serving(PatientServer(("127.0.0.1", 0), Tame)) as address:
        words = [sys.executable, str(BENCH), address]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    right = sum(case["ends"] == "gone" for case in CASES)
    assert done.returncode == 1
    assert f"{right} of {len(CASES)} cases ended as they should." in done.stdout
    assert "SHOULD BE header-limit" in done.stdout
    assert "Longest standstill" in done.stdout
