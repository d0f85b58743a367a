"""Short names of what fixtures give, for signatures on one line."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # what a test of a function needs not load
    from playwright.sync_api import Page
    from streamlit.testing.v1 import AppTest

Open = Callable[[str], "AppTest"]
Visit = Callable[[str], "Page"]
Wait = Callable[["Page"], None]
Patch = pytest.MonkeyPatch
Told = pytest.CaptureFixture[str]
