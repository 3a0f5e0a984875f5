"""Which address is the canonical one, as the server says? `Link: <https://…>; rel="canonical"` (RFC 8288, RFC 6596).

For a file of any type it is the only way to say so; for HTML it counts like the link element. References are relative
to the page's own address, whatever its `<base>` says, and a link with another context (`anchor`) is about another page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spiders.parse.address import in_header

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spiders.parse.address import Base

MAX_CHARS = 8192  # of one header line; real ones have under 1,000
_LINK = re.compile(r'<([^>]*)>((?:[^,"<]|"[^"]*(?:"|$))*)')
_PARAMETER = re.compile(r';\s*([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]*))')


def canonical_targets(headers: Sequence[tuple[str, str]], address: Base) -> set[str]:
    """Return the absolute http(s) URLs that Link headers call canonical; `address` is where the page was fetched."""
    found = (address.resolve(in_header(reference)) for reference in _canonical_references(headers))
    return {target for target in found if isinstance(target, str)}


def _canonical_references(headers: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, value in headers:
        if name.lower() != "link":
            continue
        for reference, parameters in _LINK.findall(value[:MAX_CHARS]):
            told: dict[str, str] = {}
            for key, quoted, bare in _PARAMETER.findall(parameters):
                told.setdefault(key.lower(), quoted or bare)  # RFC 8288, 3.3: only the first rel counts
            if "canonical" in told.get("rel", "").lower().split() and reference.strip() and "anchor" not in told:
                yield reference
