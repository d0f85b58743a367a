"""Tables that the person edits; what was edited is kept over a visit to another page."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st


def edit_table(
    table: pd.DataFrame, *, key: str, alt: str, kept_columns: Sequence[str] = (), **options: Any
) -> pd.DataFrame:
    """Show a table to edit, as it was left on a former visit of the page; return it as it is now.

    `kept_columns` are those that can be edited where the others are said in the language of the visit.
    """
    base, kept = f"{key}_base", f"{key}_kept"
    if key not in st.session_state:  # Streamlit 1.67 forgets an editor's edits on a page switch
        former = st.session_state.get(kept, table)
        st.session_state[base] = table.assign(**former[list(kept_columns)]) if kept_columns else former
    edited: pd.DataFrame = st.data_editor(
        st.session_state[base], key=key, hide_index=True, alt=alt, **options
    )
    st.session_state[kept] = edited
    return edited
