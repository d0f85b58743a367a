"""A log made on the page from two tables: proposed by comparing them, confirmed by a person."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.tables import Dataset
from core.tabular.proposed_log import ACTIONS, ProposedEntry, log_document, propose_log
from core.tabular.semantics import SEMANTICS
from core.web.caching import StoredFile, remembered
from core.words import own, say
from pages.components import pairing as by_hand
from pages.components.asking import edit_table
from pages.components.inputs import keep_file
from pages.components.results import Download, show_download
from pages.components.text import short_digest
from pages.verify.tabular_parts.pairing import copies_among, logs_among, tables_among

_KINDS = {semantic: own(kind) for kind, semantic in reversed([*SEMANTICS.items()]) if kind}
_KINDS["other"] = own("something else")


def ask_for_log(tool: str, files: Sequence[StoredFile]) -> None:
    """Propose a log for a table and its copy where none is given; once confirmed, it is one of the files."""
    tables = tables_among(tool, files)
    if len(tables) < 2 or logs_among(tool, files):
        return
    with st.container(border=True):
        st.subheader(say("There is no log: say what was done"), anchor=False)
        st.markdown(
            say(
                "Proposed by comparing both tables. Correct what is not right: the verifier then checks each "
                "column against what you say here."
            )
        )
        original, anonymized = _ask_for_tables(tool, tables)
        if original is None or anonymized is None or original is anonymized:
            return
        entries = _edited(tool, original, anonymized)
        stem, _, _ = original.name.rpartition(".")
        name = f"{stem or original.name}_anonymized_log.json"
        data = log_document(entries, original_name=original.name, anonymized_name=anonymized.name)
        with st.container(horizontal=True):
            st.button(
                say("Verify with this log"),
                key="tabular_log_made",
                type="primary",
                icon=":material/check:",
                on_click=_take,
                args=(tool, original, anonymized, name, data),
            )
            help_text = "As JSON, in the form that the verifier reads: an example for logs of your own."
            saved = Download("Save the log", name, lambda: data, help_text)
            show_download(saved, key="tabular_log")


def _ask_for_tables(tool: str, tables: dict[str, Dataset]) -> tuple[Dataset | None, Dataset | None]:
    """Ask which table is the original and which the anonymized one; proposed by names and columns."""
    copy, original = next(iter(copies_among(tables).items()), (None, None))
    names, chosen = list(tables), []
    labels = {"original": ("Original", original), "anonymized": ("Anonymized table", copy)}
    for place, (part, (label, start)) in zip(st.columns(2), labels.items(), strict=True):
        chosen.append(
            place.selectbox(
                say(label),
                names,
                index=names.index(start) if start in names else None,
                key=f"{tool}_log_of_{part}",
                persist_state="session",
            )
        )
    first, second = (tables.get(name) if name else None for name in chosen)
    return first, second


@remembered()
def _proposed(original: Dataset, anonymized: Dataset) -> tuple[ProposedEntry, ...]:
    return propose_log(original, anonymized)


def _edited(tool: str, original: Dataset, anonymized: Dataset) -> list[ProposedEntry]:
    """Show what is proposed, to correct; return what it is now."""
    proposed = _proposed(original, anonymized)
    semantics = sorted({*SEMANTICS.values(), *(each.semantic for each in proposed)})
    table = pd.DataFrame(
        {
            "column": [each.column for each in proposed],
            "action": [each.action for each in proposed],
            "semantic": [each.semantic for each in proposed],
            "reason": [say(each.reason) for each in proposed],
        }
    )
    edited = edit_table(
        table,
        key=f"{tool}_log_{short_digest(original.fingerprint + anonymized.fingerprint)}",
        kept_columns=["action", "semantic"],
        disabled=["column", "reason"],
        column_config={
            "column": st.column_config.TextColumn(say("Column")),
            "action": st.column_config.SelectboxColumn(
                say("What was done"),
                options=list(ACTIONS),
                format_func=lambda action: say(ACTIONS.get(str(action), str(action))),
                required=True,
                width="medium",
            ),
            "semantic": st.column_config.SelectboxColumn(
                say("What it holds"),
                options=semantics,
                format_func=lambda semantic: say(
                    _KINDS.get(str(semantic)) or str(semantic).replace("_", " ")
                ),
                required=True,
                help=say(
                    "Names, numbers of people, births and addresses have to be protected; age, gender and "
                    "the like are known to others."
                ),
            ),
            "reason": st.column_config.TextColumn(say("What was seen"), width="large"),
        },
        alt=say("Columns with what seems to have been done to each, to confirm"),
    )
    rows = zip(edited["column"], edited["semantic"], edited["action"], edited["reason"], strict=True)
    return [ProposedEntry(column=c, semantic=s, action=a, reason=r) for c, s, a, r in rows]


def _take(tool: str, original: Dataset, anonymized: Dataset, name: str, data: bytes) -> None:
    """Put the log among the files, and pair it with its tables."""
    keep_file(tool, "files", name, data)
    pair = {"original": original.name, "anonymized": anonymized.name, "log": name}
    by_hand.remember_pair(tool, pair, "original")
