"""The tools and their pages, in the order of the navigation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core import __version__
from core.demo import DEMOS
from core.words import say
from pages.components.language import language_pages, remember_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamlit.commands.page_config import MenuItems
    from streamlit.navigation.page import Page

    from core.demo import Demo

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
FILED = "pages/start/filed.py"


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool as the navigation and the home page show it.

    Attributes
    ----------
    key
        Prefix of the tool's widget keys, and the path of its page in the address.
    title, icon
        What it is called in the navigation.
    question
        The question it answers, as the person would ask it.
    needs
        What the person has to have at hand.
    script
        The page.
    demos
        Synthetic input of ours.
    """

    key: str
    title: str
    icon: str
    question: str
    needs: str
    script: str
    demos: Sequence[Demo] = ()


TOOLS: tuple[Tool, ...] = (
    Tool(
        key="tabular",
        title="Tabular verifier",
        icon=":material/table_view:",
        question="Was this table anonymized as its log says, and is that enough?",
        needs="the original table, the anonymized table, and the log of what was done",
        script="pages/verify/tabular.py",
        demos=DEMOS["tabular"],
    ),
    Tool(
        key="vcf",
        title="VCF verifier",
        icon=":material/genetics:",
        question="Was this genome file really masked, and what would still give the donor away?",
        needs="the original and the anonymized VCF files",
        script="pages/verify/vcf.py",
        demos=DEMOS["vcf"],
    ),
    Tool(
        key="leakage",
        title="Row leakage",
        icon=":material/compare_arrows:",
        question="Is a participant still in the scrambled table?",
        needs="the original table and its scrambled (shuffled, noised or synthetic) copy",
        script="pages/measure/leakage.py",
        demos=DEMOS["leakage"],
    ),
    Tool(
        key="risk",
        title="Disclosure risk",
        icon=":material/policy:",
        question="How easily are people found in this table, and what does it give away?",
        needs="one table of people that is about to be released",
        script="pages/measure/risk.py",
        demos=DEMOS["risk"],
    ),
    Tool(
        key="dataset",
        title="Data set",
        icon=":material/account_tree:",
        question="Who is found when the tables of one delivery are read together?",
        needs="two or more tables about the same people that are released together",
        script="pages/measure/dataset.py",
        demos=DEMOS["dataset"],
    ),
    Tool(
        key="events",
        title="Event-log anonymizer",
        icon=":material/notifications_active:",
        question="Which export of my event log shows every combination for k users, at what loss?",
        needs="a log with a time, a user and an event in each line",
        script="pages/anonymize/events.py",
        demos=DEMOS["events"],
    ),
    Tool(
        key="diversity",
        title="ℓ-diversity search",
        icon=":material/grid_on:",
        question="Which k and ℓ protect people at an accuracy of my model that I can live with?",
        needs="a table with the label that your model predicts, and the model if you have it",
        script="pages/anonymize/diversity.py",
        demos=DEMOS["diversity"],
    ),
)


FILED_REPORTS = Tool(
    key="filed",
    title="Filed reports",
    icon=":material/inventory_2:",
    question="Does a report that was filed still hold, and who decided what?",
    needs="the report as JSON, and the files that were audited",
    script=FILED,
)
_SCRIPTS = {tool.key: tool.script for tool in (*TOOLS, FILED_REPORTS)}


def remember(page: Page) -> None:
    """Remember a tool's page, or Home, as the one to come back to."""
    remember_page(page, _SCRIPTS.get(page.url_path, HOME))


def pages() -> dict[str, list[Page]]:
    """Return the pages of the navigation: Home, tools and filed reports, the languages together."""
    home = st.Page(HOME, title=say("Home"), icon=":material/home:", url_path="home", default=True)
    tools = [
        st.Page(tool.script, title=say(tool.title), icon=tool.icon, url_path=tool.key)
        for tool in (*TOOLS, FILED_REPORTS)
    ]
    if getattr(st.user, "is_logged_in", False):
        tools.append(st.Page(st.logout, title=say("Sign out"), icon=":material/logout:", url_path="sign-out"))
    languages = language_pages()
    return {"": [home, *tools]} | ({say("Language"): languages} if languages else {})
