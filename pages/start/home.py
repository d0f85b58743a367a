"""Home: the questions the tools answer, and what happens to the data."""

import streamlit as st


def show_home() -> None:
    st.title("AnonAudit")
    st.markdown(
        "Somebody says the data are anonymized. Find out on your own machine: was it done, what is left, "
        "what is the risk, and which settings would be better?"
    )


show_home()
