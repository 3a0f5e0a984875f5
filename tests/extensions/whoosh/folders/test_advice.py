"""The settings and commands that messages about a Whoosh folder name, carried out as they are printed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in

from tests.advice import commands_in, settings_in
from tests.commands.test_advice import RYE, advised

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


def test_a_folder_of_whooshs_is_searched_with_the_settings_that_each_message_names(
    bakery: Breadcrumb, tmp_path: Path
) -> None:
    (tmp_path / "theirs").mkdir()
    schema = Schema(name=TEXT(stored=True), link=ID(stored=True), words=TEXT(stored=True))
    writer = create_in(str(tmp_path / "theirs"), schema).writer()
    writer.add_document(name="Lamps", link="http://lamps.example/", words="lamps of the harbour")
    writer.commit()
    given = ["-s", f"INDEX=whoosh:{tmp_path / 'theirs'}"]
    said = bakery.run("search", "harbour", *given).err
    given += [word for name, value in settings_in(said) for word in ("-s", f"{name}={value}")]
    said = bakery.run("search", "harbour", *given).err
    [fields] = re.findall(r"-s (WHOOSH_FIELDS=\S+)", said)
    for ours, theirs in (("url", "link"), ("title", "name"), ("text", "words")):
        fields = fields.replace(f"{ours}=NAME", f"{ours}={theirs}")
    done = bakery.run("search", "harbour", *given, "-s", fields)
    assert "http://lamps.example/" in done.out
    given += ["-s", fields]
    assert commands_in(bakery.run("search", "helicopter", *given).out) == []
    command = advised(bakery, "release", RYE, *given, name="why")
    done = bakery.run_as_it_stands(*command)
    assert "Whoosh" in done.out, done
