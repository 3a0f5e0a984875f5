"""`lab`: starts a lab, with a folder, three web servers and a shell; with `--check` it grades what was done there.

In that shell `breadcrumb` is on the PATH, every command uses the data folder of the lab, and `$site` is the URL of the
folder `site`, served as a web site. Everything ends with the shell; the folder stays.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from commands.demo import SMALLEST_PORT, is_free, other_port
from commands.frame.command import PARENT_WATCH, Command, command_line
from commands.frame.data_folder import OPTION, VARIABLE
from commands.frame.exits import DONE, CommandError
from spiders.own_folders import PROGRAM_FOLDER, ROOMS
from urls.wording import PROGRAM

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commands.frame.command_settings import CommandSettings

HOST = "127.0.0.1"
DEFAULT_PORT = 8410  # beside those of a demo
LARGEST_PORT = 65533  # three in a row
LABS = ROOMS / "docs" / "labs"
NOTEBOOKS = Path(__file__).parent / "notebooks"
START_SECONDS, STOP_SECONDS = 30.0, 10.0  # that the search page has to listen, and to end


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="number of the lab (default: list them)")
    parser.add_argument(
        "--port",
        type=int,
        default=DEFAULT_PORT,
        metavar="N",
        help=f"port of the practice web (default {DEFAULT_PORT}); the search page and your site have the next two",
    )
    parser.add_argument(
        "--check",
        nargs="*",
        metavar="FOLDER",
        help="grade the predictions and hand-ins in these folders (default: the folder of the lab)",
    )
    parser.add_argument("--json", action="store_true", help="the grades as JSON, with --check")


def run(arguments: Namespace, settings: CommandSettings) -> int:  # noqa: ARG001 - a lab has its own data folder
    """List the labs, grade one, or open one and wait until its shell has ended."""
    labs = titles()
    if arguments.json and arguments.check is None:
        raise CommandError("--json is the form of grades: give it with --check")
    if arguments.number is None and arguments.check is not None:
        raise CommandError("--check grades one lab: give its number first")
    if arguments.number is None:
        print(*(f"{number}  {title}" for number, (title, _) in labs.items()), sep="\n")
        return DONE
    if arguments.number not in labs:
        raise CommandError(f"there is no lab {arguments.number}. To list them: ./breadcrumb lab")
    title, page = labs[arguments.number]
    if arguments.check is not None:
        from extensions.course.check import check_folders, default_folder

        folders = [Path(each) for each in arguments.check] or [default_folder(arguments.number)]
        return check_folders(arguments.number, title, page, folders, as_json=arguments.json)
    _check_ports(arguments.port)
    folder = Path.cwd() / f"lab-{arguments.number}"
    (folder / "site").mkdir(parents=True, exist_ok=True)
    _link_program(folder)
    from extensions.course.grading.grade import lab_checks
    from extensions.course.grading.predictions import write_form

    write_form(folder, arguments.number, page.read_text("utf-8"), lab_checks(arguments.number).PREDICTIONS)
    with ExitStack() as servers:
        addresses = _serve(folder, arguments.port, servers)
        print(
            f"Lab {arguments.number}: {title}", f"Instructions: {page}", *_notebook(arguments.number, folder), sep="\n"
        )
        print(*(f"  {what:18} {address}" for what, address in addresses.items()), sep="\n")
        print(f"This shell and the data are in {folder.name}. The command here is breadcrumb, without ./")
        print("Type exit to leave.", flush=True)
        _shell(folder, addresses["your own site"])
    print(f"Lab {arguments.number} is closed. To continue in {folder.name}: {PROGRAM} lab {arguments.number}")
    return DONE


def _link_program(folder: Path) -> None:
    """Let the commands that are printed, which begin with PROGRAM, run in the folder of a lab as they stand."""
    if PROGRAM.startswith("./"):
        link = folder / PROGRAM
        link.unlink(missing_ok=True)  # perhaps to another copy of Breadcrumb
        link.symlink_to(PROGRAM_FOLDER / PROGRAM)


def _notebook(number: int, folder: Path) -> list[str]:
    """Put the notebook of a lab into its folder, if it has one and a student has none yet; return a line about it."""
    found = list(NOTEBOOKS.glob(f"{number}-*.ipynb"))
    for notebook in found:
        if not (folder / notebook.name).exists():
            shutil.copyfile(notebook, folder / notebook.name)
    return [f"Notebook: {notebook.name} (jupyter lab opens it)" for notebook in found]


def titles() -> dict[int, tuple[str, Path]]:
    """Return the title and the page of each lab, by its number."""
    found = {}
    for page in sorted(LABS.glob("[0-9]*.md")):
        with page.open(encoding="utf-8") as lines:
            _, _, title = next(lines).strip().partition(": ")
        found[int(page.name.partition("-")[0])] = (title, page)
    return found


def _check_ports(port: int) -> None:
    """Raise `CommandError` if one of the three ports is in use."""
    if not SMALLEST_PORT <= port <= LARGEST_PORT:
        raise CommandError(f"--port {port}: give a port from {SMALLEST_PORT} to {LARGEST_PORT}")
    for each in range(port, port + 3):
        if not is_free(each):
            raise CommandError(
                f"port {each} is in use, perhaps by another lab. Leave it with exit, "
                f"or choose other ports with --port {other_port(port, 3)}"
            )


def _serve(folder: Path, port: int, servers: ExitStack) -> dict[str, str]:
    """Start the practice web, the search page and the server of the folder `site`; return their addresses."""
    from demo import PracticeWeb

    servers.enter_context(PracticeWeb(port))
    servers.enter_context(_search_page(folder, port + 1))
    servers.enter_context(own_site(folder, port + 2))
    names = ("the practice web", "the search page", "your own site")
    return {name: f"http://{HOST}:{port + number}/" for number, name in enumerate(names)}


@contextmanager
def _search_page(folder: Path, port: int) -> Iterator[None]:
    """Serve the crawl of the lab, in another process, until the block ends."""
    line = command_line(["serve", "--port", str(port), OPTION, f"{folder}/data"], program=PARENT_WATCH)
    with (folder / "search-page.log").open("w") as log:
        page = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)
    try:
        until = time.monotonic() + START_SECONDS
        while not _is_in_use(port):
            if page.poll() is not None or time.monotonic() > until:
                raise CommandError(f"the search page did not start, see {folder}/search-page.log")
            time.sleep(0.05)
        yield
    finally:
        page.terminate()
        page.wait(STOP_SECONDS)


def _is_in_use(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


@contextmanager
def own_site(folder: Path, port: int) -> Iterator[None]:
    """Serve the folder `site`, and log requests to server.log, until the block ends."""
    with (folder / "server.log").open("a", buffering=1) as log:

        class Site(SimpleHTTPRequestHandler):
            def log_message(self, form: str, *words: object) -> None:
                log.write(f"{self.log_date_time_string()} {form % words}\n")

            def handle(self) -> None:
                with suppress(ConnectionError):  # of a crawl that is killed: that is no news for the terminal
                    super().handle()

        with ThreadingHTTPServer((HOST, port), partial(Site, directory=f"{folder}/site")) as server:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            try:
                yield
            finally:
                server.shutdown()


def _shell(folder: Path, site: str) -> None:
    """Run the shell of the user in the folder of the lab. Only the shell handles Ctrl-C."""
    shell = os.environ.get("SHELL") or shutil.which("bash") or "/bin/sh"
    path = os.pathsep.join([str(PROGRAM_FOLDER), os.environ.get("PATH", os.defpath)])
    known = {"PATH": path, VARIABLE: f"{folder}/data", "site": site}
    before = signal.signal(signal.SIGINT, lambda *_: None)  # a handler, not SIG_IGN: the shell would inherit that
    try:
        subprocess.run([shell], cwd=folder, env=os.environ | known, check=False)
    except OSError as error:
        raise CommandError(
            f"the shell {shell} can't be started ({error.strerror}): set SHELL to another one"
        ) from error
    finally:
        signal.signal(signal.SIGINT, before)


COMMAND = Command(
    name="lab",
    example="1",
    exits="0 the shell ended, or all is right; 1 something is wrong or missing; 2 it could not start or grade",
    add_arguments=add_arguments,
    run=run,
)
