"""Home: the questions the tools answer, one-click demos, and what happens to the data."""

import streamlit as st

from core.words import own, say
from pages.components.inputs import load_demo, show_privacy_line
from pages.components.navigation import TOOLS, Tool

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
    st.title("AnonAudit")
    st.markdown(
        say(
            "Somebody says the data are anonymized. Find out on your own machine: was it done, what is left, "
            "what is the risk, and which settings would be better?"
        )
    )
    for start in range(0, len(TOOLS), 2):
        for place, tool in zip(st.columns(2), TOOLS[start : start + 2], strict=False):
            with place:
                _show_tool(tool)
    _show_privacy()
    show_privacy_line()


def _show_tool(tool: Tool) -> None:
    with st.container(border=True, height="stretch", key=f"tool_{tool.key}"):
        st.header(say(tool.question), anchor=False)
        st.page_link(tool.script, label=say("Open: {title}", title=own(tool.title)), icon=tool.icon)
        st.markdown(say("You need: {needs}", needs=own(tool.needs)))
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


def _show_privacy() -> None:
    st.header(say("What happens to your data"), anchor=False)
    most = int(st.get_option("server.maxUploadSize"))
    st.markdown("\n".join(f"- {say(promise, megabytes=most)}" for promise in PROMISES))
    st.info(
        say(
            "No result here means that data are anonymous in the legal sense. It says what was checked, and "
            "what was found."
        ),
        icon=":material/balance:",
    )


show_home()
