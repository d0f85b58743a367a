"""Where real files of public projects are; tests skip, naming the folder, where it is absent."""

import os
from pathlib import Path

REAL_DIR = Path(os.environ.get("REAL_DIR", Path(__file__).parents[2] / ".." / "shared" / "real"))
