"""What is installed? The versions, the packages of the lock files, and the programs that some extras need.

Is the rest as a crawl and a gateway need it? The settings, who the robot is, the port, and the clock.
"""

from __future__ import annotations

import errno
import http.client
import json
import os
import platform
import re
import shlex
import shutil
import socket
import sqlite3
import stat
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

from extensions.doctor.findings import FAULT, OK, WARN, Diagnosis
from spiders.own_folders import settings_file
from urls.wording import IS_INSTALLED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from extensions.doctor.findings import Installation


OLDEST = (3, 11)
DISTRIBUTION = "breadcrumb-search"  # the name of the wheel
LOCK, CLUSTER_LOCK = "requirements.lock", "requirements-cluster.lock"
SET_UP = "./breadcrumb check --help"  # any command sets up what is missing; this one does nothing else
SET_UP_AGAIN = f"rm -f .venv/installed && {SET_UP}"
NAMED = 5  # packages in a sentence
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^ ;\\]+)( ;)?", re.MULTILINE)


class LockedPackage(NamedTuple):
    """A package of a lock file; `for_some`: only some systems or versions of Python need it."""

    name: str
    version: str
    for_some: bool


def pins(lock: Path) -> list[LockedPackage]:
    """Return the packages of a lock file."""
    return [
        LockedPackage(name, pinned, bool(marker)) for name, pinned, marker in _PINNED.findall(lock.read_text("utf-8"))
    ]


def installed_version(name: str) -> str:
    """Return the version of a package in this environment; "": it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def check_versions(place: Installation) -> Iterator[Diagnosis]:
    """Name the versions of what runs."""
    project = place.root / "pyproject.toml"
    own = project.read_text("utf-8").split('version = "')[1].split('"')[0] if project.exists() else ""
    yield Diagnosis(OK, "Breadcrumb", own or installed_version(DISTRIBUTION) or "unknown version")
    python = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info >= OLDEST:
        yield Diagnosis(OK, "Python", python)
    else:
        yield Diagnosis(
            FAULT, "Python", f"{python}: 3.{OLDEST[1]} or newer is needed", "sudo apt install python3.11-venv"
        )
    yield Diagnosis(OK, "SQLite", sqlite3.sqlite_version)
    yield Diagnosis(OK, "system", f"{platform.system()} {platform.release()} {platform.machine()}")


def check_packages(place: Installation) -> Iterator[Diagnosis]:
    """Hold the environment beside the lock file."""
    lock = place.root / LOCK
    if not lock.exists():
        yield Diagnosis(OK, "packages", "installed from a wheel, without a lock file")
        return
    environment = place.root / ".venv"
    if not os.path.lexists(environment):
        yield Diagnosis(WARN, "packages", "there is no environment yet: the first command makes it", SET_UP)
        return
    if not os.access(environment / "bin" / "python", os.X_OK):
        fault = "you may not run the Python of .venv: another user has made it, or its Python is gone"
        yield Diagnosis(FAULT, "packages", fault, _new_environment(place.root))
        return
    missing, other = deviations(pins(lock))
    if missing:
        yield Diagnosis(FAULT, "packages", f"missing of {LOCK}: {_named(missing)}", SET_UP_AGAIN)
    if other:
        yield Diagnosis(WARN, "packages", f"another version than in {LOCK}: {_named(other)}", SET_UP_AGAIN)
    if not missing and not other:
        yield Diagnosis(OK, "packages", f"those of {LOCK}, all {len({pin.name for pin in pins(lock)})}")


def _new_environment(root: Path) -> str:
    """Return the line that makes an environment in place of one that does not run; of another user it becomes yours."""
    made = [path for path in (root, root / ".venvs", root / ".venv.lock") if path.exists()]
    if all(os.access(path, os.W_OK) for path in made):
        return f"rm -rf .venv && {SET_UP}"
    return f'sudo chown -R "$(id -un)" . && {SET_UP}'


def deviations(pinned: list[LockedPackage]) -> tuple[list[str], list[str]]:
    """Return the packages that are missing, and those that have another version."""
    versions: dict[str, set[str]] = {}  # a lock may have one for an old Python, too
    for pin in pinned:
        versions.setdefault(pin.name, set()).add(pin.version)
    found = {name: installed_version(name) for name in versions}
    missing = [pin.name for pin in pinned if not found[pin.name] and not pin.for_some]
    other = [
        f"{name} {there}, not {' or '.join(sorted(versions[name]))}"
        for name, there in found.items()
        if there and there not in versions[name]
    ]
    return missing, other


def check_extras(place: Installation) -> Iterator[Diagnosis]:
    """Say which extras are added, and which command adds each other one."""
    basis = {pin.name for pin in pins(place.root / LOCK)} if (place.root / LOCK).exists() else set()
    stamp = place.root / ".venv" / "installed"  # the launcher notes there what it has installed
    installed = stamp.read_text("utf-8") if os.access(stamp, os.R_OK) else ""
    for subject, lock, command in extras(place.root):
        pinned = pins(lock) if lock.exists() else []
        missing, other = deviations([pin for pin in pinned if pin.name not in basis])
        if not command or (pinned and not (missing or other)):
            yield Diagnosis(OK, subject, f"extra added ({lock.name})")
        elif lock.name in installed:
            yield Diagnosis(WARN, subject, f"extra not complete: {_named(missing + other)}", SET_UP_AGAIN)
        else:
            yield Diagnosis(OK, subject, "extra not added", command)


def extras(root: Path) -> Iterator[tuple[str, Path, str]]:
    """Yield each extra: its subject, its lock file, and a command that adds it and does nothing else."""
    for listed in sorted(root.glob("extensions/*/extra.txt")):
        lock, command, option, *_ = listed.read_text("utf-8").strip().split(" ", 3)
        option = option.partition("|")[0]  # any of them adds the extra
        file = f" --table pages --to pages{option}"
        setting = " -s" if "=" in option else ""
        words = "" if option == "-" else file if option.startswith(".") else f"{setting} {option}"
        path = listed.with_name(lock)
        if path.exists():
            yield f"{command} {option.strip('-')}".strip(), path, _adding(root, command, words)
    if (root / "extensions" / "machines").exists():
        yield "cluster", root / CLUSTER_LOCK, _adding(root, "cluster", "")


def _adding(root: Path, command: str, words: str) -> str:
    """Return the line that adds what a command lacks. An installed package adds nothing by itself; "": it has all."""
    if not IS_INSTALLED:
        return f"./breadcrumb {command}{words} --yes --help"
    from breadcrumb.extras import lacking_packages

    return lacking_packages(root, command, [*words.split(), "--yes"])[1]


def check_programs(place: Installation) -> Iterator[Diagnosis]:  # noqa: ARG001 - as all checks
    """Look for programs that some commands start."""
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    missing = Diagnosis(OK, "Chromium", "not found; only pages that need scripts need it", "sudo apt install chromium")
    yield Diagnosis(OK, "Chromium", chromium) if chromium else missing
    home = os.environ.get("JAVA_HOME", "")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    missing = Diagnosis(OK, "Java", "not found; only cluster needs it", "sudo apt install openjdk-17-jre-headless")
    yield Diagnosis(OK, "Java", java) if java else missing


def _named(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


HOST = "127.0.0.1"
WAIT = 2.0  # seconds for a gateway to say that it is one
DAY = 86_400.0  # seconds by which a clock may be behind
SECRETS = re.compile(r"TOKEN|SECRET|PASSWORD|KEY|INDEX|LOGIN", re.IGNORECASE)  # settings whose value is not shown


def check_settings(place: Installation) -> Iterator[Diagnosis]:  # noqa: ARG001 - as all checks
    """Read the settings of the operator, from the file and the environment."""
    path = settings_file()
    if (
        path.exists()
        and stat.S_IMODE(path.stat().st_mode) & 0o077
        and re.search(rb"(?m)^ADMIN_TOKEN", path.read_bytes())
    ):
        open_to_all = f"{path} has the ADMIN_TOKEN, and other users of this machine can read it"
        yield Diagnosis(WARN, "settings", open_to_all, f"chmod 600 {shlex.quote(str(path))}")
    from spiders.own_settings import OwnSettingError, own_settings

    try:
        found = own_settings()
    except OwnSettingError as error:
        where = re.search(r"line (\d+)", str(error))
        command = f"sed -n {where[1]}p {shlex.quote(str(path))}" if where and path.exists() else ""
        variable = re.search(r"the environment variable (\w+)", str(error))
        command = f"unset {variable[1]}" if variable else command
        yield Diagnosis(FAULT, "settings", without_secrets(str(error)), command)
        return
    names = ", ".join(sorted(found)) or "all have their defaults"
    yield Diagnosis(OK, "settings", f"{path if path.exists() else 'no breadcrumb.toml'}: {names}")


def without_secrets(text: str) -> str:
    """Return a text without the values of variables that may be secret."""
    for name, value in os.environ.items():
        if name.startswith("BREADCRUMB_") and SECRETS.search(name) and value:
            text = text.replace(value, "…")
    return text


def check_operator(place: Installation) -> Iterator[Diagnosis]:  # noqa: ARG001 - as all checks
    """Say whether the robot names its operator."""
    from commands.frame.command_settings import CommandSettings
    from commands.frame.exits import CommandError

    try:
        settings = CommandSettings()
    except CommandError:
        return  # the check of the settings names the cause
    missing = [name for name in ("CONTACT", "BOT_URL") if not settings[name]]
    if not missing:
        yield Diagnosis(OK, "identity", "CONTACT and BOT_URL are set")
        return
    values = {"CONTACT": "you@example.org", "BOT_URL": "https://www.example.org/our-robot.html"}
    command = " ".join(["export", *(f"BREADCRUMB_{name}={values[name]}" for name in missing)])
    text = f"{' and '.join(missing)} not set: hosts on the internet can't be crawled"
    yield Diagnosis(WARN, "identity", text, command)


def check_port(place: Installation) -> Iterator[Diagnosis]:
    """Try the port of the gateway; where it is in use, name who listens there."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, place.port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                text = f"{place.port} can't be used: {error.strerror}"
                yield Diagnosis(WARN, "port", text, f"./breadcrumb serve --port 8080{place.option}")
                return
        else:
            yield Diagnosis(OK, "port", f"{place.port} of {HOST} is free")
            return
    other = place.port + 1 if place.port < 65_535 else 8080  # noqa: PLR2004 - the highest port
    text = f"{place.port} of {HOST} is in use: {listens(place.port)}"
    yield Diagnosis(WARN, "port", text, f"./breadcrumb serve --port {other}{place.option}")


def listens(port: int) -> str:
    """Return what listens at a port of this machine."""
    connection = http.client.HTTPConnection(HOST, port, timeout=WAIT)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        if "alarms" in json.loads(answer.read(65_536)):
            return "a gateway of Breadcrumb"
    except (OSError, http.client.HTTPException, ValueError, TypeError):
        return "another program"
    finally:
        connection.close()
    return "another web server"


def check_clock(place: Installation) -> Iterator[Diagnosis]:
    """Compare the clock with the newest file of the project, and name the time zone."""
    now, made = time.time(), (place.root / "extensions" / "built_in.txt").stat().st_mtime
    shown = time.strftime("%Y-%m-%d %H:%M %Z (UTC%z)", time.localtime(now))
    if now < made - DAY:
        yield Diagnosis(WARN, "clock", f"{shown} is before this Breadcrumb was made", "sudo timedatectl set-ntp true")
    else:
        yield Diagnosis(OK, "clock", shown)
