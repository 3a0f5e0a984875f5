"""What do tests of Whoosh folders share? The folders of data and commands of tests/commands."""

from tests.commands.conftest import *  # noqa: F403 - fixtures are found by name
