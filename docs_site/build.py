"""How do the docs become a site? MkDocs builds it, Breadcrumb crawls it on loopback and writes its index into it.

    .venv/bin/python docs_site/build.py FOLDER

FOLDER is new. Any static server can show it, below any path: `python3 -m http.server -d FOLDER`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

HERE = Path(__file__).resolve().parent
COMMANDS = HERE.parent / "commands"


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and prints no log."""

    log_message = staticmethod(lambda *_: None)  # type: ignore[assignment]  # a method of any arguments


def build(folder: Path) -> None:
    """Build the site. Raises CalledProcessError if a step fails, which says why."""
    mkdocs = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file", str(HERE / "mkdocs.yml")]
    subprocess.run([*mkdocs, "--site-dir", str(folder.resolve())], check=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    with server, tempfile.TemporaryDirectory() as data:
        Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}/"
        breadcrumb("crawl", "site", "-a", f"seeds={origin}", "--data", data, "-L", "ERROR")
        place = ("--static", str(folder / "search"), "--served-at", f"{origin}search/")
        breadcrumb("export", *place, "--data", data)
        server.shutdown()


def breadcrumb(*words: str) -> None:
    """Run a command of Breadcrumb. Raises CalledProcessError if it fails."""
    subprocess.run([sys.executable, str(COMMANDS), *words], check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():  # noqa: PLR2004 - the program and the folder
        raise SystemExit(f"{__doc__}\nGive one FOLDER, which is not there yet.")
    try:
        build(Path(sys.argv[1]))
    except subprocess.CalledProcessError as fault:
        raise SystemExit(f"{' '.join(map(str, fault.cmd))} ended with exit code {fault.returncode}") from None
