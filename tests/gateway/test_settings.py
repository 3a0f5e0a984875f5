"""The settings of a gateway are those of the project, with the same names and defaults."""

from __future__ import annotations

from dataclasses import fields

from gateway import GatewaySettings
from spiders import settings

OF_THE_COMMAND = {"policy_of", "folder", "formula", "judgements"}  # what `serve` makes of the settings
CONSTANTS = {"submits_per_hour", "max_host_rest"}  # no settings: tests give other values


def test_each_is_a_setting_of_the_project_with_its_default() -> None:
    told = {
        field.name: field.default for field in fields(GatewaySettings) if field.name not in OF_THE_COMMAND | CONSTANTS
    }
    lists = {name: list(value) for name, value in told.items() if isinstance(value, tuple)}
    assert told | lists == {name: getattr(settings, name.upper()) for name in told}
