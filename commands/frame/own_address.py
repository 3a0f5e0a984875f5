"""Who is this machine to the sites that it asks? Its address, the name of that, and whether the name leads back to it.

Owners who find a robot in their log look its address up. A name that leads back to the address is hard to forge, and
it tells whose the robot is (the book, 9.5). The address is read from the system's table of routes: nothing is sent.
"""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spiders.downloader.address_policy import is_loopback, is_public, literal_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DISCARD = 9  # a port for the question which way leads there; no packet goes to it (RFC 863)
ALL_HERE = "All sites are on this machine, so nobody else sees an address of it, and there is no name to look up."
ASK = "ask the owner of your network for a PTR record whose name leads back to the address"


@dataclass(frozen=True, slots=True)
class OwnAddress:
    """The address that sites see, its name, and what there is to say about both; empty where there is none."""

    address: str
    name: str
    leads_back: bool
    sentence: str


def own_address(hosts: Iterable[str], seconds: float) -> OwnAddress:
    """Say who this machine is to `hosts`; each look-up may take so many seconds."""
    outside = next((host for host in hosts if not is_loopback(host)), None)
    if outside is None:
        return OwnAddress("", "", leads_back=False, sentence=f"{ALL_HERE} Before a run elsewhere, {ASK}.")
    address = _within(seconds, outgoing_address, outside)
    if not address:
        return OwnAddress("", "", leads_back=False, sentence=f"No way leads to {outside} now; nothing to look up.")
    return check_reverse_name(
        str(address),
        lambda text: str((_within(seconds, socket.gethostbyaddr, text) or ("",))[0]),
        lambda name: {str(answer[4][0]) for answer in _within(seconds, socket.getaddrinfo, name, None) or ()},
    )


def outgoing_address(host: str) -> str:
    """Return the address from which a packet to `host` would leave. OSError where no way leads there."""
    family, kind, protocol, _, place = socket.getaddrinfo(host.strip("[]"), DISCARD, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as question:
        question.connect(place)  # of a datagram socket: it is only noted, and nothing is sent
        return str(question.getsockname()[0])


def check_reverse_name(
    address: str, name_of: Callable[[str], str], addresses_of: Callable[[str], set[str]]
) -> OwnAddress:
    """Judge an address by its name (empty: it has none) and by the addresses of that name."""
    name = name_of(address)
    back = bool(name) and address in addresses_of(name)
    parsed = literal_address(address)
    if parsed is not None and not is_public(parsed):
        seen = f"This machine is {address}, a private address: sites see that of your network's gateway instead. "
        return OwnAddress(address, name, back, f"{seen}Ask the owner of your network which it is; and {ASK}.")
    if not name:
        return OwnAddress(address, name, back, f"Sites see {address}, which has no name: {ASK}.")
    if not back:
        return OwnAddress(address, name, back, f"Sites see {address}; its name {name} does not lead back to it: {ASK}.")
    return OwnAddress(address, name, back, f"Sites see {address}; its name {name} leads back to it, as it should.")


def _within(seconds: float, ask: Callable[..., Any], *words: object) -> Any:
    """Return the answer of a look-up, or None where it fails or takes longer: the system's own limit is minutes."""
    answers: list[Any] = []

    def look_up() -> None:
        try:
            answers.append(ask(*words))
        except (OSError, UnicodeError):
            return

    thread = threading.Thread(target=look_up, daemon=True)  # a look-up that hangs must not hold the command
    thread.start()
    thread.join(seconds)
    return answers[0] if answers else None
