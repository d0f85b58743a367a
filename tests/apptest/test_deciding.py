"""A filed report is decided on in its page, and the decided one is checked again."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from streamlit.testing.v1 import AppTest

from core.filed.deciding import Decision, decide
from core.filed.signing import new_key, read_private_key, sign, signer_line
from core.reports import render
from core.verdict import worst_first
from pages.components.navigation import FILED
from tests import report_examples as examples

Open = Callable[[str], AppTest]
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
    assert labels == ["Decided report", "evidence.zip"]
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
    other = decide(REPORT, replace(DECISION, reason="Else"), name="report.json")
    shown = _dropped(open_page, d__json=other, d__json__sig=signature, allowed_signers=lists["ana"])
    assert "the signature is not of this decided report" in shown
    assert "No signature is here." in _dropped(open_page, d__json=data)
