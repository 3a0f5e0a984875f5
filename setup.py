"""What scrapyd-deploy calls to pack the project as an egg. What goes in stands in pyproject.toml."""

from setuptools import setup

setup()
