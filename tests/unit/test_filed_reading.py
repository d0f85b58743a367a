"""Reading a filed report: what it says, whether it was changed, and what cannot be read."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from core.__main__ import main
from core.errors import AuditInputError
from core.filed import compare_reports, read_report, reading
from core.reports import content_digest, render_json
from core.verdict import Finding, Verdict
from core.words import say, speaking, text
from tests import report_examples as examples

EXAMPLES = Path(__file__).parents[1] / "filed_examples"


def changed(**parts: object) -> bytes:
    """Return a report with parts changed by hand."""
    document = json.loads(render_json(examples.report()))
    return json.dumps({**document, **parts}, ensure_ascii=False).encode()


def problem_of(data: bytes, name: str = "filed.json") -> str:
    """Return the one sentence that a report is refused with."""
    with pytest.raises(AuditInputError) as refused:
        read_report(data, name=name)
    (problem,) = refused.value.problems
    return problem


def test_read_report__gives_what_was_written():
    report = examples.report()
    filed = read_report(render_json(report), name="filed.json")
    assert filed.tool == report.tool
    assert filed.verdict is Verdict.FAIL
    assert filed.changed == ()
    assert filed.format == 2
    assert filed.digest == content_digest(report) == filed.document["content_digest"]
    assert [figure.value for figure in filed.figures][:1] == [report.figures[0].value]
    assert [finding.check for finding in filed.findings] == [finding.check for finding in report.findings]
    assert [facts.sha256 for facts in filed.inputs] == [facts.sha256 for facts in report.inputs]


def test_read_report__reads_the_form_of_version_0_1():
    filed = read_report(EXAMPLES / "report_0_1.json")
    assert (filed.tool, filed.version, filed.format) == ("leakage", "0.1.0", 1)
    assert filed.verdict is Verdict.FAIL
    assert filed.changed == ()  # it holds no digests
    assert filed.arguments == ()
    assert len(filed.inputs) == 2


@pytest.mark.parametrize("part", ["verdict", "settings", "figures", "inputs", "created_at", "command"])
def test_read_report__tells_which_part_was_changed(part):
    document = json.loads(render_json(examples.report()))
    other = {
        "verdict": "PASS",
        "settings": {**document["settings"], "k": 99},
        "figures": document["figures"][1:],
        "inputs": [{**document["inputs"][0], "n_bytes": 7}, *document["inputs"][1:]],
        "created_at": "2025-01-01T00:00:00Z",
        "command": "python -m core other",
    }[part]
    assert read_report(changed(**{part: other}), name="x").changed == (part,)


def test_read_report__tells_a_part_that_was_added_or_taken_away():
    assert read_report(changed(comment="approved"), name="x").changed == ("comment",)
    document = json.loads(render_json(examples.report()))
    del document["digests"]["figures"]
    assert read_report(json.dumps(document).encode(), name="x").changed == ("figures",)
    assert read_report(changed(content_digest="0" * 64), name="x").changed == ("content_digest",)


@pytest.mark.parametrize(
    "data", [render_json(examples.report())[:-500], b"", b"<!doctype html>", b"[" * 9999]
)
def test_read_report__refuses_what_is_not_whole(data):
    assert problem_of(data) == (
        "filed.json is not whole JSON: it was cut short or changed. Take it again from where it was filed; "
        "of a report, give the JSON."
    )


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"PK\x03\x04rest", "filed.json is an archive. Unpack it, and give the JSON report that is in it."),
        (b"[1]", "filed.json is JSON, but no report of AnonAudit."),
        (b'{"tool": "risk"}', "filed.json is JSON, but no report of AnonAudit."),
        (b'{"a": 1, "a": 2}', "filed.json names a part twice, as no report does."),
        (
            changed(report_format=3, versions={"anonaudit": "0.9.0"}),
            (
                "filed.json was written by AnonAudit 0.9.0, in a newer form than version 0.1.0 reads. "
                "Read it with that version."
            ),
        ),
        *(
            (
                changed(**{part: value}),
                f"filed.json: “{part}” is not what a report holds there; it was changed by hand, or damaged.",
            )
            for part, value in (
                ("figures", {}),
                ("figures", [{"measure": "k"}]),
                ("findings", [{"check": "x"}]),
                ("inputs", [1]),
                ("verdict", "FINE"),
                ("verdicts", {"x": "FINE"}),
                ("verdicts", {"x": {}}),
                ("versions", {"x": 1}),
                ("arguments", [["k", 1]]),
                ("digests", []),
                ("report_format", "2"),
            )
        ),
    ],
)
def test_read_report__refuses_what_is_no_report_of_ours(data, problem):
    assert problem_of(data) == problem


def test_read_report__refuses_a_file_that_is_not_there(tmp_path):
    with pytest.raises(AuditInputError, match="cannot be read"):
        read_report(tmp_path / "nowhere.json")


def test_worker__finds_each_part_that_does_not_hold() -> None:
    whole = render_json(examples.report())
    answer, _ = reading.read_for_other(pa.py_buffer(whole), name="r.json")
    assert answer["changed"] == []
    odd: list[bytes] = [
        whole[:-40],
        b"[]",
        b'{"a": 1, "a": 2}',
        b'{"a": NaN}',
        changed(report_format=99),
        changed(report_format="1"),
        changed(verdict="GOOD"),
        changed(verdicts={"rule": "GOOD"}),
        changed(versions={"anonaudit": 1}),
        changed(inputs=[{"role": "table"}]),
        changed(figures=[{"measure": "k"}]),
        changed(findings=[{"check": "k"}]),
        changed(findings=[{**json.loads(whole)["findings"][0], "columns": "age"}]),
        changed(findings=[{**json.loads(whole)["findings"][0], "remedy": 1}]),
        changed(tables={}),
    ]
    for data in odd:
        with pytest.raises(AuditInputError, match=r"r\.json"):
            reading.read_for_other(pa.py_buffer(data), name="r.json")


def _with_said(tmp_path: Path, message: str, made_of: object) -> str:
    document = json.loads(render_json(examples.report()))
    document["findings"][0] |= {"message": message, "message_said": made_of}
    path = tmp_path / "said.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return read_report(path).findings[0].message


def test_read_report__says_findings_in_the_language_of_the_page(tmp_path: Path) -> None:
    words = text("{file} has no partner and was not verified.", file="a.vcf")
    report = examples.replaced(
        examples.report(),
        findings=(Finding(check="unmatched_file", verdict=Verdict.NOT_ASSESSED, message=words),),
        headline=words,
    )
    path = tmp_path / "report.json"
    path.write_bytes(render_json(report))
    filed = read_report(path)
    for told in (filed.findings[0].message, filed.headline):
        assert told == "a.vcf has no partner and was not verified."
        with speaking("ko"):
            assert say(told) != told
            assert "a.vcf" in say(told)


def _nested(depth: int) -> dict[str, object]:
    inner = _nested(depth - 1) if depth else "x"
    return {"message": "{a}" * 10, "plural": "", "n": None, "values": {"a": inner}}


@pytest.mark.parametrize(
    "made_of",
    [
        {"message": "{n} is fine.", "plural": "", "n": None, "values": {"n": "All"}},  # another sentence
        {"message": "{n.__class__}", "plural": "", "n": None, "values": {"n": "x"}},
        {"message": "{n:>999999999}", "plural": "", "n": None, "values": {"n": "x"}},
        {"message": "Bad.", "plural": "", "n": "x", "values": {}},
        {"message": 3, "plural": "", "n": None, "values": {}},
        {"message": "Bad.", "plural": ""},
        {"written": ["Bad."]},
        {"message": "{a}", "plural": "", "n": None, "values": {"a": None}},
        _nested(30),
        [],
        "Good.",
    ],
)
def test_read_report__leaves_words_aside_that_do_not_make_the_sentence(
    made_of: object, tmp_path: Path
) -> None:
    told = _with_said(tmp_path, "Bad.", made_of)
    assert str(told) == "Bad."
    with speaking("sl"):
        assert say(told) == "Bad."


OLD = Path(__file__).parents[1] / "filed_examples/report_0_1.json"


def variant(path: Path, **parts: object) -> Path:
    """Write the example report with other parts."""
    document = json.loads(OLD.read_text(encoding="utf-8"))
    path.write_text(json.dumps(document | parts), encoding="utf-8")
    return path


def figures(**values: float | None) -> list[dict[str, object]]:
    """Return the example's figures with some values changed."""
    document = json.loads(OLD.read_text(encoding="utf-8"))
    return [each | {"value": values.get(each["measure"], each["value"])} for each in document["figures"]]


def test_compare_reports__finds_nothing_between_a_report_and_itself():
    report = read_report(OLD)
    found = compare_reports(report, report)
    assert not found.is_worse
    assert {each.direction for each in (*found.verdicts, *found.figures)} == {"same"}
    assert (found.findings_gone, found.findings_come, found.settings, found.inputs) == ((), (), (), ())


def test_compare_reports__tells_better_from_worse_by_the_measure(tmp_path):
    after = variant(tmp_path / "after.json", figures=figures(full_leakage_share=0.9, linkage_share=0.0))
    found = {each.name: each for each in compare_reports(read_report(OLD), read_report(after)).figures}
    assert found["Full leakage"].direction == "worse"
    assert found["Linkage of two halves"].direction == "better"


def test_compare_reports__calls_what_is_not_assessed_neither_better_nor_worse(tmp_path):
    after = variant(tmp_path / "after.json", figures=figures(full_leakage_share=None))
    changes = compare_reports(read_report(OLD), read_report(after)).figures
    assert {each.name: each.direction for each in changes}["Full leakage"] in {"changed", "same"}
    assert all(each.direction != "better" for each in changes)


def test_compare_reports__tells_findings_settings_and_files_that_differ(tmp_path):
    document = json.loads(OLD.read_text(encoding="utf-8"))
    new = {"check": "new", "verdict": "WARN", "column": "age", "message": "New.", "n_affected": 1}
    judged = [document["findings"][0] | {"verdict": "FAIL"}, *document["findings"][2:], new]
    inputs = [document["inputs"][0] | {"sha256": "1" * 64}, document["inputs"][1]]
    settings = {**document["settings"], "Seed": 99}
    after = variant(
        tmp_path / "after.json", findings=judged, inputs=inputs, settings=settings, verdict="PASS"
    )
    found = compare_reports(read_report(OLD), read_report(after))
    assert [each.check for each in found.findings_come] == ["new"]
    assert [each.check for each in found.findings_gone] == [document["findings"][1]["check"]]
    assert [each.direction for each in found.findings_judged] == ["worse"]
    assert [(each.name, each.before, each.after) for each in found.settings] == [("Seed", "3", "99")]
    assert [each.name for each in found.inputs] == ["original"]
    assert (found.verdicts[0].direction, found.is_worse) == ("better", False)
    assert compare_reports(read_report(after), read_report(OLD)).is_worse


def test_compare_reports__refuses_reports_of_two_tools(tmp_path):
    other = tmp_path / "other.json"
    other.write_bytes(render_json(examples.report()))
    with pytest.raises(AuditInputError) as refused:
        compare_reports(read_report(OLD), read_report(other))
    assert refused.value.problems == (
        "report_0_1.json is a report of leakage, other.json of tabular; compare two of one tool.",
    )


def test_compare__prints_what_differs_and_ends_with_1_where_it_is_worse(tmp_path, capsys):
    after = variant(tmp_path / "after.json", figures=figures(full_leakage_share=0.9), verdict="PASS")
    assert main(["compare", str(OLD), str(after)]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("FAIL → PASS: 0 figures better, 1 worse;")
    assert main(["compare", str(after), str(OLD), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["is_worse"]
    assert document["verdicts"][0] == {
        "name": "Overall", "before": "PASS", "after": "FAIL", "direction": "worse",
    }  # fmt: skip


def test_compare__says_in_one_sentence_what_cannot_be_compared(tmp_path, capsys):
    cut = tmp_path / "cut.json"
    cut.write_bytes(OLD.read_bytes()[:900])
    assert main(["compare", str(OLD), str(cut)]) == 2
    assert capsys.readouterr().err == (
        "error: cut.json is not whole JSON: it was cut short or changed. Take it again from where it was "
        "filed; of a report, give the JSON.\n"
    )


def test_compare_reports__calls_a_file_that_nobody_looked_at_no_better(tmp_path):
    bad = variant(tmp_path / "bad.json", verdict="FAIL", verdicts={"Published rule": "FAIL"})
    unseen = variant(tmp_path / "unseen.json", verdict="NOT_ASSESSED", verdicts={"Published rule": "PASS"})
    found = {each.name: each for each in compare_reports(read_report(bad), read_report(unseen)).verdicts}
    assert [each.direction for each in found.values()] == ["changed", "better"]


def test_compare_reports__says_that_less_may_have_been_asked(tmp_path):
    document = json.loads(OLD.read_text(encoding="utf-8"))
    bad = variant(tmp_path / "bad.json", verdict="FAIL")
    laxer = variant(tmp_path / "laxer.json", verdict="PASS", settings=document["settings"] | {"Seed": 9})
    note, *unknown = compare_reports(read_report(bad), read_report(laxer)).notes
    assert unknown == [
        "bad.json: of version 0.1.0, which wrote no digests: nobody can tell whether it was changed.",
        "laxer.json: of version 0.1.0, which wrote no digests: nobody can tell whether it was changed.",
    ]
    assert note == "The settings differ: a verdict that is better may be so because less was asked."
    same = variant(tmp_path / "same.json", verdict="PASS")
    assert len(compare_reports(read_report(bad), read_report(same)).notes) == 2


def test_compare__ends_with_1_where_a_report_was_changed_by_hand(tmp_path, capsys):
    made = tmp_path / "made.json"
    made.write_bytes(render_json(examples.report()))
    assert main(["compare", str(made), str(made)]) == 0
    forged = tmp_path / "forged.json"
    document = json.loads(made.read_text(encoding="utf-8"))
    forged.write_text(json.dumps(document | {"verdict": "PASS"}), encoding="utf-8")
    assert main(["compare", str(made), str(forged)]) == 1
    assert "forged.json: changed since it was made, in: verdict." in capsys.readouterr().out


def test_compare_reports__tells_a_policy_that_is_met_no_more(tmp_path):
    base = json.loads(render_json(examples.report()))
    told = {"title": "Ours", "digest": "1", "outcome": "met"}
    paths = []
    for name, outcome in (("before", "met"), ("after", "not met")):
        document = base | {"policy": told | {"outcome": outcome}}
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(document), encoding="utf-8")
    found = compare_reports(*map(read_report, paths))
    assert found.is_worse
    assert (found.verdicts[-1].name, found.verdicts[-1].direction) == ("Policy Ours", "worse")


def test_compare_reports__pairs_findings_that_stayed_before_others_of_their_check(tmp_path):
    document = json.loads(OLD.read_text(encoding="utf-8"))
    gone, stayed = (
        {"check": "c", "verdict": verdict, "column": None, "message": verdict, "n_affected": 1}
        for verdict in ("FAIL", "WARN")
    )
    before = variant(tmp_path / "before.json", findings=[*document["findings"], gone, stayed])
    after = variant(tmp_path / "after.json", findings=[*document["findings"], stayed])
    found = compare_reports(read_report(before), read_report(after))
    assert [each.message for each in found.findings_gone] == ["FAIL"]
    assert (found.findings_come, found.findings_judged) == ((), ())
