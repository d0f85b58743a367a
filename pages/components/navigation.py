"""The pages of the dashboard, by section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core import __version__

if TYPE_CHECKING:
    from streamlit.commands.page_config import MenuItems
    from streamlit.navigation.page import Page

# An emoji: an icon by name would make the browser ask an outside font host (Streamlit 1.67).
ICON = "🔎"
MENU: MenuItems = {
    "Get help": None,
    "Report a bug": None,
    "About": f"**AnonAudit {__version__}** audits anonymization on your own machine. No data leaves it.",
}

HOME = "pages/start/home.py"


def pages() -> dict[str, list[Page]]:
    """Return the sections of the navigation and their pages."""
    return {
        "Start": [st.Page(HOME, title="Home", icon=":material/home:", url_path="home", default=True)],
    }
