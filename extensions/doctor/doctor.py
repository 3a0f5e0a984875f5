"""`doctor`: examines the installation and the data folder, and names the command that mends each fault.

It is no command like the others: those need settings and packages, and this one says what is wrong with them.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from pathlib import Path

from commands.frame.terminal import print_last
from extensions.doctor.data_folder import check_crawl, check_data_folder, check_log
from extensions.doctor.findings import FAULT, OK, WARN, Diagnosis, Installation, carried_out
from extensions.doctor.installation import (
    check_clock,
    check_extras,
    check_operator,
    check_packages,
    check_port,
    check_programs,
    check_settings,
    check_versions,
)
from spiders.own_folders import FILE_VARIABLE, ROOMS, ROOT
from urls.wording import PROGRAM, counted

CHECKS = (
    check_versions,
    check_packages,
    check_extras,
    check_programs,
    check_settings,
    check_operator,
    check_data_folder,
    check_crawl,
    check_log,
    check_port,
    check_clock,
)
DONE, FAULTY, MISUSED = 0, 1, 2  # exit codes


def run_unprepared(words: list[str]) -> int:
    """Examine everything, print a line for each finding, and return the exit code: 1 with a fault."""
    arguments = _parser().parse_args(words)
    if arguments.settings_file:
        os.environ[FILE_VARIABLE] = str(Path(arguments.settings_file).absolute())
    place = _place(arguments.data_name, arguments.set, arguments.port)
    found = [
        finding._replace(command=finding.command.replace("./breadcrumb", PROGRAM))
        for check in CHECKS
        for finding in carried_out(check, place)
    ]
    faulty = any(finding.level == FAULT for finding in found)
    as_json = json.dumps({"ok": not faulty, "findings": [finding._asdict() for finding in found]})
    text = as_json if arguments.json else "\n".join([*map(_shown, found), _summary(found)])
    if error := print_last(text, sys.stdout):
        print(f"breadcrumb doctor: standard output can't be written: {error.strerror}", file=sys.stderr)
        return MISUSED
    return FAULTY if faulty else DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="breadcrumb doctor",
        description="Say what is missing or wrong, and which command mends it.",
        epilog="example: breadcrumb doctor --data demo\nexit codes: 0 no fault, 1 a fault, 2 wrong usage",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with what was found")
    parser.add_argument("--port", type=int, default=8080, choices=range(1, 65_536), metavar="N", help="port of serve")
    parser.add_argument("-s", dest="set", action="append", default=[], metavar="NAME=VALUE", help="DATA_DIR=FOLDER")
    parser.add_argument("--data", dest="data_name", metavar="NAME", help="the crawl: demo for data/demo, or a path")
    parser.add_argument("--settings", dest="settings_file", metavar="FILE", help="a settings file")
    return parser


def _place(name: str | None, assignments: list[str], port: int) -> Installation:
    """Return what to examine. The settings name the data folder, if they can be read."""
    folder = next((each.partition("=")[2] for each in assignments if each.startswith("DATA_DIR=")), "")
    base = ROOT / _base_folder()
    if folder:
        return Installation(ROOMS, ROOT / folder, f" --data {shlex.quote(str(ROOT / folder))}", port)
    name = name or os.environ.get("BREADCRUMB_DATA")
    if not name or name == base.name:
        return Installation(ROOMS, base, "", port)
    chosen = ROOT / Path(name).expanduser() if "/" in name else base / name
    return Installation(ROOMS, chosen, f" --data {shlex.quote(name)}", port)


def _base_folder() -> str:
    try:
        from commands.frame.command_settings import CommandSettings

        return str(CommandSettings()["DATA_DIR"])
    except Exception:  # noqa: BLE001 - a check says what is wrong with the settings
        return os.environ.get("BREADCRUMB_DATA_DIR") or "data"


def _shown(finding: Diagnosis) -> str:
    line = _printable(f"{finding.level:<6} {finding.subject}: {finding.text}")
    return f"{line}\n{_printable(f'         {finding.command}')}" if finding.command else line


def _printable(text: str) -> str:
    """Return a text on one line that can't steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.splitlines()))


def _summary(found: list[Diagnosis]) -> str:
    counts = {level: sum(finding.level == level for finding in found) for level in (FAULT, WARN, OK)}
    sentence = f"{counted(counts[FAULT], 'fault')}, {counted(counts[WARN], 'warning')}, {counts[OK]} ok."
    return f"{sentence} Below a line is the command for it." if counts[FAULT] + counts[WARN] else sentence
