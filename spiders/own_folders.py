"""Where is Breadcrumb installed, and where are its files? In a clone, in an installed package, or in an egg of scrapyd.

| | names of files are relative to | DATA_DIR by default | breadcrumb.toml |
|---|---|---|---|
| a clone | the clone | `data` in it | in the clone |
| a package | the current folder | the platform's folder for data | in the current folder, else in that for settings |
| an egg | the current folder | `data` in it | in the current folder |
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from urls.wording import IS_INSTALLED

ROOMS = Path(__file__).resolve().parents[1]  # the import path of the rooms: a folder, or an egg
IN_AN_EGG = not ROOMS.is_dir()
ROOT = Path.cwd() if IN_AN_EGG or IS_INSTALLED else ROOMS  # to which names of files are relative
PROGRAM_FOLDER = Path(sys.argv[0]).resolve().parent if IS_INSTALLED else ROOMS  # with the command `breadcrumb`
FILE_NAME = "breadcrumb.toml"
FILE_VARIABLE = "BREADCRUMB_SETTINGS"  # the path of another file
_APPLICATION = "breadcrumb"


def default_data_folder() -> str:
    """Return the default of DATA_DIR: on Linux ~/.local/share/breadcrumb for an installed package."""
    if not IS_INSTALLED:
        return "data"
    from platformdirs import user_data_dir

    return user_data_dir(_APPLICATION, appauthor=False)


def settings_file() -> Path:
    """Return the path of the settings file: the one that BREADCRUMB_SETTINGS names, else one that need not exist."""
    if named := os.environ.get(FILE_VARIABLE):
        return ROOT / Path(named).expanduser()
    here = ROOT / FILE_NAME
    if not IS_INSTALLED or here.exists():
        return here
    return _platform_settings() / FILE_NAME


def packages_spiders() -> Path:
    """Return the folder of your own spiders with an installed package: an upgrade clears its own. It need not exist."""
    return _platform_settings() / "spiders"


def _platform_settings() -> Path:
    from platformdirs import user_config_path

    return user_config_path(_APPLICATION, appauthor=False)
