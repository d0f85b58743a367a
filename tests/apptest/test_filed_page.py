"""The page of filed reports as a visitor meets it."""

import hashlib
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import structs
from streamlit.testing.v1 import AppTest

from core.__main__ import main
from core.filed.deciding import Decision, decide
from core.filed.signing import new_key, read_private_key, sign, signer_line
from core.releases import ReleasedTable, new_ledger
from core.reports import render
from core.verdict import Verdict, worst_first
from pages.components.navigation import FILED, HOME
from tests import report_examples as examples
from tests.apptest.test_choices import finished
from tests.kinds import Open
from tests.releases_examples import ROLES, Row, table

EXAMPLES = Path(__file__).parents[1] / "filed_examples"
FILES = ("people.csv", "people_scrambled.csv")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a report that was just made."""
    folder = tmp_path_factory.mktemp("filed")
    words = [str(EXAMPLES / name) for name in FILES]
    main(["leakage", *words, "--random-orders", "50", "--report", str(folder), "--formats", "json"])
    (path,) = folder.glob("*.json")
    return path.read_bytes()


def _with(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    given = [(name, data, "application/octet-stream") for name, data in files]
    app = app.file_uploader[0].set_value(given).run()
    assert not app.exception
    return app


def _inputs() -> list[tuple[str, bytes]]:
    return [(f"renamed_{name}", (EXAMPLES / name).read_bytes()) for name in FILES]


def _repeated(app: AppTest) -> AppTest:
    app = finished(app.button(key="filed_start").click().run())
    assert not app.exception
    return app


@pytest.mark.slow
def test_filed__repeats_a_report_on_files_of_other_names(open_page: Open, report: bytes) -> None:
    app = _with(open_page(FILED), ("filed.json", report), *_inputs())
    assert "FAIL" in " ".join(each.value for each in app.markdown)
    app = _repeated(app)
    assert app.success[0].value.startswith("**SAME**")
    given = [list(each.value.iloc[:, 2]) for each in app.dataframe if each.value.shape[1] > 2]
    assert [f"renamed_{name}" for name in FILES] in given


def test_filed__says_what_was_changed_and_where(open_page: Open, report: bytes) -> None:
    document = json.loads(report)
    document["settings_said"]["Seed"] = 77
    app = _with(open_page(FILED), ("filed.json", json.dumps(document).encode()), *_inputs())
    assert app.error[0].value.endswith("changed since it was made\\, in\\: settings\\_said\\.")
    app = _repeated(app)
    assert app.error[1].value.startswith("**DIFFERENT**")
    assert app.dataframe[0].value.to_numpy().tolist() == [["settings_said › Seed", "77", "0"]]


def test_filed__says_which_file_is_missing(open_page: Open, report: bytes) -> None:
    app = _repeated(_with(open_page(FILED), ("filed.json", report), _inputs()[0]))
    assert "people\\_scrambled\\.csv" in app.error[0].value


def test_filed__compares_two_reports(open_page: Open, report: bytes) -> None:
    old = (EXAMPLES / "report.json").read_bytes()
    app = _with(open_page(FILED), ("new.json", report), ("old.json", old))
    assert app.selectbox(key="filed_before").value == "old.json"
    assert any("FAIL → FAIL" in each.value for each in app.markdown)


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"PK\x03\x04x", "is an archive"), (b'{"tool": 1', "not whole JSON"), (b"{}", "no report of AnonAudit")],
)
def test_filed__says_in_one_sentence_what_is_no_report(open_page: Open, data: bytes, said: str) -> None:
    app = _with(open_page(FILED), ("filed.json", data))
    assert said in app.error[0].value


_HOSTILE = (
    "![x](http://evil.example/x.png) [y](javascript:z) <img src=q onerror=z> :red[w] "
    ":material/bug: $v$\n# `u`"
)


def test_filed__shows_what_a_report_holds_as_text(open_page: Open, report: bytes) -> None:
    def hostile(part: object) -> object:
        if isinstance(part, list):
            return [hostile(each) for each in part]
        if isinstance(part, dict):
            return {name: hostile(each) for name, each in part.items()}
        return f"{_HOSTILE} {part}" if isinstance(part, str) else part

    document = json.loads(report)
    for part in ("findings", "inputs", "settings", "limits", "question", "headline"):
        if part in document:
            document[part] = hostile(document[part])
    document["findings"] = [
        each | {"verdict": old["verdict"]}
        for each, old in zip(document["findings"], json.loads(report)["findings"], strict=True)
    ]
    document["inputs"] = [
        each | {"sha256": old["sha256"]}
        for each, old in zip(document["inputs"], json.loads(report)["inputs"], strict=True)
    ]
    name = f"{_HOSTILE.replace('/', '_')}.json"
    files = ((name, json.dumps(document).encode()), ("b.json", report))
    for page in (HOME, FILED):
        app = _with(open_page(page), *files)
        shown = [
            app.markdown,
            app.error,
            app.warning,
            app.info,
            app.success,
            app.header,
            app.subheader,
            app.caption,
        ]
        words = " ".join(str(each.value) for several in shown for each in several)
        assert "evil" in words
        assert not re.search(r"(?<!\\)(!\[x|\]\(|<img|:red\[|:material/bug|\$v)", words)


def test_home__takes_a_report_and_its_files_along(open_page: Open, report: bytes) -> None:
    app = _with(open_page(HOME), ("filed.json", report), *_inputs())
    (button,) = [each for each in app.button if each.key and each.key.startswith("home_filed_")]
    app = button.click().run()
    assert not app.exception
    assert app.title[0].value == "Check or sign off a report"
    assert app.button(key="filed_start")


REPORT = render(examples.report(), "json")
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
DECISION = Decision(outcome="rejected", by="Ana Novak", at=NOON, reason="Too early")


def _given(open_page: Open, data: bytes, name: str = "report.json") -> AppTest:
    app = open_page(FILED)
    return app.file_uploader[0].set_value((name, data, "application/json")).run()


def _shown(app: AppTest) -> str:
    assert not app.exception
    said = (app.success, app.error, app.warning, app.info)
    parts = [
        *app.markdown,
        *app.header,
        *app.subheader,
        *app.caption,
        *(each for kind in said for each in kind),
    ]
    return "\n".join(str(part.value) for part in parts).replace("\\", "").replace("\u2060", "")


def _decide(app: AppTest, outcome: str, by: str, reason: str) -> AppTest:
    radio = next(each for each in app.radio if "outcome" in each.key)
    if outcome:
        radio.set_value(outcome)
    next(each for each in app.text_input if each.key == "filed_by").set_value(by)
    next(each for each in app.text_area if "reason" in each.key).set_value(reason)
    return next(each for each in app.button if each.label == "Decide").click().run()


def test_deciding__shows_what_a_report_says_and_what_was_decided(open_page: Open) -> None:
    app = _given(open_page, REPORT)
    shown = _shown(app)
    report = json.loads(REPORT)
    assert report["headline"].replace("`", "") in shown.replace("`", "")
    assert "What was decided" not in shown
    shown = _shown(_decide(app, "approved", "Ana Novak", "Inside only"))
    assert "Approved by Ana Novak on " in shown
    assert "Inside only" in shown
    assert "Approved although" in shown
    labels = [each.label for each in app.get("download_button")]
    assert labels == ["Decided report", "Evidence package (ZIP)"]
    app.switch_page("pages/start/home.py").run()
    app.switch_page(FILED).run()
    assert "Approved by Ana Novak on " in _shown(app)


def test_deciding__says_what_a_decision_lacks(open_page: Open) -> None:
    app = _given(open_page, REPORT)
    assert "Choose what is decided: approve, reject, or return." in _shown(_decide(app, "", "Ana", "so"))
    shown = _shown(_decide(app, "returned", " ", "so"))
    assert "The name of who decides is missing; a decision needs it." in shown
    assert "What was decided" not in shown


def test_deciding__accepts_findings_with_a_reason(open_page: Open) -> None:
    app = _given(open_page, REPORT)
    key = f"filed_accepted_2_{hashlib.sha256(REPORT).hexdigest()}"
    app.text_input(key=key).set_value("known to the board")
    shown = _shown(_decide(app, "approved", "Ana Novak", "so"))
    assert "Reason: known to the board" in shown


def test_deciding__has_the_field_of_the_finding_that_the_card_says_in_sight(open_page: Open) -> None:
    report = examples.report()
    found = worst_first(report.findings)
    data = render(replace(report, findings=found, headline=found[0].message), "json")
    app = _given(open_page, data)
    key = f"filed_accepted_1_{hashlib.sha256(data).hexdigest()}"
    assert key in [each.key for each in app.text_input]
    assert key not in [each.key for drawer in app.expander for each in drawer.text_input]


def test_deciding__reads_a_decided_report_and_refuses_a_changed_one(open_page: Open) -> None:
    data = decide(REPORT, DECISION, name="report.json")
    shown = _shown(_given(open_page, data, "report_decided.json"))
    assert "Rejected by Ana Novak on 2026-11-23: Too early" in shown
    assert "The file is byte for byte as it was written." in shown
    changed = data.replace(b"Too early", b"Too laxly")
    shown = _shown(_given(open_page, changed, "report_decided.json"))
    assert "report_decided.json was changed since it was decided, or damaged" in shown
    assert "Rejected" not in shown


def test_deciding__refuses_what_is_no_report(open_page: Open) -> None:
    shown = _shown(_given(open_page, REPORT[:3000], "cut.json"))
    assert "cut.json is not whole JSON" in shown
    document = {**json.loads(REPORT), "verdict": "PASS"}
    edited = (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()
    shown = _shown(_given(open_page, edited, "edited.json"))
    assert "edited.json was changed since it was made (verdict); nothing is decided on it." in shown
    assert "What was decided" not in shown


def _dropped(open_page: Open, **files: bytes) -> str:
    app = open_page(FILED)
    given = [(name.replace("__", "."), data, "application/octet-stream") for name, data in files.items()]
    return _shown(app.file_uploader[0].set_value(given).run())


def test_deciding__checks_a_signature_and_whose_it_is(open_page: Open) -> None:
    data = decide(REPORT, DECISION, name="report.json")
    ana, eve = new_key(), new_key()
    signature = sign(data, read_private_key(ana.private, name="key"))
    lists = {each: signer_line("ana@x", pair.public).encode() for each, pair in (("ana", ana), ("eve", eve))}
    of_report = {"d__json": data, "d__json__sig": signature}
    assert "Whose it is was not checked" in _dropped(open_page, **of_report)
    shown = _dropped(open_page, **of_report, allowed_signers=lists["ana"])
    assert f"Signed by ana@x, key {ana.fingerprint}." in shown
    public = ana.public.encode() + b" Ana\n"
    assert f"Signed by ana.pub, key {ana.fingerprint}." in _dropped(open_page, **of_report, ana__pub=public)
    shown = _dropped(open_page, **of_report, allowed_signers=lists["eve"])
    assert "does not list for decided reports" in shown
    assert "Rejected" not in shown
    other = decide(REPORT, structs.replace(DECISION, reason="Else"), name="report.json")
    shown = _dropped(open_page, d__json=other, d__json__sig=signature, allowed_signers=lists["ana"])
    assert "the signature is not of this decided report" in shown
    assert "No signature is here." in _dropped(open_page, d__json=data)


HEADER = "pid,age,sex,diagnosis"
GROUPS = [(age, sex) for age in ("20-29", "30-39", "40-49") for sex in "FM"]
EARLIER: list[Row] = [
    (f"p{number}", *GROUPS[number % 6], ("flu", "asthma", "none")[number // 6 % 3]) for number in range(360)
]
LATER: list[Row] = [*EARLIER, ("n1", "20-29", "F", "flu"), ("n2", "20-29", "F", "flu")]


def _file(
    name: str, rows: list[Row], *, columns: slice = slice(None), head: str = HEADER
) -> tuple[str, bytes, str]:
    lines = [head, *(",".join(row[columns]) for row in rows)]
    return name, ("\n".join(lines) + "\n").encode(), "text/csv"


def _ledger() -> tuple[str, bytes, str]:
    released = ReleasedTable(name="january", dataset=table(EARLIER), roles=ROLES)
    return "ledger.json", new_ledger([released], k=5), "application/json"


def _uploader(app: AppTest, label: str) -> int:
    return next(at for at, each in enumerate(app.file_uploader) if each.label.startswith(label))


def _give(app: AppTest, label: str, *files: tuple[str, bytes, str]) -> AppTest:
    return app.file_uploader[_uploader(app, label)].set_value([*files]).run()


def _texts(app: AppTest) -> str:
    found = [*app.markdown, *app.header, *app.subheader, *app.caption, *app.info, *app.error]
    return " ".join(text.value for text in found).replace("\\", "").replace("\xa0", " ").replace("\u2060", "")


def _risk(open_page: Open) -> AppTest:
    app = open_page("pages/measure/risk.py")
    return app.file_uploader[0].set_value([_file("february.csv", LATER)]).run()


_TABLES = "Tables of earlier releases"


@pytest.mark.parametrize("given", [_file("january.csv", EARLIER), _ledger()])
def test_risk_page__fails_beside_an_earlier_release(open_page: Open, given: tuple[str, bytes, str]) -> None:
    app = _risk(open_page)
    assert not app.exception
    assert "gives `diagnosis` of" not in _texts(app)
    app = _give(app, _TABLES, given)
    assert not app.exception
    assert "gives diagnosis of 2 of 2 new" in _texts(app).replace("`", "")
    shown = {metric.label: (metric.value, metric.delta) for metric in app.metric}
    assert shown["Newcomers whose value follows"] == ("100\u00a0%", "FAIL · none allowed")
    assert "Held against 1 table of earlier releases: FAIL." in _texts(app)


def test_risk_page__subtracts_an_earlier_table_of_counts(open_page: Open) -> None:
    table = "region,diagnosis,n\nA,flu,20\nA,cold,12\nA,Total,32\nB,flu,30\nB,cold,12\nB,Total,42\n"
    earlier = table.replace("flu,20", "flu,18").replace("32", "30")
    app = (
        open_page("pages/measure/risk.py")
        .file_uploader[0]
        .set_value([("may.csv", table.encode(), "text/csv")])
        .run()
    )
    app = app.button(key="risk_as_counts").click().run()
    assert "in another table" not in _texts(app)
    app = _give(app, _TABLES, ("april.csv", earlier.encode(), "text/csv"), _ledger())
    assert not app.exception
    assert "that of the same cell in another table: 2" in _texts(app)
    assert "is a ledger of persons" in _texts(app)


def test_risk_page__names_a_ledger_that_was_cut_short_and_goes_on(open_page: Open) -> None:
    name, data, kind = _ledger()
    app = _give(_risk(open_page), _TABLES, (name, data[:100], kind), _file("january.csv", EARLIER))
    assert not app.exception
    assert "is no ledger, or was cut short" in _texts(app)
    assert "Held against 1 table of earlier releases: FAIL." in _texts(app)


def test_dataset_page__holds_tables_against_earlier_ones(open_page: Open) -> None:
    app = open_page("pages/measure/dataset.py")
    visits = [(row[0], "AB"[number % 2]) for number, row in enumerate(LATER)]
    app = app.file_uploader[0].set_value(
        [_file("persons.csv", LATER), _file("visits.csv", visits, head="pid,ward")]
    )
    app = app.run()
    assert not app.exception
    app = _give(app, _TABLES, _file("persons.csv", EARLIER))
    assert not app.exception
    assert "Held against 1 table of earlier releases: FAIL." in _texts(app)
    assert "2 of 2 newcomers" in _texts(app)


def test_filed__has_every_finding_with_its_field_in_sight_in_the_order_of_the_report(open_page: Open) -> None:
    finding = examples.report().findings[0]
    many = [
        replace(finding, message=f"Finding of row {number}.", verdict=verdict)
        for number, verdict in enumerate((Verdict.WARN, *[Verdict.FAIL] * 5, Verdict.PASS), start=1)
    ]
    data = render(replace(examples.report(), findings=many), "html")
    app = _with(open_page(FILED), ("report.html", data))
    fields = [each.label for each in app.text_input if "accepted" in each.label]
    assert fields == [f"Finding {number} is accepted because" for number in range(1, len(many) + 1)]
    folded = [each.label for fold in app.expander for each in fold.text_input]
    assert folded == []


def test_filed__keeps_the_worst_of_long_findings_in_sight_and_the_others_one_click_away(
    open_page: Open,
) -> None:
    finding = examples.report().findings[0]
    verdicts = (Verdict.PASS, Verdict.WARN, Verdict.FAIL, Verdict.FAIL)
    long = [
        replace(finding, message=f"Row {number}" + " is long" * 20, verdict=each)
        for number, each in enumerate(verdicts, start=1)
    ]
    data = render(replace(examples.report(), findings=long), "html")
    app = _with(open_page(FILED), ("report.html", data))
    folded = {each.label for fold in app.expander for each in fold.text_input}
    assert folded == {f"Finding {number} is accepted because" for number in (1, 2)}
    fields = [each.label for each in app.text_input if "accepted" in each.label]
    assert [each for each in fields if each not in folded] == [
        f"Finding {number} is accepted because" for number in (3, 4)
    ]
    assert "2 more" in [fold.label for fold in app.expander]
