"""`python -m breadcrumb` is the command `breadcrumb`."""

from __future__ import annotations

import sys

from breadcrumb.console import main

if __name__ == "__main__":
    sys.exit(main())
