"""Which requests did the gateway get? With REQUEST_LOG it writes a line for each, for the operator and for `audit`.

`log.py` has the two formats, and what a line leaves out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask

    from commands.frame.command_settings import CommandSettings


@extends
def settings() -> dict[str, object]:
    """Add the settings of the log."""
    return {
        "REQUEST_LOG": "",  # a file in the data folder, or "-" for standard error; "": no log of requests
        "REQUEST_LOG_FORMAT": "common",  # the Common Log Format, or "json"
        "REQUEST_LOG_QUERIES": False,  # whether the words that people search for stay in it
    }


@extends
def gateway_begins(app: Flask, data_dir: Path, settings: CommandSettings) -> None:
    """Log the requests, if wanted."""
    if not settings["REQUEST_LOG"]:
        return
    from extensions.request_log.log import RequestLogSettings, log_requests

    chosen = RequestLogSettings(
        settings["REQUEST_LOG"], settings["REQUEST_LOG_FORMAT"], settings.getbool("REQUEST_LOG_QUERIES")
    )
    log_requests(app, data_dir, chosen)
