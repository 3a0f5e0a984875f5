"""Identity: the headers that say whose robot this is."""

import pytest

from spiders.identity import Identity, IdentityError


def test_the_user_agent_names_the_robot_and_its_policy_page() -> None:
    identity = Identity("Breadcrumb", "me@example.org", "https://example.org/bot")
    assert identity.headers == {"User-Agent": "Breadcrumb/0.1 (+https://example.org/bot)", "From": "me@example.org"}
    assert identity.complete


def test_without_a_contact_the_identity_is_not_complete() -> None:
    identity = Identity("Breadcrumb")
    assert identity.headers == {"User-Agent": "Breadcrumb/0.1"}
    assert not identity.complete


@pytest.mark.parametrize("product", ["", "My Bot", "Bot/2", "Bot\r\nX: y", "Brösel", "*"])
def test_a_name_by_which_no_robots_txt_could_call_it_is_refused(product: str) -> None:
    with pytest.raises(IdentityError, match="such as Breadcrumb"):
        Identity(product)


@pytest.mark.parametrize(
    "contact", ["me", "me@", "@example.org", "a b@example.org", "me@example.org\r\nX: y", "me@host"]
)
def test_a_contact_that_is_no_address_is_refused_at_the_start(contact: str) -> None:
    with pytest.raises(IdentityError, match=r"you@example\.org"):
        Identity("Breadcrumb", contact)


@pytest.mark.parametrize(
    "page", ["example.org/bot", "ftp://example.org", "https://example.org/b t", "https://e\r\nX: y"]
)
def test_a_policy_page_that_is_no_address_is_refused(page: str) -> None:
    with pytest.raises(IdentityError, match=r"https://example\.org/bot"):
        Identity("Breadcrumb", "", page)
