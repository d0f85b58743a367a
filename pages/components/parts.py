"""The parts of a result on a page: figures as cards, tables, charts, and sentences between them."""

from collections.abc import Sequence, Sized

import streamlit as st

from core.result import Drawing, Figure, Group, Note, Part, Result, Table
from core.words import say
from pages.components.results import show_chart, show_figures, show_table
from pages.components.text import sentence


def show_group(result: Result, key: str) -> None:
    """Show the parts of a group one below the other, figures that follow each other as cards in a row."""
    show_parts(result.group(key), key=f"{result.tool}_{key}")


def show_parts(group: Group, *, key: str) -> None:
    """Show the parts of a group that is told before there is a whole result."""
    parts = [
        each for each in group.parts if getattr(each, "where", "both") != "report" and not _is_empty(each)
    ]
    if not parts and group.empty:
        st.markdown(say(group.empty))
    if figures := group.figures:
        show_figures(figures)
    for number, part in enumerate(each for each in parts if not isinstance(each, Figure)):
        show_part(part, key=f"{key}_{number}")


def _is_empty(part: Part) -> bool:
    return isinstance(part, Table) and isinstance(part.rows, Sized) and not part.rows


def show_beside(parts: Sequence[Part], *, key: str, widths: Sequence[float] = ()) -> None:
    """Show parts that are no figures beside each other."""
    if not parts:
        return
    for number, (place, part) in enumerate(zip(st.columns(widths or len(parts)), parts, strict=False)):
        with place:
            show_part(part, key=f"{key}_{number}")


def show_part(part: Part, *, key: str) -> None:
    """Show one part of a result that is no figure."""
    if isinstance(part, Note):
        st.caption(sentence(say(part.words)))
    elif isinstance(part, Drawing):
        show_chart(part, key=key)
    elif isinstance(part, Table):
        show_table(part)
        if part.note:
            st.caption(sentence(say(part.note)))
