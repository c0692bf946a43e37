"""`python -m ncf`."""

from __future__ import annotations

import sys

from ncf.cli import main

if __name__ == "__main__":
    sys.exit(main())
