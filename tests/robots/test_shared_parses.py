"""Who asks about several URLs may share what was parsed: the reasons are the same as without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from robots import Dialect, disagreement_on_url

if TYPE_CHECKING:
    from robots import RobotsFile
    from robots.dialect import Choices

LINES = st.sampled_from(
    ["User-agent: *", "User-agent: bread", "Disallow: /a", "Allow: /a/b", "Disallow:", "", "Disalow: /", "Allow: /*c$"]
)


@given(st.lists(LINES, max_size=8), st.lists(st.sampled_from(["/", "/a", "/a/b", "/a/bc"]), min_size=1, max_size=4))
def test_shared_parses_change_no_reason(lines: list[str], paths: list[str]) -> None:
    body = "\n".join(lines).encode()
    parsed: dict[Choices, RobotsFile] = {}
    for theirs in Dialect:
        for path in paths:
            alone = disagreement_on_url(body, "Breadcrumb", path, theirs=theirs)
            assert disagreement_on_url(body, "Breadcrumb", path, theirs=theirs, parsed=parsed) == alone
