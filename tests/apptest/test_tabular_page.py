"""The tabular verifier's page as a visitor meets it."""

import json
import re
from collections.abc import Callable

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.demo import TABULAR as DEMOS
from core.processes.bounded_process import called_apart
from core.web import caching
from pages.components.navigation import HOME

PAGE = "pages/verify/tabular.py"
ROWS = range(12)
TABLE = b"id,sex,city\n" + b"".join(b"%d,%s,Celje\n" % (n, b"FM"[n % 2 : n % 2 + 1]) for n in ROWS)
GOOD = b"id,sex,city\n" + b"".join(b",%s,Celje\n" % b"FM"[n % 2 : n % 2 + 1] for n in ROWS)


def _log(stem: str, **actions: str) -> bytes:
    entries = {name: {"semantic": name, "action": action} for name, action in actions.items()}
    meta = {"mode": "low", "allow_dx": False, "source_file": f"{stem}.csv"}
    return json.dumps({"_meta": meta, "log_info": entries}).encode()


LOG = _log("a", id="drop", sex="keep", city="keep")


def _upload(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    return app.file_uploader[0].set_value([(name, data, "text/csv") for name, data in files]).run()


def _metrics(app: AppTest) -> dict[str, str]:
    return {
        metric.label.replace("\\", "").replace("\xa0", " "): metric.value.replace("\xa0", " ")
        for metric in app.metric
    }


def _headline(app: AppTest) -> str:
    return app.header[0].value.replace("\\", "").replace("\xa0", " ")


def _rule(app: AppTest) -> str:
    """Return the published rule's verdict in the card of the first file that has one."""
    said = " ".join(each.value for each in (*app.header, *app.markdown)).replace("\\", "")
    found = re.search(r"published rule(?: says|:) (PASS|WARN|NOT ASSESSED|FAIL)", said, re.IGNORECASE)
    return found[1] if found else ""


def _errors(app: AppTest) -> str:
    return (
        " ".join(error.value for error in app.error)
        .replace("\\", "")
        .replace("\xa0", " ")
        .replace("\u2060", "")
    )


def test_empty__says_what_to_upload_and_offers_demos(open_page: Callable[[str], AppTest]) -> None:
    app = open_page(PAGE)
    assert not app.exception
    assert any("Upload three files for each table" in text.value for text in app.markdown)
    assert {f"tabular_demo_{demo.key}" for demo in DEMOS} <= {button.key for button in app.button}
    assert not app.metric


def test_happy_path__shows_the_verdict_and_its_figures(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(
        open_page(PAGE), ("a.csv", TABLE), ("a_anonymized.csv", GOOD), ("a_anonymized_log.json", LOG)
    )
    assert not app.exception
    assert _rule(app) == "PASS"
    metrics = _metrics(app)
    assert metrics["Policy consistency"] == "100 %"
    assert metrics["Pattern residual"] == "0 %"
    assert metrics["Smallest group size (k)"] == "not assessed"


@pytest.mark.slow
def test_large_files__are_measured_in_a_process_of_their_own_with_the_same_result(
    open_page: Callable[[str], AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []

    def calling(function: Callable[..., object], *given: object) -> object:
        called.append(function.__name__)
        return called_apart(function, *given)

    files = ("a.csv", TABLE), ("a_anonymized.csv", GOOD), ("a_anonymized_log.json", LOG)
    here = _upload(open_page(PAGE), *files)
    st.cache_resource.clear()  # as if in another session
    monkeypatch.setattr(caching, "LIGHT_BYTES", 0)
    monkeypatch.setattr(caching, "called_apart", calling)
    there = _upload(open_page(PAGE), *files)
    assert called == ["measure_second_opinion"]
    assert _headline(there) == _headline(here)
    assert _metrics(there) == _metrics(here)
    assert [text.value for text in there.markdown] == [text.value for text in here.markdown]


def test_choosing_quasi_identifiers__assesses_the_classes(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(
        open_page(PAGE), ("a.csv", TABLE), ("a_anonymized.csv", GOOD), ("a_anonymized_log.json", LOG)
    )
    chooser = next(chooser for chooser in app.multiselect if chooser.label == "Quasi-identifiers")
    chooser.set_value(["sex", "city"]).run()
    assert _metrics(app)["Smallest group size (k)"] == "6"
    slider = app.slider(key="tabular_k").set_value(7).run()
    assert any("has 6 records\\, fewer than 7" in text.value for text in slider.markdown)


def test_one_value_left__turns_the_verdict(open_page: Callable[[str], AppTest]) -> None:
    left = GOOD.replace(b"\n,F", b"\n0,F", 1)
    app = _upload(
        open_page(PAGE), ("a.csv", TABLE), ("a_anonymized.csv", left), ("a_anonymized_log.json", LOG)
    )
    assert _rule(app) == "FAIL"


def test_second_upload__replaces_the_file_of_the_same_name(open_page: Callable[[str], AppTest]) -> None:
    left = GOOD.replace(b"\n,F", b"\n0,F", 1)
    app = _upload(
        open_page(PAGE), ("a.csv", TABLE), ("a_anonymized.csv", left), ("a_anonymized_log.json", LOG)
    )
    app = _upload(app, ("a_anonymized.csv", GOOD))
    assert _rule(app) == "PASS"


def test_page_switch__keeps_files_and_settings(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(
        open_page(PAGE), ("a.csv", TABLE), ("a_anonymized.csv", GOOD), ("a_anonymized_log.json", LOG)
    )
    app.slider(key="tabular_k").set_value(9).run()
    app.switch_page(HOME).run()
    app.switch_page(PAGE).run()
    assert _rule(app) == "PASS"
    assert app.slider(key="tabular_k").value == 9


@pytest.mark.slow
def test_page_switch__keeps_the_chosen_file(open_page: Callable[[str], AppTest]) -> None:
    three = [(f"{n}{end}", data) for n in "abc" for end, data in (
        (".csv", TABLE), ("_anonymized.csv", GOOD), ("_anonymized_log.json", _log(n, id="drop", sex="keep"))
    )]  # fmt: skip
    app = _upload(open_page(PAGE), *three)
    app.selectbox(key="tabular_file").set_value("b.csv").run()
    app.switch_page(HOME).run()
    app.switch_page(PAGE).run()
    assert app.selectbox(key="tabular_file").value == "b.csv"


def test_pairing_by_hand__takes_a_file_as_its_own_anonymized_table(
    open_page: Callable[[str], AppTest],
) -> None:
    app = _upload(open_page(PAGE), ("x.csv", TABLE), ("z.json", LOG))
    for role, name in (("original", "x.csv"), ("anonymized", "x.csv"), ("log", "z.json")):
        app.selectbox(key=f"tabular_pair_{role}").set_value(name)
    app.run()
    app.button(key="tabular_pair").click().run()
    assert _rule(app) == "FAIL"


def test_missing_partner__is_named_and_the_others_go_on(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(
        open_page(PAGE),
        ("a.csv", TABLE),
        ("a_anonymized.csv", GOOD),
        ("a_anonymized_log.json", LOG),
        ("b.csv", TABLE),
    )
    assert "1 file could not be verified" in app.header[0].value
    assert any("NOT ASSESSED" in text.value for text in app.markdown)  # a pass of one file is none of the run
    assert _rule(app) == "PASS"
    reasons = [str(row) for table in app.dataframe for row in table.value.to_dict("records")]
    assert any("b_anonymized.csv is missing" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("file", "data", "sentence"),
    [
        ("a.csv", b"", "a.csv: the file is empty (0 bytes). Export the table again."),
        ("a_anonymized.csv", b"id,sex\n1,F,3\n", "a_anonymized.csv: 1 of 1 records do not have 2 cells"),
        ("a_anonymized_log.json", b"[]", "a_anonymized_log.json"),
        ("a_anonymized.csv", b"x,y\n1,2\n", "a_anonymized.csv"),
    ],
)
def test_bad_file__is_named_and_nothing_crashes(
    open_page: Callable[[str], AppTest], file: str, data: bytes, sentence: str
) -> None:
    good = {"a.csv": TABLE, "a_anonymized.csv": GOOD, "a_anonymized_log.json": LOG}
    app = _upload(open_page(PAGE), *{**good, file: data}.items())
    assert not app.exception
    assert sentence in _errors(app)
    assert not app.metric


def test_pairing_by_hand__verifies_files_of_any_name(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(open_page(PAGE), ("x.csv", TABLE), ("y.csv", GOOD), ("z.json", LOG))
    assert not app.metric
    for role, name in (("original", "x.csv"), ("anonymized", "y.csv"), ("log", "z.json")):
        app.selectbox(key=f"tabular_pair_{role}").set_value(name)
    app.run()
    app.button(key="tabular_pair").click().run()
    assert _metrics(app)["Policy consistency"] == "100 %"
    app.button(key="tabular_unpair_x.csv").click().run()
    assert not app.metric


def test_column_names__are_shown_as_typed(open_page: Callable[[str], AppTest]) -> None:
    name = b":red[x] $y$"
    app = _upload(
        open_page(PAGE),
        ("a.csv", TABLE.replace(b"city", name)),
        ("a_anonymized.csv", GOOD.replace(b"city", name)),
        ("a_anonymized_log.json", LOG),
    )
    assert not app.exception
    assert _metrics(app)["Policy consistency"] == "100 %"
    shown = [text.value for text in app.markdown if "red" in text.value]
    assert all(":red[" not in text.replace("`:red[x] $y$`", "") for text in shown)


@pytest.mark.slow
@pytest.mark.parametrize("demo", DEMOS, ids=lambda demo: demo.key)
def test_demo__shows_a_file_of_every_kind(open_page: Callable[[str], AppTest], demo: object) -> None:
    app = open_page(PAGE)
    app.button(key=f"tabular_demo_{demo.key}").click().run()
    overview = next(table.value for table in app.dataframe if "Overall" in table.value)
    assert list(overview["Overall"]) == ["✕ FAIL", "✕ FAIL", "! WARN", "✓ PASS"]
    rule, ours = overview["Published rule"], overview["Second opinion"]
    disagreeing = overview[rule.str.endswith("PASS") & ours.str.endswith("FAIL")]
    assert len(disagreeing) == 1
    assert (
        app.header[0].value.replace("\\", "").replace("\xa0", " ")
        == "4 files verified: 2 FAIL, 1 WARN, 1 PASS."
    )
    assert app.selectbox(key="tabular_file").value == overview["File"][0]


def test_column_map__tells_of_every_column_and_opens_its_findings(
    open_page: Callable[[str], AppTest],
) -> None:
    left = GOOD.replace(b"\n,F", b"\n0,F", 1)
    app = _upload(
        open_page(PAGE), ("a.csv", TABLE), ("a_anonymized.csv", left), ("a_anonymized_log.json", LOG)
    )
    shown = next(table for table in app.dataframe if "Was it done?" in table.value)
    assert list(shown.value["Column"]) == ["id", "sex", "city"]
    assert list(shown.value["Was it done?"]) == ["✕ no", "✓ yes", "✓ yes"]
    assert shown.value["Left unchanged?"][1] == "12 of 12 (100 %)"
    app.session_state["tabular_column_a.csv"] = "id"
    app.run()
    told = "1 of 12 (8.3 %) values remain although `drop` is logged"
    assert sum(told in text.value.replace("\\", "").replace("\xa0", " ") for text in app.markdown) == 2


def test_files_that_cannot_be_verified__stand_in_the_list_with_their_cause(
    open_page: Callable[[str], AppTest],
) -> None:
    good = [("a.csv", TABLE), ("a_anonymized.csv", GOOD), ("a_anonymized_log.json", LOG)]
    broken = [("b.csv", b"%PDF-1.7 scanned"), ("c.csv", TABLE), ("c_anonymized.csv", b"")]
    app = _upload(open_page(PAGE), *good, *broken, ("c_anonymized_log.json", _log("c", id="drop")))
    listed = next(table.value for table in app.dataframe if "Why" in table.value)
    why = dict(zip(listed["File"], listed["Why"], strict=True))
    assert "PDF" in why["b.csv"]
    assert "the file is empty" in why["c.csv"]
    assert list(listed["Overall"]) == ["? NOT ASSESSED"] * 3
    assert _headline(app).endswith("2 files could not be verified.")


def test_tables_without_a_log__are_sent_to_the_tools_that_need_none(
    open_page: Callable[[str], AppTest],
) -> None:
    app = _upload(open_page(PAGE), ("a.csv", TABLE), ("a_anonymized.csv", GOOD))
    assert any("**Row leakage**" in told.value for told in app.info)
    assert not app.metric
    assert not any(box.key == "tabular_pair_log" for box in app.selectbox)


def test_log__is_made_on_the_page_from_two_tables(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(open_page(PAGE), ("a.csv", TABLE), ("a_for_publication.csv", GOOD))
    assert not app.error
    app.button(key="tabular_log_made").click().run()
    assert not app.exception
    assert _rule(app) == "PASS"
    assert any("The log was made here" in text.value for text in app.caption)
    assert not any(button.key == "tabular_log_made" for button in app.button)


def test_log__as_a_table_is_found_among_the_files_and_proposed_for_pairing(
    open_page: Callable[[str], AppTest],
) -> None:
    log = b"variable,method\nid,removed\nsex,kept\ncity,kept\n"
    app = _upload(open_page(PAGE), ("a.csv", TABLE), ("a_anon.csv", GOOD), ("what_was_done.csv", log))
    chosen = {
        part: app.selectbox(key=f"tabular_pair_{part}").value for part in ("original", "anonymized", "log")
    }
    assert chosen == {"original": "a.csv", "anonymized": "a_anon.csv", "log": "what_was_done.csv"}
    app.button(key="tabular_pair").click().run()
    assert not app.exception
    assert _metrics(app)["Policy consistency"] == "100 %"


def test_evidence__is_masked_until_asked_for(open_page: Callable[[str], AppTest]) -> None:
    left = GOOD.replace(b"\n,F", b"\n0,F", 1)
    app = _upload(
        open_page(PAGE), ("a.csv", TABLE), ("a_anonymized.csv", left), ("a_anonymized_log.json", LOG)
    )

    def shown() -> list[str]:
        return next(list(t.value["Anonymized value"]) for t in app.dataframe if "Record" in t.value)

    app.selectbox(key="tabular_evidence_a.csv").set_value("Column check of id").run()
    assert shown() == ["9"]
    app.toggle(key="tabular_reveal").set_value(True).run()
    assert shown() == ["0"]


def test_patterns__can_be_switched_and_the_page_says_so(open_page: Callable[[str], AppTest]) -> None:
    addresses = GOOD.replace(b"Celje", b"10.0.0.1")
    app = _upload(
        open_page(PAGE),
        ("a.csv", TABLE.replace(b"Celje", b"10.0.0.1")),
        ("a_anonymized.csv", addresses),
        ("a_anonymized_log.json", LOG),
    )
    assert _rule(app) == "PASS"
    app.multiselect(key="tabular_patterns").set_value(["ipv4"])
    next(button for button in app.button if button.label == "Scan again").click().run()
    assert _rule(app) == "FAIL"
    assert _metrics(app)["Pattern residual"] == "50.0 %"
    assert any("not the published one any more" in warning.value for warning in app.warning)


def test_files_that_are_no_tables__are_told_once_and_first(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(open_page(PAGE), ("a.csv", TABLE), ("b.csv", b"%PDF-1.7\n1 0 obj\n"))
    assert len(app.error) == 1
    assert _errors(app).startswith("b.csv: the file is a PDF document, not a table.")
    assert "a.csv was not verified. a_anonymized.csv is missing." in _errors(app)
    assert not app.expander[0].proto.expanded  # there is nothing to pair


def test_one_file_beside_others_left_out__is_counted_above_and_told_below(
    open_page: Callable[[str], AppTest],
) -> None:
    given = ("a.csv", TABLE), ("a_anonymized.csv", GOOD), ("a_anonymized_log.json", LOG), ("b.csv", TABLE)
    app = _upload(open_page(PAGE), *given)
    first, second = (header.value.replace("\\", "") for header in app.header[:2])
    assert first == "1 file verified: 1 NOT ASSESSED. 1 file could not be verified."
    assert second
    assert _rule(app) == "PASS"


@pytest.mark.slow
def test_removing_a_file__leaves_the_others(open_page: Callable[[str], AppTest]) -> None:
    app = open_page(PAGE)
    app.button(key=f"tabular_demo_{DEMOS[0].key}").click().run()
    app.selectbox(key="tabular_file").set_value("survey.csv").run()
    removing = [button for button in app.button if button.key.startswith("tabular_files_remove_")]
    names = {button.help.replace("\\", "").replace("\xa0", " "): button for button in removing}
    names["Forget survey.csv"].click().run()
    assert not app.exception
    assert any("survey" in str(table.value.to_dict()) and "Why" in table.value for table in app.dataframe)


def test_delete_my_data__forgets_files(open_page: Callable[[str], AppTest]) -> None:
    app = _upload(
        open_page(PAGE), ("a.csv", TABLE), ("a_anonymized.csv", GOOD), ("a_anonymized_log.json", LOG)
    )
    app.button(key="delete_my_data").click().run()
    assert not app.metric
    assert any("Upload three files for each table" in text.value for text in app.markdown)


def test_log_with_half_a_character__is_shown_with_a_sign_in_its_place(
    open_page: Callable[[str], AppTest],
) -> None:
    table, log = b"age,sex\n30,F\n40,M\n", b'{"log_info": {"a\\ud800": "\\udfff"}}'
    app = _upload(
        open_page(PAGE), ("x.csv", table), ("x_anonymized.csv", table), ("x_anonymized_log.json", log)
    )
    assert not app.exception
    assert any("a\N{REPLACEMENT CHARACTER}" in each.value for each in app.markdown)
