"""How does a test have an S3 server? moto's, a process on loopback, with a promise of S3 that it does not keep itself.

moto checks whether a name is taken and then writes, in two steps, and another thread may come between. That was seen
once in sixty runs of eight writers, with frequent thread switches. S3 does both in one step, so writes take turns here.
A file says whether the server is slow, full, forbids everything or lacks conditional writes, and a test can change it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

from werkzeug.serving import make_server
from werkzeug.test import Client

from tests.child import child, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT = Path(__file__).resolve().parents[3]
BUCKET = "crawls"
REFUSALS = {  # the first as Ceph says it, the second as S3 does
    "full": ("403 Forbidden", "QuotaExceeded", "The bucket has reached its quota"),
    "forbidden": ("403 Forbidden", "AccessDenied", "Access Denied"),
}
WRITES = frozenset({"PUT", "POST", "DELETE"})


def missing() -> str:
    """Return what an S3 server lacks here, as a sentence; "" where nothing is missing."""
    lacking = [name for name in ("s3fs", "moto", "flask_cors") if find_spec(name) is None]
    return f"{', '.join(lacking)} not installed: ./breadcrumb cluster --yes adds them" if lacking else ""


@dataclass(frozen=True, slots=True)
class S3Server:
    """A server that runs; `environment` is what a client needs to reach it."""

    environment: dict[str, str]
    conduct: Path

    def behave(self, **conduct: object) -> None:
        """Let it be slow (`seconds` before each write), or refuse each write (`refusal`: full, forbidden).

        With `unconditional` it takes each write as older servers do, which don't know If-None-Match.
        """
        self.conduct.with_suffix(".new").write_text(json.dumps(conduct))
        self.conduct.with_suffix(".new").rename(self.conduct)


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """Run a server with an empty bucket until the block ends."""
    conduct, said = folder / "conduct.json", folder / "address"
    conduct.write_text("{}")
    # A region and keys of any kind: it takes all, and clients want some.
    names = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
    line = [sys.executable, "-m", __spec__.name, str(said), str(conduct)]
    with child(line, cwd=ROOT, stdout=DEVNULL, stderr=DEVNULL, env=os.environ | names) as process:
        wait_until(said.exists, process)
        yield S3Server(names | {"AWS_ENDPOINT_URL": said.read_text()}, conduct)


def serve(said: Path, conduct: Path) -> None:
    """Serve until this process is ended; write the address into a file once there is a bucket."""
    backend: Any = import_module("moto.moto_server.werkzeug_app")
    moto, one_by_one = backend.DomainDispatcherApplication(backend.create_backend_app), threading.Lock()

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] not in WRITES:
            return moto(environ, start_response)  # type: ignore[no-any-return]  # moto is imported late
        now = json.loads(conduct.read_text())
        time.sleep(now.get("seconds", 0))
        if (refusal := now.get("refusal")) is not None:
            status, code, message = REFUSALS[refusal]
            start_response(status, [("Content-Type", "application/xml")])
            return [f"<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode()]
        if now.get("unconditional"):
            environ.pop("HTTP_IF_NONE_MATCH", None)
        with one_by_one:
            return moto(environ, start_response)  # type: ignore[no-any-return]  # as above

    Client(application).put(f"/{BUCKET}")
    server = make_server("127.0.0.1", 0, application, threaded=True)
    said.with_suffix(".new").write_text(f"http://127.0.0.1:{server.port}")
    said.with_suffix(".new").rename(said)
    server.serve_forever()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), Path(sys.argv[2]))
