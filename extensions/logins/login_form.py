"""What does a browser send when a person fills in a login form? Pure: markup in, fields out.

The form is the one with exactly one password field: two are for a registration or a new password. All its other fields
keep their values, above all the hidden ones, by which a site knows its own form (WHATWG HTML, 4.10.21.4).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from selectolax.lexbor import LexborHTMLParser

from pages.encoding import decode
from pages.html_document import made_safe
from pages.links import BaseUrl, Unusable
from robots.origin import origin_of
from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from extensions.logins.secret import SecretText
    from extensions.logins.sites import FormLogin

MAX_FIELDS = 200  # of a form; a login has some five
_PASSWORD = re.compile(rb"""type\s*=\s*["']?password""", re.IGNORECASE)  # it spares the parse of most pages
_NAMES_USER = frozenset({"", "text", "email", "tel"})  # types of fields that a person writes a name into
_NOT_SENT = frozenset({"submit", "button", "reset", "image", "file"})
_SECOND_FACTOR = re.compile(
    r"otp|2fa|mfa|two.?factor|second.?factor|one.?time|(?:verification|auth|security|backup).?code|passcode",
    re.IGNORECASE,
)


class LoginError(Exception):
    """A login is not possible, or has failed. The message says why, and shows nothing secret."""


@dataclass(frozen=True, slots=True)
class FilledForm:
    """A form to post: its URL, and its fields as application/x-www-form-urlencoded, which no representation shows."""

    url: str
    body: bytes = field(repr=False)


def shows_login(body: bytes, content_type: str = "") -> bool:
    """Return whether a page has a form with exactly one password field."""
    return _PASSWORD.search(body) is not None and _login_form(_parsed(body, content_type)) is not None


def second_factor_of(body: bytes, content_type: str = "") -> str:
    """Return the name of a field that asks for a second factor; "" if there is none."""
    for node in _parsed(body, content_type).css("form input"):
        kind, name = _attribute(node, "type"), _attribute(node, "name") or _attribute(node, "id")
        if kind.lower() in {*_NAMES_USER, "number", "password"} and (
            _attribute(node, "autocomplete") == "one-time-code" or _SECOND_FACTOR.search(name)
        ):
            return name or "one-time-code"
    return ""


def filled_form(body: bytes, content_type: str, url: str, login: FormLogin, password: SecretText) -> FilledForm:
    """Return the form of a login page with its fields filled in. Raises LoginError."""
    page = _parsed(body, content_type)
    found = _login_form(page, login.password_field)
    if found is None:
        named = f" named {login.password_field!r}" if login.password_field else ""
        raise LoginError(f"{url} has no form with one password field{named}: scripts may make it, or it has changed")
    form, fields = found
    if len(fields) > MAX_FIELDS:
        raise LoginError(f"{url} has a form with more than {MAX_FIELDS} fields")
    secret = login.password_field or next(_attribute(each, "name") for each in fields if _type(each) == "password")
    user = login.user_field or _user_field(fields)
    for name, key in ((user, "user_field"), (secret, "password_field")):
        if name not in {_attribute(each, "name") for each in fields} - {""}:
            raise LoginError(f"{url} has no field for it that can be found: give its name as {key}")
    sent = [pair for pair in _values(fields) if pair[0] not in {user, secret}]
    content = urlencode([*sent, (user, login.user), (secret, password.text)]).encode()
    return FilledForm(_target(form, page, url), content)


def _parsed(body: bytes, content_type: str) -> LexborHTMLParser:
    return LexborHTMLParser(made_safe(decode(body, content_type=content_type).text)[0])


def _login_form(page: LexborHTMLParser, password_field: str = "") -> tuple[LexborNode, list[LexborNode]] | None:
    """Return the login form of a page and its fields, or None.

    Of the only form of a page they are all: a table may separate them from it.
    """
    forms = page.css("form")
    for form in forms:
        fields = (page if len(forms) == 1 else form).css("input, select, textarea, button")
        secrets = [each for each in fields if _type(each) == "password"]
        if len(secrets) == 1 and password_field in {"", _attribute(secrets[0], "name")}:
            return form, fields
    return None


def _user_field(fields: list[LexborNode]) -> str:
    """Return the name of the field before the password into which a person writes a name."""
    name = ""
    for each in fields:
        if _type(each) == "password":
            break
        if each.tag == "input" and _type(each) in _NAMES_USER:
            name = _attribute(each, "name")
    return name


def _values(fields: list[LexborNode]) -> list[tuple[str, str]]:
    """Return the names and values that a browser sends. Of the buttons it is the first one, which a person presses."""
    sent, pressed = [], False
    for each in fields:
        name, kind = _attribute(each, "name"), _type(each)
        if "disabled" in each.attributes:
            continue
        if kind == "submit" and not pressed:
            pressed = True
        elif kind in _NOT_SENT or (kind in {"checkbox", "radio"} and "checked" not in each.attributes):
            continue
        if name:
            sent.append((name, _value(each, kind)))
    return sent


def _value(node: LexborNode, kind: str) -> str:
    if node.tag == "select":
        chosen = node.css_first("option[selected]") or node.css_first("option")
        return "" if chosen is None else _attribute(chosen, "value") or chosen.text(strip=True)
    if node.tag == "textarea":
        return node.text()
    return _attribute(node, "value") or ("on" if kind in {"checkbox", "radio"} else "")


def _target(form: LexborNode, page: LexborHTMLParser, url: str) -> str:
    """Return the URL that a form is posted to. Raises LoginError if the password must not go there."""
    if _attribute(form, "method").lower() != "post":
        raise LoginError(f"{url} has a form that is sent by GET: the password would be part of a URL")
    if _attribute(form, "enctype").lower() not in {"", "application/x-www-form-urlencoded"}:
        raise LoginError(f"{url} has a form that is sent as {_attribute(form, 'enctype')}, which no login needs")
    base = page.css_first("base[href]")
    resolved = BaseUrl.of(url).resolve(_attribute(base, "href")) if base is not None else url
    action = _attribute(form, "action")
    target = BaseUrl.of(url if isinstance(resolved, Unusable) else resolved).resolve(action) if action else url
    return same_origin(target, url, "has a form without a usable URL to send it to", "has a form for")


def same_origin(target: str | Unusable, url: str, lacks: str, does: str) -> str:
    """Return the canonical URL to which a login leads. Raises LoginError for another origin: a password would go there.

    `url` is that of the page; `lacks` and `does` say in the message what the page has without a usable URL, and for
    another origin.
    """
    try:
        found = str(canonicalize("" if isinstance(target, Unusable) else target))
    except UnusableUrl as error:
        raise LoginError(f"{url} {lacks}: {error}") from None
    if origin_of(found) != origin_of(url):
        raise LoginError(f"{url} {does} another origin, {origin_of(found)}: a login stays at its own")
    return found


def _type(node: LexborNode) -> str:
    if node.tag == "button":
        return (_attribute(node, "type") or "submit").lower()
    return _attribute(node, "type").lower() if node.tag == "input" else str(node.tag)


def _attribute(node: LexborNode, name: str) -> str:
    return (node.attributes.get(name) or "").strip() if name != "value" else node.attributes.get(name) or ""
