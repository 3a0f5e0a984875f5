"""Who is asking? Every request says so: the robot's name, where its policy stands, and whom to write to.

*HTTP: The Definitive Guide* asks robots to send User-Agent, From, Accept and Referer: the owner of a site must be able
to find the owner of a robot (RFC 9110, 10.1.2 and 10.1.5).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

VERSION = "0.1"
_TOKEN = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")  # RFC 9309, 2.2.1 has letters, - and _; many robots have digits too
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9-]{2,63}\Z")
_HEADER_SAFE = re.compile(r"https?://[\x21-\x7e]+\Z")


class IdentityError(ValueError):
    """A setting that names the robot's owner can't be used; the message says what would do."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The robot's product token, its owner's address, and the page with its policy; the last two may be empty."""

    product: str
    contact: str = ""
    bot_url: str = ""

    def __post_init__(self) -> None:
        if not _TOKEN.match(self.product):
            raise IdentityError(
                f"PRODUCT={self.product!r} is no product token, by which a robots.txt can name a robot: "
                "give one word of letters, digits, - and _, such as Breadcrumb"
            )
        if self.contact and not _ADDRESS.match(self.contact):
            raise IdentityError(f"CONTACT={self.contact!r} is no e-mail address: give one like you@example.org")
        if self.bot_url and not _HEADER_SAFE.match(self.bot_url):
            raise IdentityError(f"BOT_URL={self.bot_url!r} is no web address: give one like https://example.org/bot")

    @property
    def complete(self) -> bool:
        """Whether a site's owner can reach the robot's: without it, no request leaves the operator's own network."""
        return bool(self.contact and self.bot_url)

    @property
    def user_agent(self) -> str:
        """The User-Agent header."""
        return f"{self.product}/{VERSION}" + (f" (+{self.bot_url})" if self.bot_url else "")

    @property
    def headers(self) -> dict[str, str]:
        """The headers that go with every request, beside Accept."""
        return {"User-Agent": self.user_agent} | ({"From": self.contact} if self.contact else {})
