"""A login form is filled in as a browser does it, or not at all: a password goes to no other origin and into no URL."""

from __future__ import annotations

from time import process_time
from urllib.parse import parse_qsl

import pytest

from extensions.logins.login_form import LoginError, filled_form, second_factor_of, shows_login
from extensions.logins.secret import Secret, SecretText
from extensions.logins.sites import FormLogin

URL = "https://wiki.example.org/account/login?next=/"
TYPE = "text/html; charset=utf-8"
PLAIN = "<form method=post action=in><input name=who><input type=password name=pass></form>"


def login(**fields: str) -> FormLogin:
    return FormLogin(URL, "Ann Öz", Secret("env", "P"), **fields)


def sent(markup: str, **fields: str) -> tuple[str, dict[str, str]]:
    """Return where a form is posted to, and its fields."""
    form = filled_form(markup.encode(), TYPE, URL, login(**fields), SecretText("a&b=ü"))
    return form.url, dict(parse_qsl(form.body.decode(), keep_blank_values=True))


FILLED = {"who": "Ann Öz", "pass": "a&b=ü"}


@pytest.mark.parametrize(
    ("markup", "url", "fields"),
    [
        pytest.param(PLAIN, "https://wiki.example.org/account/in", FILLED, id="a relative action"),
        pytest.param(PLAIN.replace(" action=in", ""), URL, FILLED, id="no action: the page itself"),
        pytest.param(f"<base href=/x/>{PLAIN}", "https://wiki.example.org/x/in", FILLED, id="a base"),
        pytest.param(
            PLAIN.replace("</form>", '<input type=hidden name=csrf value="x &amp; y"><input type=hidden name=empty>'),
            "https://wiki.example.org/account/in",
            FILLED | {"csrf": "x & y", "empty": ""},
            id="hidden fields are kept",
        ),
        pytest.param(
            PLAIN.replace(
                "</form>",
                "<input type=checkbox name=stay><input type=checkbox name=terms checked><input name=off disabled>"
                "<select name=realm><option>local<option value=ldap selected>LDAP</select>"
                "<button name=do value=in>In</button><button name=do value=forgot>Forgot</button>",
            ),
            "https://wiki.example.org/account/in",
            FILLED | {"terms": "on", "realm": "ldap", "do": "in"},
            id="what a browser would send",
        ),
        pytest.param(
            f"<form action=/search><input name=q></form>{PLAIN}"
            "<form method=post><input type=password name=a><input type=password name=b></form>",
            "https://wiki.example.org/account/in",
            FILLED,
            id="not the search box, and not the registration",
        ),
        pytest.param(
            "<table><form method=post action=in><tr><td><input name=who><td><input type=password name=pass></table>",
            "https://wiki.example.org/account/in",
            FILLED,
            id="fields that a table parts from their form",
        ),
    ],
)
def test_a_form_is_sent_as_a_browser_sends_it(markup: str, url: str, fields: dict[str, str]) -> None:
    assert sent(markup) == (url, fields)


def test_fields_can_be_named() -> None:
    markup = (
        "<form method=post><input name=tenant><input name=who><input name=code><input type=password name=pass></form>"
    )
    assert sent(markup)[1] == {"tenant": "", "who": "", "code": "Ann Öz", "pass": "a&b=ü"}
    assert sent(markup, user_field="who")[1] == {"tenant": "", "who": "Ann Öz", "code": "", "pass": "a&b=ü"}


@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ("<p>Please switch scripts on", "has no form with one password field: scripts may make it, or it has changed"),
        (PLAIN.replace("method=post", "method=get"), "is sent by GET: the password would be part of a URL"),
        (PLAIN.replace("method=post", ""), "is sent by GET"),
        (PLAIN.replace("action=in", "action=https://evil.example/in"), "another origin, https://evil.example:443"),
        (PLAIN.replace("action=in", "action=http://wiki.example.org/in"), "another origin, http://wiki.example.org:80"),
        (
            PLAIN.replace("action=in", "action=//wiki.example.org:8443/in"),
            "another origin, https://wiki.example.org:8443",
        ),
        (f"<base href=https://evil.example/>{PLAIN}", "another origin, https://evil.example:443"),
        (PLAIN.replace("action=in", "action=javascript:go()"), "without a usable URL to send it to"),
        (PLAIN.replace("method=post", "method=post enctype=text/plain"), "sent as text/plain, which no login needs"),
        (PLAIN.replace("<input name=who>", ""), "has no field for it that can be found: give its name as user_field"),
        (PLAIN.replace(" name=pass", ""), "give its name as password_field"),
        (PLAIN.replace("<input name=who>", "<input name=who>" * 300), "has a form with more than 200 fields"),
    ],
)
def test_a_form_that_can_not_be_sent_safely_is_a_sentence(markup: str, said: str) -> None:
    with pytest.raises(LoginError) as told:
        sent(markup)
    assert said in str(told.value)
    assert "a&b" not in str(told.value)


def test_a_named_field_that_is_not_there_is_named() -> None:
    with pytest.raises(LoginError, match="has no form with one password field named 'secret'"):
        sent(PLAIN, password_field="secret")


def test_a_filled_form_shows_nothing_of_its_fields() -> None:
    form = filled_form(PLAIN.encode(), TYPE, URL, login(), SecretText("hunter2"))
    assert b"hunter2" in form.body
    assert "hunter2" not in repr(form)


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        (PLAIN, True),
        (PLAIN.replace("type=password", "TYPE = 'Password'"), True),
        ("<p>Choose a password of twelve characters.", False),
        ('<code>&lt;input type="password"&gt;</code>', False),
        ("<form><input type=password name=a><input type=password name=b></form>", False),
        ("", False),
    ],
)
def test_a_page_shows_a_login_if_it_has_a_form_with_one_password(markup: str, shown: bool) -> None:
    assert shows_login(markup.encode(), TYPE) is shown


def test_the_forms_of_a_page_are_counted_once() -> None:
    begin = process_time()
    assert not shows_login(b"<form></form>" * 8_000 + b"<input type=password>", TYPE)
    assert process_time() - begin < 1  # seconds; counting them for each form took seven


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ('<input name="otp_code">', "otp_code"),
        ('<input id="x" autocomplete="one-time-code">', "x"),
        ('<input type=number name="two-factor">', "two-factor"),
        ('<input type=hidden name="otp">', ""),
        ('<input name="q">', ""),
        ('<input name="csrf_token" type=hidden>', ""),
    ],
)
def test_a_second_factor_is_recognized_by_its_field(field: str, name: str) -> None:
    assert second_factor_of(f"<form method=post>{field}</form>".encode(), TYPE) == name
