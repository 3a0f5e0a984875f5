"""Is the rest as a crawl and a gateway need it? The settings, who the robot is, the port, and the clock."""

from __future__ import annotations

import errno
import http.client
import json
import os
import re
import shlex
import socket
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING

from extensions.doctor.findings import FAULT, OK, WARN, Diagnosis
from spiders.own_folders import ROOT, settings_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.doctor.findings import Installation

HOST = "127.0.0.1"
WAIT = 2.0  # seconds for a gateway to say that it is one
DAY = 86_400.0  # seconds by which a clock may be behind
SECRETS = re.compile(r"TOKEN|SECRET|PASSWORD|KEY|INDEX|LOGIN", re.IGNORECASE)  # settings whose value is not shown
_SETTINGS_VARIABLE = "BREADCRUMB_SETTINGS"


def check_settings(place: Installation) -> Iterator[Diagnosis]:  # noqa: ARG001 - as all checks
    """Read the settings of the operator, from the file and the environment."""
    named = os.environ.get(_SETTINGS_VARIABLE)
    path = ROOT / Path(named).expanduser() if named else settings_file()
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
