"""Navigation and page config; nothing else."""

import streamlit as st

from core.errors import AuditInputError
from core.settings.form import settings_named_by
from core.words import ask_language_by
from pages.components import access, navigation, serving, trail
from pages.components.ending import overwrite_freed_memory
from pages.components.interrupting import interruptible
from pages.components.language import break_lines, session_language, translate_uploaders
from pages.components.long_work import showing_place
from pages.components.reading import show_problems

if __name__ == "__main__":  # as Streamlit runs it, once for every view
    st.set_page_config(page_icon=navigation.ICON, layout="wide", menu_items=navigation.MENU)
    st.logo(navigation.LOGO, size="large")
    ask_language_by(session_language)
    break_lines()
    translate_uploaders()
    st.html(navigation.STYLE)
    if access.show_sign_in():
        st.stop()
    # at the top: in the sidebar Streamlit 1.67's lists of sections fail axe's rules
    page = st.navigation(navigation.pages(), position="top")
    navigation.remember(page)
    navigation.say_what_is_given()
    try:
        with showing_place(), interruptible(), settings_named_by("label"), trail.of_run():
            page.run()
    except AuditInputError as error:  # such as a connection lost while the page was drawn
        show_problems(error)
else:  # as `streamlit run` imports it, once at start
    serving.check_limits()
    overwrite_freed_memory()
    app = st.App(__file__, middleware=serving.MIDDLEWARE, lifespan=serving.prepare)
