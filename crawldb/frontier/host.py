"""Which spellings name one host? Letter case, a final dot, Unicode, and the old ways to write an IPv4 address.

`http://2130706433/`, `http://0177.0.0.1/` and `http://127.0.0.1/` reach one machine. They must be one host
before any policy looks at them, or a policy on addresses would be asked about a name (WHATWG URL, 3.5).
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

MAX_HOST = 253  # octets, RFC 1035
MAX_LABEL = 63  # octets, RFC 1035
MAX_PORT = 65535
DEFAULT_PORTS = {"http": 80, "https": 443}

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\Z")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)\Z")


@dataclass(frozen=True, slots=True)
class BadHost:
    """Why a host cannot be used, as a sentence's end."""

    reason: str


def canonical_host(host: str) -> str | BadHost:
    """Return the one spelling of `host`: lower-case ASCII, punycode, dotted IPv4, or bracketed IPv6."""
    if host.startswith("["):
        return _ipv6(host)
    host = host.rstrip(".").lower() if host.isascii() else _punycode(host).rstrip(".")
    if not host:
        return BadHost("it has no host")
    if len(host) > MAX_HOST:
        return BadHost(f"its host is longer than {MAX_HOST} octets")
    labels = host.split(".")
    return _ipv4(host, labels) if _NUMBER.match(labels[-1]) else _name(host, labels)


def _name(host: str, labels: list[str]) -> str | BadHost:
    for label in labels:
        if len(label) > MAX_LABEL or not _LABEL.match(label):
            return BadHost(f"{label[:MAX_LABEL]!r} is not part of a host name")
        if label.startswith("xn--") and not _is_punycode(label):
            return BadHost(f"{label!r} is not valid punycode")
    return host


def _ipv6(host: str) -> str | BadHost:
    try:
        return f"[{ipaddress.IPv6Address(host[1:-1] if host.endswith(']') else '').compressed}]"
    except ValueError:
        return BadHost(f"{host[:64]!r} is not an IPv6 address")


def _punycode(host: str) -> str:
    import idna  # noqa: PLC0415 - 25 ms of tables, and most hosts are ASCII

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return "\N{REPLACEMENT CHARACTER}"  # no label accepts it: refused by name below


def _is_punycode(label: str) -> bool:
    import idna  # noqa: PLC0415 - as above

    try:
        idna.decode(label)
    except (idna.IDNAError, UnicodeError):
        return False
    return True


def _ipv4(host: str, labels: list[str]) -> str | BadHost:
    """Read decimal, octal and hexadecimal parts; the last part fills what is left of the 32 bits."""
    parts: list[int] = []
    for label in labels:
        number = _number(label)
        if number is None:
            return BadHost(f"{host!r} looks like an IPv4 address and is none")
        parts.append(number)
    *front, last = parts
    if len(front) > 3 or any(part > 255 for part in front) or last >= 256 ** (4 - len(front)):  # noqa: PLR2004 - octets
        return BadHost(f"{host!r} looks like an IPv4 address and is none")
    value = last + sum(part << (24 - 8 * place) for place, part in enumerate(front))
    return str(ipaddress.IPv4Address(value))


def _number(label: str) -> int | None:
    if not _NUMBER.match(label):
        return None
    try:
        if label.startswith("0x"):
            return int(label[2:] or "0", 16)
        return int(label, 8) if len(label) > 1 and label[0] == "0" else int(label)
    except ValueError:
        return None
