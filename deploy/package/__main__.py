"""``anonaudit …``: what ``python -m core …`` is in the project's folder."""

import runpy
import sys
from pathlib import Path


def main() -> None:
    """Run the command line of the rooms beside this file, under their own names."""
    sys.path.insert(0, str(Path(__file__).parent))
    runpy.run_module("core", run_name="__main__")


if __name__ == "__main__":
    main()
