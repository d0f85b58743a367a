"""Navigation and page config; nothing else."""

import streamlit as st

from pages.components import navigation, serving

if __name__ == "__main__":  # as Streamlit runs it, once for every view
    st.set_page_config(page_icon=navigation.ICON, layout="wide", menu_items=navigation.MENU)
    st.logo(navigation.LOGO, size="large")
    st.navigation(navigation.pages(), position="top").run()
else:  # as `streamlit run` imports it, once at start
    app = st.App(__file__, middleware=serving.MIDDLEWARE, lifespan=serving.prepare)
