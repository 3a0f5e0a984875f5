"""Runs a command. Ours run without Scrapy, except `crawl`; Scrapy's own commands are handed to Scrapy.

Start it as `python -m commands NAME …` or as `python FOLDER/commands NAME …`, from any folder.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commands.frame.command import Command

HERE = Path(__file__).resolve().parent


def put_the_project_first() -> None:
    """Let `import robots` find the project's room: not an installed package, and not commands/robots.py."""
    others = [path for path in sys.path if Path(path).resolve() not in {HERE, HERE.parent}]
    sys.path[:] = [str(HERE.parent), *others]


def open_what_is_closed() -> None:
    """Let what a shell has closed (`2>&-`) be the null device: else the next file to be opened would take its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def hold_environment() -> None:
    """Keep a later set-up from removing this process's environment (`sweep` in the launcher), whoever started it."""
    import fcntl

    with suppress(OSError):  # the launcher made no such file: a wheel is installed, or nothing is
        used = os.open(Path(sys.prefix, "used"), os.O_RDONLY)
        fcntl.flock(used, fcntl.LOCK_SH)  # until the process ends


def main(arguments: list[str]) -> int:
    """Run the command that the first of `arguments` names, and return its exit code."""
    open_what_is_closed()
    hold_environment()
    # Threads for numpy's products of matrices, which nothing here needs, would spin for 0.05 s at each start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    name, *words = arguments or ["--help"]
    try:
        return run_named(name, words)
    except KeyboardInterrupt:
        print(f"breadcrumb {name}: stopped while it was starting", file=sys.stderr)  # its modules were being imported
        return 130
    except ValueError as error:
        if not is_of_an_extension(error):
            raise
        print(f"breadcrumb {name}: {error}", file=sys.stderr)
        return 2


def run_named(name: str, words: list[str]) -> int:
    """Run a command of ours, of an extension or of Scrapy."""
    if name in {"-h", "--help"}:
        print(overview())
        return 0
    from commands import MODULES, NEED_NOTHING

    if name in NEED_NOTHING and name in MODULES:
        return int(import_module(MODULES[name]).run_unprepared(words))

    if name == "crawl" and (refusal := import_module("commands.crawling.words").reason_not_to_start(words)):
        print(f"crawl: {refusal}", file=sys.stderr)
        return 2
    return run_crawl(words) if name == "crawl" else run_other(name, words)


def run_other(name: str, words: list[str]) -> int:
    """Run a command that is not `crawl`."""
    from commands import COMMANDS, LIGHT, MODULES, SCRAPYS
    from commands.frame.command import run_command

    if name in SCRAPYS:
        return hand_to_scrapy(name, words)
    added = {} if name in LIGHT else added_commands()
    command = import_module(MODULES[name]).COMMAND if name in LIGHT else added.get(name)
    if command is None:
        print(f"breadcrumb: unknown command {name!r}; commands are {', '.join([*COMMANDS, *added])}.", file=sys.stderr)
        return 2
    return run_command(command, words)


def is_of_an_extension(error: ValueError) -> bool:
    """Return whether an error is a fault of an extension, found while modules are imported."""
    points = sys.modules.get("extension_points")
    return points is not None and isinstance(error, points.ExtensionError)


def added_commands() -> dict[str, Command]:
    """Return the commands of extensions, by name."""
    from extension_points import call_extensions

    return {command.name: command for command in call_extensions("commands")}


def overview() -> str:
    """Return the list of commands."""
    from commands import COMMANDS, SUMMARIES

    listed = [f"  {name:<8} {SUMMARIES[name]}" for name in COMMANDS]
    listed += [f"  {name:<8} {command.summary}" for name, command in added_commands().items()]
    head = ["Breadcrumb: a search engine that explains itself.", "", "usage: breadcrumb COMMAND [arguments]", ""]
    return "\n".join([*head, *listed, "", "breadcrumb COMMAND --help explains a command. New here? breadcrumb demo"])


def run_crawl(words: list[str]) -> int:
    """Run our `crawl` as Scrapy would, without all of Scrapy's commands, which it would load first."""
    os.environ["SCRAPY_SETTINGS_MODULE"] = "spiders.settings"  # `crawl` puts our own above them
    # First of all: it looks through the call stack and all modules, a tenth of a second once both are large.
    import_module("scrapy.core.downloader.contextfactory")
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.utils.project import get_project_settings

    from commands.crawl import CrawlCommand

    command, given = CrawlCommand(), Namespace(words=words)
    command.settings = get_project_settings()
    command.process_options([], given)
    command.crawler_process = AsyncCrawlerProcess(command.settings)
    if given.profile:
        import cProfile

        cProfile.runctx("command.run([], given)", {}, {"command": command, "given": given}, given.profile)
    else:
        command.run([], given)
    return command.exitcode


def hand_to_scrapy(name: str, words: list[str]) -> int:
    """Let Scrapy run one of its commands in this project."""
    os.environ["SCRAPY_SETTINGS_MODULE"] = "spiders.settings_in_force"
    import_module("scrapy.core.downloader.contextfactory")  # first of all, as above
    from scrapy.cmdline import execute

    from commands.frame.terminal import guard_streams

    if name == "genspider":
        from urls.wording import IS_INSTALLED

        if IS_INSTALLED and not make_place_for_spiders():
            return 2
    guard_streams("stderr")  # its log; `fetch` prints a page as it is, and the shell's prompt has its own marks
    execute(["scrapy", name, *words])
    return 0  # not reached: Scrapy exits by itself


def make_place_for_spiders() -> bool:
    """Make the folder of your own spiders, and return whether it is there."""
    from spiders.own_folders import packages_spiders

    try:
        packages_spiders().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (
            f"{error.filename} can't be made for your spiders: {error.strerror}. XDG_CONFIG_HOME names another place"
        )
        print(f"genspider: {reason}", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    put_the_project_first()
    sys.exit(main(sys.argv[1:]))
