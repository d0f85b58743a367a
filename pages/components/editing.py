"""Tables that the person edits; what was edited is kept over a visit to another page."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st


def edit_table(table: pd.DataFrame, *, key: str, alt: str, **options: Any) -> pd.DataFrame:
    """Show a table to edit, as it was left on a former visit of the page; return it as it is now."""
    base, kept = f"{key}_base", f"{key}_kept"
    if key not in st.session_state:  # Streamlit 1.67 forgets an editor's edits on a page switch
        st.session_state[base] = st.session_state.get(kept, table)
    edited: pd.DataFrame = st.data_editor(
        st.session_state[base], key=key, hide_index=True, alt=alt, **options
    )
    st.session_state[kept] = edited
    return edited
