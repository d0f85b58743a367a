"""One pair of k and l: choosing it, and everything about what it releases."""

import streamlit as st

from core.diversity import Configuration, DiversityAudit
from core.diversity.charts import STATUS_WORDS, evaluated
from core.diversity.judging import accuracy_word
from core.words import own, percent, say
from pages.components.parts import show_beside
from pages.components.shown import Shown

SPLITS = "Other splits"


def pick(mark: str, k: int, l: int) -> None:  # noqa: E741 - the model's own letter
    """Choose a pair; the inputs below the charts show it."""
    st.session_state[f"diversity_pick_k_{mark}"] = k
    st.session_state[f"diversity_pick_l_{mark}"] = l


def ask_for_pair(audit: DiversityAudit, mark: str) -> Configuration:
    """Ask for k and l, from the recommended pair on; return the configuration."""
    settings, state = audit.search.problem.settings, st.session_state
    k_key, l_key = f"diversity_pick_k_{mark}", f"diversity_pick_l_{mark}"
    if k_key not in state:
        first = audit.recommended or next(iter(evaluated(audit)), audit.search.configurations[0])
        pick(mark, first.k, first.l)
    lowest_k = max(settings.k_min, settings.l_min)
    state[k_key] = min(max(int(state[k_key]), lowest_k), settings.k_max)
    state[l_key] = min(max(int(state[l_key]), settings.l_min), state[k_key])
    asked = {
        "k": (k_key, lowest_k, settings.k_max, "Records in a cell, at least."),
        "ℓ": (l_key, settings.l_min, state[k_key], "Sensitive values in a cell, at least."),
    }
    title = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, (key, least, most, about) in asked.items():
            st.number_input(name, least, most, key=key, help=say(about), width=160, persist_state="session")
        picked = audit.search.configuration(state[k_key], state[l_key])
        recommended = audit.recommended
        if recommended is not None and (recommended.k, recommended.l) != (picked.k, picked.l):
            st.button(
                say("Take the recommended pair"),
                key="diversity_take_recommended",
                icon=":material/star:",
                help=say(recommended.reason),
                on_click=pick,
                args=(mark, recommended.k, recommended.l),
            )
    result = own(STATUS_WORDS[picked.status])
    title.header(say("k = {k}, ℓ = {l}: {result}", k=picked.k, l=picked.l, result=result), anchor=False)
    return picked


def show_side_by_side(shown: Shown) -> None:
    """Show the classes of a pair beside the values in them."""
    classes, mark = shown.result.group("classes"), shown.found["mark"]
    if not classes.drawings:
        st.markdown(say(classes.empty))
    show_beside(classes.drawings, key=f"diversity_pair_chart_{mark}")


def show_stability(shown: Shown) -> None:
    """Show how much of the accuracy is the luck of one split."""
    audit, picked = shown.audit, shown.found["picked"]
    st.caption(
        say(
            "How much of the accuracy is the luck of one split? The same records are split again with other "
            "seeds and measured each time; the model and the cells stay the same."
        )
    )
    if picked.evaluation is None:
        st.markdown(say("The pair has no accuracy to measure again."))
        return
    if (found := audit.stability) is not None:
        st.markdown(
            say(
                "Over {n} split the mean is **{mean}**; 95 % of them lie between {low} and {high} ({name} "
                "on the hold-out, anonymized and minimized).",
                "Over {n} splits the mean is **{mean}**; 95 % of them lie between {low} and {high} ({name} "
                "on the hold-out, anonymized and minimized).",
                n=len(found.accuracies),
                mean=percent(found.mean),
                low=percent(found.low),
                high=percent(found.high),
                name=accuracy_word(audit.search.problem.settings.task),
            )
        )
