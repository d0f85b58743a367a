"""Where the figures from outside this project are; tests skip, naming the folder, where it is absent."""

import os
from pathlib import Path

import pytest

GOLDEN_DIR = Path(os.environ.get("GOLDEN_DIR", Path(__file__).parents[2] / ".." / "shared" / "golden"))


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    if not GOLDEN_DIR.is_dir():
        pytest.skip(f"golden figures are not in {GOLDEN_DIR}; set GOLDEN_DIR")
    return GOLDEN_DIR
