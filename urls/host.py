"""Which spellings name one host? Letter case, a final dot, escapes, Unicode, and the old ways to write an IPv4 address.

`http://2130706433/`, `http://0177.0.0.1/` and `http://127.0.0.1/` reach one machine. They must become one host before
any policy sees them, or a rule about IP addresses would get a name (WHATWG URL, 3.5). Unicode is read as browsers read
it (UTS #46, not transitional). IDNA 2008 alone would reject names that exist, such as those with an emoji or an
underscore.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import unquote

MAX_HOST = 253  # octets, RFC 1035
MAX_LABEL = 63  # octets, RFC 1035
MAX_GIVEN = 12 * MAX_HOST  # characters: a name of characters that are four escaped octets each
MAX_PORT = 65535
DEFAULT_PORTS = {"http": 80, "https": 443}
PUNYCODE = "xn--"
OCTETS, MAX_OCTET = 4, 255  # of an IPv4 address

_LABEL = re.compile(r"[a-z0-9_-]+\Z")  # names that end in a hyphen exist, whatever RFC 952 says
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)\Z")
_ZEROS = re.compile(r"(?:^|:)0(?::0)+(?=:|$)")
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True, slots=True)
class BadHost:
    """Why a host cannot be used, as a sentence's end."""

    reason: str


def canonical_host(host: str) -> str | BadHost:
    """Return the one spelling of `host`: lower-case ASCII, punycode, dotted IPv4, or bracketed IPv6."""
    if host.startswith("["):
        return _ipv6(host)
    if len(host) > MAX_GIVEN:
        return BadHost(f"its host is longer than {MAX_HOST} octets")
    mapped = _mapped(host)
    if isinstance(mapped, BadHost):
        return mapped
    labels = mapped.removesuffix(".").split(".")  # one final dot is the root of the DNS; two are an empty label
    if labels == [""]:
        return BadHost("it has no host")
    return _ipv4(mapped, labels) if _NUMBER.match(labels[-1]) else _name(labels)


def _mapped(host: str) -> str | BadHost:
    """Decode escapes, and bring characters of any script into the form in which names are compared."""
    try:
        plain = unquote(host, errors="strict") if "%" in host else host
        if plain.isascii():
            return plain.lower()
        import idna  # noqa: PLC0415 - 25 ms of tables, and most hosts are ASCII

        return idna.uts46_remap(plain, std3_rules=False)
    except UnicodeError:  # escapes that are no UTF-8, or a character that no name has
        return BadHost(f"{host[:MAX_LABEL]!r} is not a host name")


def _name(labels: list[str]) -> str | BadHost:
    spelt = []
    for label in labels:
        ascii_label = _in_punycode(label) if label.startswith(PUNYCODE) or not label.isascii() else label
        if ascii_label is None:
            what = "valid punycode" if label.startswith(PUNYCODE) else "part of a host name"
            return BadHost(f"{label[:MAX_LABEL]!r} is not {what}")
        if len(ascii_label) > MAX_LABEL or not _LABEL.match(ascii_label):
            return BadHost(f"{label[:MAX_LABEL]!r} is not part of a host name")
        spelt.append(ascii_label)
    name = ".".join(spelt)
    return name if len(name) <= MAX_HOST else BadHost(f"its host is longer than {MAX_HOST} octets")


def _in_punycode(label: str) -> str | None:
    """Return the ASCII form of a mapped label in Unicode or in punycode; None where it has none (UTS #46, 4.1)."""
    import idna  # noqa: PLC0415 - as above

    try:
        text = label[len(PUNYCODE) :].encode("ascii").decode("punycode") if label.startswith(PUNYCODE) else label
        if text.isascii() or len(text) > MAX_LABEL or idna.uts46_remap(text, std3_rules=False) != text:
            return None
        idna.check_initial_combiner(text)
        idna.check_bidi(text)
        if not all(idna.valid_contextj(text, place) for place, sign in enumerate(text) if sign in _JOINERS):
            return None
    except ValueError:  # UnicodeError is one
        return None
    spelt = PUNYCODE + text.encode("punycode").decode("ascii")
    return spelt if spelt == label or not label.startswith(PUNYCODE) else None


def _ipv6(host: str) -> str | BadHost:
    inside = host[1:-1] if host.endswith("]") and "%" not in host else ""  # a zone means nothing to other machines
    try:
        value = int(ipaddress.IPv6Address(inside))
    except ValueError:
        return BadHost(f"{host[:64]!r} is not an IPv6 address")
    # Not str(address): Python 3.13 began to write an embedded IPv4 address with dots, and a name must stay what it is.
    groups = ":".join(f"{value >> shift & 0xFFFF:x}" for shift in range(112, -16, -16))
    longest = max(_ZEROS.finditer(groups), key=lambda run: run[0].count("0"), default=None)
    if longest is None:
        return f"[{groups}]"
    gap = "::" if longest.end() == len(groups) else ":"  # RFC 5952, 4.2: the first of the longest runs of zeros
    return f"[{groups[: longest.start()]}{gap}{groups[longest.end() :]}]"


def _ipv4(host: str, labels: list[str]) -> str | BadHost:
    """Read decimal, octal and hexadecimal parts; the last part fills what is left of the 32 bits."""
    parts: list[int] = []
    for label in labels:
        number = _number(label)
        if number is None:
            return BadHost(f"{host!r} looks like an IPv4 address and is none")
        parts.append(number)
    *front, last = parts
    if len(front) >= OCTETS or any(part > MAX_OCTET for part in front) or last >= 256 ** (OCTETS - len(front)):
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
