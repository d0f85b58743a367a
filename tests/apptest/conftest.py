"""Pages as a visitor meets them: the whole application, real core, tiny files."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
# each session of a test reads what every installed package says of itself, which takes longer than the page
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(autouse=True)
def _empty_caches() -> Iterator[None]:
    """Streamlit's test sessions all share one session id, and so its caches."""
    st.cache_resource.clear()
    st.cache_data.clear()
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture(autouse=True)
def _offered_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let the server open what a test puts into its folder."""
    monkeypatch.setenv("ANONAUDIT_FOLDERS", str(tmp_path))


@pytest.fixture
def open_page() -> Callable[[str], AppTest]:
    """Start the application and go to a page by its script, such as ``pages/start/home.py``."""

    def start(script: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
        return app.switch_page(script).run()

    return start
