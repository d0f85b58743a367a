import threading

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs import Progress


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, " before anything was done."),
        ([1], "; what was done until then is shown."),
    ],
)
def test_ask_for_work__says_whether_stopped_work_left_anything(result: object, said: str) -> None:
    stopped = threading.Event()

    def work(progress: Progress) -> object:
        while not progress.stop_asked:
            stopped.wait(0.01)
        return result

    def page(given: object) -> None:
        import streamlit as st  # noqa: PLC0415 - an AppTest runs this function's text as a script

        from core.caching import vault  # noqa: PLC0415
        from pages.components.long_work import ask_for_work, start_work  # noqa: PLC0415

        if "begun" not in st.session_state:
            st.session_state["begun"] = True
            start_work("tool", "key", given)  # type: ignore[arg-type]
            job = vault().job("tool")
            assert job is not None
            job.stop()
            job.wait(10)
        ask_for_work("tool", "key", given, label="Start")  # type: ignore[arg-type]

    app = AppTest.from_function(page, args=(work,)).run(timeout=20)
    assert [info.value.removeprefix("Stopped after less than a second") for info in app.info] == [said]
    assert app.button(key="tool_again").label == "Start again"
