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


def test_ask_for_work__keeps_what_former_settings_gave_in_grey_until_it_starts_again() -> None:
    def page() -> None:
        import streamlit as st  # noqa: PLC0415 - an AppTest runs this function's text as a script

        from core.caching import vault  # noqa: PLC0415
        from pages.components.long_work import ask_for_work, greyed_out  # noqa: PLC0415

        inputs = st.text_input("file", "a")
        key = f"{inputs} {st.number_input('k', value=2, step=1)}"
        if (running := vault().job("tool")) is not None:
            running.wait(10)
        job = ask_for_work("tool", key, lambda _: key, label="Start", inputs=inputs)
        if job is not None:
            with greyed_out("tool", when=job.key != key):
                st.code(job.result)

    app = AppTest.from_function(page).run(timeout=20)
    assert not app.warning
    app.button(key="tool_start").click().run()
    assert [code.value for code in app.code] == ["a 2"]
    assert not app.html
    app.number_input[0].set_value(3).run()
    assert [code.value for code in app.code] == ["a 2"]
    assert "grayscale" in app.html[0].value
    assert app.warning[0].value.startswith("Settings changed")
    app.button(key="tool_start").click().run()
    assert [code.value for code in app.code] == ["a 3"]
    assert not app.warning
    app.number_input[0].set_value(2).run()
    app.text_input[0].set_value("b").run()
    assert not app.code
    assert not app.warning
