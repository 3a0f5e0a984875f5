"""How do hundreds of gateways of the tests start quickly? A process compiles each template once, not once a gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask
from jinja2 import BytecodeCache

if TYPE_CHECKING:
    from jinja2.bccache import Bucket


class CompiledTemplates(BytecodeCache):
    """The compiled templates by name and source."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if compiled := self._compiled.get((bucket.key, bucket.checksum)):
            bucket.bytecode_from_string(compiled)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._compiled[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


def compile_once() -> None:
    """Let the gateways that this process makes from now on share compiled templates."""
    Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": CompiledTemplates()}
