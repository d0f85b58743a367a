"""Home: the questions the tools answer, one-click demos, and what happens to the data."""

from collections.abc import Mapping
from contextlib import nullcontext

import streamlit as st

from core.errors import AuditInputError
from core.tables import Dataset
from core.tools import Input, Tool
from core.triage import GivenFile, Offer, is_report, offers
from core.web.caching import StoredFile
from core.words import own, say, text
from pages.components.inputs import (
    ask_for_files,
    is_table_name,
    list_given,
    load_demo,
    show_privacy_line,
    stored_files,
    take_along,
)
from pages.components.navigation import FILED_REPORTS, PICTURES, TOOLS
from pages.components.reading import show_problems
from pages.components.text import sentence

_OFFERED_AT_ONCE = 4
_MOST_LISTED = 4  # files, each on a line of its own
_NARROWEST_CARD = 320  # pixels
_FILES = Input(
    role="files",
    label="Drop what you have, all together: tables, logs, genome files",
    help="You are told which audits fit. The files go along to the page that you choose.",
)
_FITS_NOTHING = (
    "{file}: none of the audits fits it. It is no table, no genome file, no report of ours, and no log of "
    "what was done to a table that is here."
)
PROMISES = (
    (
        "**It stays on this machine.** The dashboard runs here and listens to this machine only. It makes no "
        "request to any other host: no usage statistics, no fonts, no updates. The browser is told to refuse "
        "any."
    ),
    (
        "**It stays in this tab.** Uploads are kept in memory, once, for this browser tab alone, up to "
        '{megabytes} MB a file. They are gone when you close the tab or press "Delete my data". Nothing is '
        "written to disk, to a log, or into a cache that another tab could see."
    ),
    "**Reports hold counts, not people.** They show cell values only where you switch evidence on.",
    "**Your files are never changed.**",
)


def show_home() -> None:
    st.title("AnonAudit", anchor=False)
    st.markdown(
        say(
            "Somebody says the data are anonymized. Find out on your own machine: was it done, what is left, "
            "what is the risk, and which settings would be better?"
        )
    )
    is_given = _show_triage()
    folded = st.expander(say("All tools"), icon=":material/apps:") if is_given else nullcontext()
    with folded, st.grid(2, min_column_width=_NARROWEST_CARD):
        for tool in (*TOOLS, FILED_REPORTS):
            _show_tool(tool)
    most = int(st.get_option("server.maxUploadSize"))
    with st.expander(say("What happens to your data"), icon=":material/lock:"):
        st.markdown("\n".join(f"- {say(promise, megabytes=most)}" for promise in PROMISES))
    st.info(say("A PASS does not mean that the data are anonymous in law."), icon=":material/balance:")
    show_privacy_line()


def _show_triage() -> bool:
    """Ask for files, and offer the audits that fit them; return whether there are any."""
    stored = ask_for_files("home", _FILES)
    if not stored:
        return False
    line = say("{n} file", "{n} files", n=len(stored))
    with st.expander(line, icon=":material/draft:") if len(stored) > _MOST_LISTED else nullcontext():
        tables, wrong = list_given("home", "files", stored, is_table=is_table_name)
    if wrong:
        show_problems(AuditInputError(*wrong))
    given = [_given(file, table) for file, table in zip(stored, tables, strict=True)]
    keys = {file.name: file.key for file in stored}
    found = offers([file for file in given if file is not None])
    for number, offer in enumerate(found[:_OFFERED_AT_ONCE]):
        _show_offer(number, offer, keys)
    if rest := found[_OFFERED_AT_ONCE:]:
        with st.expander(say("{n} more", n=len(rest))):
            for number, offer in enumerate(rest, start=_OFFERED_AT_ONCE):
                _show_offer(number, offer, keys)
    placed = {name for offer in found for names in offer.places.values() for name in names}
    if unplaced := [file.name for file in given if file is not None and file.name not in placed]:
        show_problems(AuditInputError(*(text(_FITS_NOTHING, file=name) for name in unplaced)))
    return True


def _show_offer(number: int, offer: Offer, keys: Mapping[str, str]) -> None:
    tool = next(tool for tool in TOOLS if tool.key == offer.tool)
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        if st.button(
            say(tool.title),
            key=f"home_offer_{number}",
            type="primary" if number == 0 else "secondary",
            icon=tool.icon,
        ):
            places = {role: [keys[name] for name in names] for role, names in offer.places.items()}
            take_along("home", tool.key, places)
        st.markdown(sentence(say(offer.reason)))


def _given(stored: StoredFile, table: Dataset | None) -> GivenFile | None:
    """Return what one file is; None where it cannot be used, which is said."""
    if stored.name.lower().endswith((".json", ".html")) and is_report(stored.data):
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            if st.button(
                say(FILED_REPORTS.title), key=f"home_filed_{stored.key}", icon=":material/inventory_2:"
            ):
                take_along("home", "filed", {"files": [each.key for each in stored_files("home", "files")]})
            ours = "{file} is a report of ours: repeat it with its files, or compare it with another."
            st.markdown(sentence(say(ours, file=stored.name)))
        return None
    is_read = table is not None or not is_table_name(stored.name)
    return GivenFile(name=stored.name, table=table, data=stored.data) if is_read else None


def _show_tool(tool: Tool) -> None:
    with st.container(border=True, height="stretch", key=f"tool_{tool.key}"):
        with st.container(horizontal=True, wrap=False, gap="medium"):
            st.image(PICTURES / f"{tool.key}.svg", alt=say(tool.title), width=96)
            with st.container(gap="small"):
                st.header(say(tool.asked or tool.question), anchor=False)
                st.page_link(tool.script, label=say(tool.title), icon=tool.icon)
                st.markdown(f":material/draft: {say(tool.needs)}")
        with st.container(horizontal=True):
            for demo in tool.demos:
                if st.button(
                    say("Demo: {label}", label=own(demo.label)),
                    key=f"home_{tool.key}_{demo.key}",
                    help=say(demo.description),
                    icon=":material/science:",
                ):
                    load_demo(tool.key, demo)
                    st.switch_page(tool.script)


show_home()
