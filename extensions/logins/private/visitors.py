"""Who is a visitor? Somebody at this machine, the owner of a token, a person whom a proxy names, or a stranger.

**This machine.** A loopback address alone proves nothing: a proxy on the machine gives it to everybody, and other users
of the machine have it too. The connection must belong to the user who runs the gateway (Linux says so in
/proc/net/tcp), name this machine as its host, and have no header of a proxy. A gateway that has a public name, listens
on a network or trusts a proxy lets nobody in for that.

**A token.** It comes as `Authorization: Bearer`, or as the password of Basic authentication, which browsers ask for.

**A proxy.** Where its address is in READER_PROXIES, its header READER_GROUPS_HEADER names the groups of a person who
has logged in there. From any other address such a header is a forgery.

**Another site's page.** A browser sends along what the visitor may see. So a request that a page of another origin
makes is a stranger's, unless the visitor leaves that page for ours.
"""

from __future__ import annotations

import ipaddress
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from extensions.logins.secret import Secret, SecretText
from gateway.browser_guard import (
    LOOPBACK_HOSTS,
    OF_PROXIES,
    is_allowed_host,
    is_cross_site,
    is_loopback_address,
    read_ip_address,
)
from gateway.operators.admin_session import MIN_TOKEN, TooManyAttempts, WrongToken, is_same_token
from reports.wording import sentence
from spiders.setting_values import SettingError
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flask import Request

    from gateway.operators.admin_session import AdminSessions
    from spiders.setting_values import ReadableSettings

READER, PROXIES, GROUPS_HEADER = "READER", "READER_PROXIES", "READER_GROUPS_HEADER"
MAX_READERS = 1_000
MAX_GROUPS = 200  # of one visitor
EVERYBODY = "everyone"  # the group of strangers, too
_GROUP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_CONNECTIONS = Path("/proc/net/tcp"), Path("/proc/net/tcp6")


class VisitorRejected(Exception):
    """A visitor gave something that is wrong; `status` is that of the response, and `wait` the seconds to wait."""

    def __init__(self, status: int, message: str, wait: int = 0) -> None:
        super().__init__(message)
        self.status, self.wait = status, wait


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """A token, and the groups of whoever has it."""

    token: SecretText
    groups: frozenset[str]


@dataclass(frozen=True, slots=True)
class Visitor:
    """The groups of a visitor; `sees_all`: the operator, who needs no group."""

    groups: frozenset[str] = frozenset({EVERYBODY})
    sees_all: bool = False

    def may_read(self, readers: Iterable[str]) -> bool:
        """Return whether pages for these groups are for this visitor."""
        return self.sees_all or not self.groups.isdisjoint(readers)


STRANGER, OPERATOR = Visitor(), Visitor(sees_all=True)


@dataclass(frozen=True, slots=True)
class VisitorAdmission:
    """How visitors are let in, by the settings. `on_loopback`: nobody but this machine uses the gateway."""

    readers: tuple[TokenHolder, ...]
    proxies: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]
    groups_header: str
    on_loopback: bool

    def visitor(self, request: Request, admin: AdminSessions, *, is_safe: bool, on_network: bool) -> Visitor:
        """Return who sends the present request. Raises VisitorRejected.

        `admin` knows the operator's token and counts wrong ones. `is_safe`: no network could read its token.
        `on_network`: other machines can reach the gateway.
        """
        is_stranger = is_cross_site()
        groups = self._groups_by_proxy(request)
        if (token := _token_of(request)) is not None:
            if not is_safe:
                raise VisitorRejected(
                    403,
                    "A token is not accepted over plain HTTP from a network, because others could read it. It has been "
                    "sent in plain text: change it, and use https. ADMIN_OVER_HTTP=yes accepts the risk.",
                )
            self._check(token, admin, request.remote_addr or "")
            if admin.is_admin_token(token):
                return STRANGER if is_stranger else OPERATOR
            groups = groups.union(*(each.groups for each in self.readers if is_same_token(token, each.token.text)))
        if is_stranger:
            return STRANGER
        if self.on_loopback and not on_network and not groups and is_of_this_machine(request):
            return OPERATOR
        return Visitor(groups | STRANGER.groups)

    def _groups_by_proxy(self, request: Request) -> frozenset[str]:
        given = request.headers.get(self.groups_header)
        if given is None:
            return frozenset()
        address = request.remote_addr or ""
        if not any(read_ip_address(address) in network for network in self.proxies):
            raise VisitorRejected(
                403,
                f"The request has the header {self.groups_header}, and comes from {address[:45]}, which is no proxy in "
                f"{PROXIES}. Only a trusted proxy may name the groups of a visitor.",
            )
        return frozenset(list(filter(_GROUP.fullmatch, map(str.strip, given.split(","))))[:MAX_GROUPS])

    def _check(self, token: str, admin: AdminSessions, address: str) -> None:
        try:
            admin.check(token, address, [each.token.text for each in self.readers])
        except WrongToken:
            raise VisitorRejected(
                401,
                "The token is wrong: no [[reader]] table has it. If a proxy asks for passwords of its own, let it drop "
                "the header Authorization.",
            ) from None
        except TooManyAttempts as error:
            raise VisitorRejected(429, sentence(str(error).capitalize()), math.ceil(error.seconds)) from None


def read_admission(settings: ReadableSettings) -> VisitorAdmission:
    """Read the settings. Raises SettingError, which shows no token."""
    given = settings.getlist(READER)
    if len(given) > MAX_READERS:
        raise SettingError(f"{READER}: {len(given)} tables [[reader]], and at most {MAX_READERS} are possible")
    readers = tuple(_read_reader(f"{READER}: table {number} [[reader]]", each) for number, each in enumerate(given, 1))
    proxies = tuple(map(_network, settings.getlist(PROXIES)))
    header = str(settings[GROUPS_HEADER])
    if not _HEADER.fullmatch(header):
        raise SettingError(f"{GROUPS_HEADER}={header!r} is no name of a header: give one such as X-Forwarded-Groups")
    is_public = proxies or settings["BOT_URL"] or settings.getlist("ALLOWED_HOSTS")
    return VisitorAdmission(readers, proxies, header, not is_public)


def _read_reader(place: str, table: object) -> TokenHolder:
    if not isinstance(table, dict) or set(table) != {"token", "groups"}:
        raise SettingError(f'{place} must have token and groups: token = "env:STAFF_TOKEN" and groups = ["staff"]')
    secret, groups = Secret.named(table["token"]), table["groups"]
    if secret is None:
        raise SettingError(
            f"{place}: token must name where the token is, and can't be the token itself: write "
            '"env:NAME" or "file:PATH"'
        )
    if not isinstance(groups, list) or not all(isinstance(each, str) and _GROUP.fullmatch(each) for each in groups):
        raise SettingError(f'{place}: groups must be a list of groups like read in [[site]]: groups = ["staff"]')
    token = secret.read()
    if len(token.text) < MIN_TOKEN:
        raise SettingError(
            f"{place}: {secret} has {counted(len(token.text), 'character')}; a token needs at least {MIN_TOKEN}"
        )
    return TokenHolder(token, frozenset(groups))


def _network(given: object) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(str(given).strip())
    except ValueError:
        raise SettingError(
            f"{PROXIES}: {given!r} is no IP address and no network: give one such as 10.0.0.5 or 10.0.0.0/24"
        ) from None


def _token_of(request: Request) -> str | None:
    """Return the token of a request; None: there is none, and nothing that could be one."""
    given = request.authorization
    if given is None:
        return "" if "Authorization" in request.headers else None
    return (given.password if given.type == "basic" else given.token) or ""


def is_of_this_machine(request: Request) -> bool:
    """Return whether a program of the user who runs the gateway made the connection, and no proxy did."""
    if not is_loopback_address(request.remote_addr or "") or not is_allowed_host(request.host, LOOPBACK_HOSTS):
        return False
    if any(name in request.headers for name in OF_PROXIES) or any(
        name.lower().startswith("x-forwarded") for name, _ in request.headers
    ):
        return False
    ports = [str(request.environ.get(name, "")) for name in ("REMOTE_PORT", "SERVER_PORT")]
    return all(map(str.isdecimal, ports)) and _owners(*map(int, ports)) == {os.geteuid()}


def _owners(client_port: int, server_port: int) -> set[int]:
    """Return the users of all connections of this machine from one port to another; none where the system hides it."""
    found: set[int] = set()
    for path in _CONNECTIONS:
        try:
            rows = path.read_text().splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            _, local, remote, _, _, _, _, user, *_ = row.split()
            if (_port(local), _port(remote)) == (client_port, server_port):
                found.add(int(user))
    return found


def _port(address: str) -> int:
    """Return the port of an address such as 0100007F:1F90."""
    return int(address.rpartition(":")[2], 16)
