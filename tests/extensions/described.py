"""Is a response as `/api/openapi.json` describes it? Without the extension `openapi`, nothing describes it."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    from flask.testing import FlaskClient


@cache
def document() -> dict[str, Any] | None:
    """Return the description with what all extensions add; None without the extension that writes it."""
    if find_spec("extensions.openapi") is None:
        return None
    from extensions.openapi.document import description  # noqa: PLC0415 - it may not be there

    return description("http://localhost", "Breadcrumb")


def validate(value: Any, path: str, method: str, status: int, media_type: str = "application/json") -> None:
    """Raise ValidationError if a body is not as described."""
    if (described := document()) is not None:
        schema = described["paths"][path][method]["responses"][str(status)]["content"][media_type]["schema"]
        Draft202012Validator(schema | {"components": described["components"]}).validate(value)


def check(client: FlaskClient, method: str, path: str, **given: Any) -> Any:
    """Send a request, and hold its response beside the description."""
    answer = client.open(path, method=method.upper(), **given)
    template = re.sub(r"/\d+$", "/{number}", path.partition("?")[0])
    validate(answer.json, template, method, answer.status_code, str(answer.mimetype))
    return answer
