"""How does an older database come to the keys? Its table of URLs is written anew, without the index of whole texts.

SQLite has no statement for that. Its documentation (lang_altertable, "Making Other Kinds Of Table Schema Changes")
has the steps, which are taken here with whatever columns and indexes the table has by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.visited import add_all

if TYPE_CHECKING:
    import sqlite3

STEP = "0009_visited.sql"  # the migration after whose statements this is done, in its transaction
_UNIQUE, _PLAIN = "url TEXT NOT NULL UNIQUE", "url TEXT NOT NULL"
_ROWS_AT_A_TIME = 100_000  # whose keys are sorted together, at some 200 octets each


def drop_text_index(connection: sqlite3.Connection) -> None:
    """Replace the UNIQUE text index of table `url` by the keys in `visited`. The caller holds the transaction."""
    (table,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'url' AND type = 'table'").fetchone()
    others = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE tbl_name = 'url' AND type IN ('index', 'trigger') AND sql IS NOT NULL"
    ).fetchall()
    body = table[table.index("(") :]
    if _UNIQUE not in body:
        raise LookupError("table url has no UNIQUE text index to replace")
    connection.execute(f"CREATE TABLE url_rebuilt {body.replace(_UNIQUE, _PLAIN, 1)}")
    connection.execute("INSERT INTO url_rebuilt SELECT * FROM url")
    connection.execute("DROP TABLE url")
    connection.execute("ALTER TABLE url_rebuilt RENAME TO url")
    for (statement,) in others:
        connection.execute(statement)
    rows = connection.execute("SELECT id, url FROM url")
    while some := rows.fetchmany(_ROWS_AT_A_TIME):
        add_all(connection, some)
