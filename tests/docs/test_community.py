"""Do the files for those who cite, report or contribute say what the project says elsewhere?"""

from __future__ import annotations

import re
import tomllib

from tests.docs.conftest import ROOT

REQUIRED = {"cff-version", "message", "title", "authors"}  # Citation File Format 1.2.0
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"))


def test_the_citation_has_the_version_the_licence_and_the_authors_of_the_project() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    keys = dict(re.findall(r"^([a-z-]+): *(.*)$", text, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert keys.keys() >= REQUIRED
    ours = project["license"].removesuffix(" AND BSD-3-Clause")  # the second is that of package/third_party
    assert (keys["cff-version"], keys["version"], keys["license"]) == ("1.2.0", project["version"], ours)
    [author] = re.findall(r"^  - name: (.+)$", text, re.MULTILINE)
    assert re.search(rf"^Copyright \(c\) \d{{4}} {author}$", (ROOT / "LICENSE").read_text("utf-8"), re.MULTILINE)


def test_a_report_begins_with_the_doctor() -> None:
    assert [form.stem for form in FORMS] == ["bug_report", "feature_request"]
    for form in FORMS:
        assert re.match(r"---\nname: .+\nabout: .+\nlabels: .+\n---\n", form.read_text("utf-8"))
    [first, *_] = re.findall("^## (.+)$", FORMS[0].read_text("utf-8"), re.MULTILINE)
    assert "./breadcrumb doctor" in first
