"""The tools and their pages, in the order of the navigation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core import __version__
from core.tools import TOOLS as KEYS
from core.tools import Tool, tool
from core.words import own, say
from pages.components.language import language_pages, remember_page

if TYPE_CHECKING:
    from streamlit.commands.page_config import MenuItems
    from streamlit.navigation.page import Page

# An emoji: an icon by name would make the browser ask an outside font host (Streamlit 1.67).
ICON = "🔎"
_STATIC = Path(__file__).parents[2] / "static"
LOGO = _STATIC / "logo.svg"
PICTURES = _STATIC / "tools"  # of what each tool finds, without words
MENU: MenuItems = {
    "Get help": None,
    "Report a bug": None,
    "About": f"**AnonAudit {__version__}** audits anonymization on your own machine. No data leaves it.",
}
STYLE = Path(__file__).with_name("page.css")
HOME = "pages/start/home.py"


TOOLS = tuple(map(tool, KEYS))
FILED_REPORTS = Tool(
    key="filed",
    title="Check or sign off a report",
    section="start",
    icon=":material/inventory_2:",
    question="Does a report that was filed still hold, and who decided what?",
    needs="the report, and the files that were audited",
    limits=(),
    measures=(),
)
FILED = FILED_REPORTS.script
_SCRIPTS = {each.key: each.script for each in (*TOOLS, FILED_REPORTS)}


_GIVEN = {  # what a person has who needs the tool, below its name
    "tabular": own("a table, its log"),
    "vcf": own("genome files"),
    "leakage": own("scrambled table"),
    "risk": own("a table to share"),
    "dataset": own("tables"),
    "events": own("an event log"),
    "diversity": own("table for a model"),
    "filed": own("a filed report"),
}


def say_what_is_given() -> None:
    """Say in the menu below each tool's name what a person has who needs it."""
    links = ("stTopNavLink", "stSidebarNavLink")
    rules = (
        f'[data-testid="{link}"][href$="/{tool}"]::after {{ content: "{say(given)}"; }}'
        for tool, given in _GIVEN.items()
        for link in links
    )
    st.html(f"<style>{' '.join(rules)}</style>")


def remember(page: Page) -> None:
    """Remember a tool's page, or Home, as the one to come back to."""
    remember_page(page, _SCRIPTS.get(page.url_path, HOME))


def pages() -> dict[str, list[Page]]:
    """Return the pages of the navigation: Home, tools and filed reports, the languages together."""
    home = st.Page(HOME, title=say("Home"), icon=":material/home:", url_path="home", default=True)
    tools = [
        st.Page(each.script, title=say(each.title), icon=each.icon, url_path=each.key)
        for each in (*TOOLS, FILED_REPORTS)
    ]
    if getattr(st.user, "is_logged_in", False):
        tools.append(st.Page(st.logout, title=say("Sign out"), icon=":material/logout:", url_path="sign-out"))
    languages = language_pages()
    return {"": [home, *tools]} | ({say("Language"): languages} if languages else {})
