"""Reading a filed report: what it says, whether it was changed, and what cannot be read."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from core.__main__ import main
from core.errors import AuditInputError
from core.filed import Comparison, compare_reports, read_report, reading
from core.reports import content_digest, render_json
from core.verdict import Finding, Verdict
from core.words import say, speaking, text
from tests import report_examples as examples
from tests.saying import Saying

OLD = Path(__file__).parents[1] / "filed_examples/report_0_1.json"
OF_OLD = json.loads(OLD.read_text(encoding="utf-8"))
MADE = render_json(examples.report())
DOCUMENT = json.loads(MADE)


def changed(**parts: object) -> bytes:
    """Return a report with parts changed by hand."""
    return json.dumps({**DOCUMENT, **parts}, ensure_ascii=False).encode()


def problem_of(data: bytes, name: str = "filed.json") -> str:
    """Return the one sentence that a report is refused with."""
    with pytest.raises(AuditInputError) as refused:
        read_report(data, name=name)
    (problem,) = refused.value.problems
    return problem


def test_read_report__gives_what_was_written_also_in_the_form_of_version_0_1():
    report = examples.report()
    filed = read_report(MADE, name="filed.json")
    assert (filed.tool, filed.verdict) == (report.tool, Verdict.FAIL)
    assert (filed.changed, filed.format) == ((), 2)
    assert filed.digest == content_digest(report) == filed.document["content_digest"]
    assert [figure.value for figure in filed.figures][:1] == [report.figures[0].value]
    assert [finding.check for finding in filed.findings] == [finding.check for finding in report.findings]
    assert [facts.sha256 for facts in filed.inputs] == [facts.sha256 for facts in report.inputs]
    filed = read_report(OLD)
    assert (filed.tool, filed.version, filed.format) == ("leakage", "0.1.0", 1)
    assert filed.verdict is Verdict.FAIL
    assert filed.changed == ()  # it holds no digests
    assert (filed.arguments, len(filed.inputs)) == ((), 2)


def test_read_report__tells_which_part_was_changed_added_or_taken_away():
    for part, other in {
        "verdict": "PASS",
        "settings": {**DOCUMENT["settings"], "k": 99},
        "figures": DOCUMENT["figures"][1:],
        "inputs": [{**DOCUMENT["inputs"][0], "n_bytes": 7}, *DOCUMENT["inputs"][1:]],
        "created_at": "2025-01-01T00:00:00Z",
        "command": "python -m core other",
        "comment": "approved",
        "content_digest": "0" * 64,
    }.items():
        assert read_report(changed(**{part: other}), name="x").changed == (part,)
    digests = {part: each for part, each in DOCUMENT["digests"].items() if part != "figures"}
    assert read_report(changed(digests=digests), name="x").changed == ("figures",)


def test_read_report__refuses_what_is_not_whole_and_what_is_no_report_of_ours(tmp_path):
    cut, twice = (
        "filed.json is not whole JSON: it was cut short or changed. …",
        "filed.json names a part twice, …",
    )
    none = "filed.json is JSON, but no report of AnonAudit."
    newer = changed(report_format=3, versions={"anonaudit": "0.9.0"})
    for data, problem in (
        *((data, cut) for data in (MADE[:-500], b"", b"<!doctype html>", b"[" * 9999)),
        (b"PK\x03\x04rest", "filed.json is an archive. …"),
        (b"[1]", none),
        (b'{"tool": "risk"}', none),
        (b'{"a": 1, "a": 2}', twice),
        (newer, "filed.json was written by AnonAudit 0.9.0, in a newer form than version 0.1.0 reads. …"),
        *(
            (changed(**{part: value}), f"filed.json: “{part}” is not what a report holds there; …")
            for part, value in ODD
        ),
    ):
        assert problem_of(data) == Saying(problem)
    with pytest.raises(AuditInputError, match="cannot be read"):
        read_report(tmp_path / "nowhere.json")


ODD = (
    ("figures", {}), ("figures", [{"measure": "k"}]), ("findings", [{"check": "x"}]), ("inputs", [1]),
    ("verdict", "FINE"), ("verdicts", {"x": "FINE"}), ("verdicts", {"x": {}}), ("versions", {"x": 1}),
    ("arguments", [["k", 1]]), ("digests", []), ("report_format", "2"),
)  # fmt: skip


def test_worker__finds_each_part_that_does_not_hold() -> None:
    answer, _ = reading.read_for_other(pa.py_buffer(MADE), name="r.json")
    assert answer["changed"] == []
    finding = DOCUMENT["findings"][0]
    parts = [
        {"report_format": 99}, {"report_format": "1"}, {"verdict": "GOOD"}, {"verdicts": {"rule": "GOOD"}},
        {"versions": {"anonaudit": 1}}, {"inputs": [{"role": "table"}]}, {"figures": [{"measure": "k"}]},
        {"findings": [{"check": "k"}]}, {"findings": [{**finding, "columns": "age"}]},
        {"findings": [{**finding, "remedy": 1}]}, {"tables": {}},
    ]  # fmt: skip
    odd = [MADE[:-40], b"[]", b'{"a": 1, "a": 2}', b'{"a": NaN}', *(changed(**each) for each in parts)]
    for data in odd:
        with pytest.raises(AuditInputError, match=r"r\.json"):
            reading.read_for_other(pa.py_buffer(data), name="r.json")


def test_read_report__says_findings_in_the_language_of_the_page() -> None:
    words = text("{file} has no partner and was not verified.", file="a.vcf")
    findings = (Finding(check="unmatched_file", verdict=Verdict.NOT_ASSESSED, message=words),)
    report = examples.replaced(examples.report(), findings=findings, headline=words)
    filed = read_report(render_json(report), name="r.json")
    for told in (filed.findings[0].message, filed.headline):
        assert told == "a.vcf has no partner and was not verified."
        with speaking("ko"):
            assert say(told) != told
            assert "a.vcf" in say(told)


def _nested(depth: int) -> dict[str, object]:
    inner = _nested(depth - 1) if depth else "x"
    return {"message": "{a}" * 10, "plural": "", "n": None, "values": {"a": inner}}


def test_read_report__leaves_words_aside_that_do_not_make_the_sentence() -> None:
    said = {"message": "Bad.", "plural": "", "n": None, "values": {}}
    for made_of in (
        said | {"message": "{n} is fine.", "values": {"n": "All"}},  # another sentence
        said | {"message": "{n.__class__}", "values": {"n": "x"}},
        said | {"message": "{n:>999999999}", "values": {"n": "x"}},
        said | {"n": "x"},
        said | {"message": 3},
        {"message": "Bad.", "plural": ""},
        {"written": ["Bad."]},
        said | {"message": "{a}", "values": {"a": None}},
        _nested(30),
        [],
        "Good.",
    ):
        finding = DOCUMENT["findings"][0] | {"message": "Bad.", "message_said": made_of}
        told = read_report(changed(findings=[finding]), name="r.json").findings[0].message
        assert str(told) == "Bad.", made_of
        with speaking("sl"):
            assert say(told) == "Bad.", made_of


def variant(path: Path, **parts: object) -> Path:
    """Write the example report with other parts."""
    path.write_text(json.dumps(OF_OLD | parts), encoding="utf-8")
    return path


def compared(one: object, other: object) -> Comparison:
    """Compare the example report with some parts and with others."""
    given = [
        json.dumps(OF_OLD | parts).encode() if isinstance(parts, dict) else parts for parts in (one, other)
    ]
    return compare_reports(*(read_report(data, name=f"{at}.json") for at, data in enumerate(given)))


def figures(**values: float | None) -> list[dict[str, object]]:
    """Return the example's figures with some values changed."""
    return [each | {"value": values.get(each["measure"], each["value"])} for each in OF_OLD["figures"]]


def test_compare_reports__tells_better_from_worse_by_the_measure():
    found = compared({}, {})
    assert not found.is_worse
    assert {each.direction for each in (*found.verdicts, *found.figures)} == {"same"}
    assert (found.findings_gone, found.findings_come, found.settings, found.inputs) == ((), (), (), ())
    changes = compared({}, {"figures": figures(full_leakage_share=0.9, linkage_share=0.0)}).figures
    directions = {each.name: each.direction for each in changes}
    assert directions["Full leakage"] == "worse"
    assert directions["Linkage of two halves"] == "better"
    changes = compared({}, {"figures": figures(full_leakage_share=None)}).figures  # not assessed
    assert {each.name: each.direction for each in changes}["Full leakage"] in {"changed", "same"}
    assert all(each.direction != "better" for each in changes)


def test_compare_reports__tells_findings_settings_and_files_that_differ():
    first, second, *rest = OF_OLD["findings"]
    new = {"check": "new", "verdict": "WARN", "column": "age", "message": "New.", "n_affected": 1}
    after = {
        "findings": [first | {"verdict": "FAIL"}, *rest, new],
        "inputs": [OF_OLD["inputs"][0] | {"sha256": "1" * 64}, OF_OLD["inputs"][1]],
        "settings": {**OF_OLD["settings"], "Seed": 99},
        "verdict": "PASS",
    }
    found = compared({}, after)
    assert [each.check for each in found.findings_come] == ["new"]
    assert [each.check for each in found.findings_gone] == [second["check"]]
    assert [each.direction for each in found.findings_judged] == ["worse"]
    assert [(each.name, each.before, each.after) for each in found.settings] == [("Seed", "3", "99")]
    assert [each.name for each in found.inputs] == ["original"]
    assert (found.verdicts[0].direction, found.is_worse) == ("better", False)
    assert compared(after, {}).is_worse
    with pytest.raises(
        AuditInputError, match=r"0.json is a report of leakage, 1.json of tabular; compare two"
    ):
        compared({}, MADE)


def test_compare__prints_what_differs_and_ends_with_1_where_it_is_worse_or_changed_by_hand(tmp_path, capsys):
    after = variant(tmp_path / "after.json", figures=figures(full_leakage_share=0.9), verdict="PASS")
    assert main(["compare", str(OLD), str(after)]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("FAIL → PASS: 0 figures better, 1 worse;")
    assert main(["compare", str(after), str(OLD), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["is_worse"]
    overall = {"name": "Overall", "before": "PASS", "after": "FAIL", "direction": "worse"}
    assert document["verdicts"][0] == overall
    cut, made, forged = (tmp_path / f"{name}.json" for name in ("cut", "made", "forged"))
    cut.write_bytes(OLD.read_bytes()[:900])
    assert main(["compare", str(OLD), str(cut)]) == 2
    assert capsys.readouterr().err == Saying("error: cut.json is not whole JSON: it was cut short …JSON.\n")
    made.write_bytes(MADE)
    assert main(["compare", str(made), str(made)]) == 0
    forged.write_bytes(changed(verdict="PASS"))
    assert main(["compare", str(made), str(forged)]) == 1
    assert "forged.json: changed since it was made, in: verdict." in capsys.readouterr().out


def test_compare_reports__calls_a_file_that_nobody_looked_at_no_better_and_says_what_was_asked_less():
    unseen = {"verdict": "NOT_ASSESSED", "verdicts": {"Published rule": "PASS"}}
    found = compared({"verdict": "FAIL", "verdicts": {"Published rule": "FAIL"}}, unseen)
    assert [each.direction for each in found.verdicts] == ["changed", "better"]
    laxer = {"verdict": "PASS", "settings": OF_OLD["settings"] | {"Seed": 9}}
    note, *unknown = compared({"verdict": "FAIL"}, laxer).notes
    assert unknown == [Saying(f"{at}.json: of version 0.1.0, which wrote no digests: …") for at in (0, 1)]
    assert note == "The settings differ: a verdict that is better may be so because less was asked."
    assert len(compared({"verdict": "FAIL"}, {"verdict": "PASS"}).notes) == 2


def test_compare_reports__tells_a_policy_that_is_met_no_more():
    told = {"title": "Ours", "digest": "1"}
    found = compared(*(changed(policy=told | {"outcome": outcome}) for outcome in ("met", "not met")))
    assert found.is_worse
    assert (found.verdicts[-1].name, found.verdicts[-1].direction) == ("Policy Ours", "worse")


def test_compare_reports__pairs_findings_that_stayed_before_others_of_their_check():
    same = {"check": "c", "column": None, "n_affected": 1}
    gone, stayed = (same | {"verdict": verdict, "message": verdict} for verdict in ("FAIL", "WARN"))
    before, after = ([*OF_OLD["findings"], *more] for more in ((gone, stayed), (stayed,)))
    found = compared({"findings": before}, {"findings": after})
    assert [each.message for each in found.findings_gone] == ["FAIL"]
    assert (found.findings_come, found.findings_judged) == ((), ())
