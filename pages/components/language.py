"""The language of a session: chosen in the menu, else the browser's, else English."""

from functools import partial

import streamlit as st
from streamlit.navigation.page import Page

from core.languages import ENGLISH, LANGUAGES, translated
from core.web.streamlit_internals import get_script_run_ctx
from core.words import say, spoken_language
from pages.components.text import size

CHOSEN = "language"
_PREFIX = "language-"
_BEFORE = "page_before_language"


def session_language() -> str:
    """Return the code of the session's language; English in work beside a page."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return ENGLISH
    if CHOSEN in st.session_state:
        return str(st.session_state[CHOSEN])
    return (st.context.locale or ENGLISH).partition("-")[0]


def break_lines() -> None:
    """Break lines of Korean between its words, which browsers break anywhere."""
    if session_language() == "ko":
        st.html("<style>.stApp * { word-break: keep-all !important; overflow-wrap: break-word; }</style>")


def translate_uploaders() -> None:
    """Say what Streamlit 1.67 writes into uploaders, in English alone, in the language of the session."""
    if session_language() == ENGLISH:
        return
    most = size(int(st.get_option("server.maxUploadSize")) * 1_000_000)
    box = "stFileUploaderDropzone"
    button, limit = f'[data-testid="{box}"] button p', f'[data-testid="{box}Instructions"] span'
    st.html(
        f"<style>{button}, {limit} {{ font-size: 0; }} "
        f"{button}::after, {limit}::after {{ font-size: 0.875rem; }} "
        f'{button}::after {{ content: "{say("Upload")}"; }} '
        f'{limit}::after {{ content: "{say("Up to {size} a file", size=most)}"; }}</style>'
    )


def language_pages() -> list[Page]:
    """Return an entry of the menu for each language; the one spoken is marked."""
    codes = [code for code in LANGUAGES if code == ENGLISH or translated(code)]
    return [
        st.Page(
            partial(_choose, code),
            title=LANGUAGES[code],
            icon=":material/check:" if code == spoken_language() else ":material/translate:",
            url_path=f"{_PREFIX}{code}",
        )
        for code in codes
        if len(codes) > 1
    ]


def remember_page(page: Page, script: str) -> None:
    """Remember where to go back to when a language is chosen."""
    if not page.url_path.startswith(_PREFIX):
        st.session_state[_BEFORE] = script


def _choose(code: str) -> None:
    st.session_state[CHOSEN] = code
    st.switch_page(st.session_state.get(_BEFORE, "pages/start/home.py"))
