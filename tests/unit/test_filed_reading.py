"""Reading a filed report: what it says, whether it was changed, and what cannot be read."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from core.__main__ import main
from core.errors import AuditInputError
from core.filed import Comparison, compare_reports, read_report, reading
from core.filed.reading import as_json
from core.reports import content_digest, render_html, render_json
from core.reports.as_json import DIGESTS, document_digest, json_bytes, part_digests
from core.reports.carried import carry
from core.tables import ReadOptions
from core.verdict import Finding, Verdict
from core.words import say, speaking, text
from tests import report_examples as examples
from tests.saying import Saying

FILED = Path(__file__).parents[1] / "filed_examples/report.json"
OF_FILED = json.loads(FILED.read_text(encoding="utf-8"))
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


def test_read_report__gives_what_was_written():
    report = examples.report()
    filed = read_report(MADE, name="filed.json")
    assert (filed.tool, filed.verdict) == (report.tool, Verdict.FAIL)
    assert filed.changed == ()
    assert filed.digest == content_digest(report) == filed.document["content_digest"]
    assert [figure.value for figure in filed.figures][:1] == [report.figures[0].value]
    assert [finding.check for finding in filed.findings] == [finding.check for finding in report.findings]
    assert [facts.sha256 for facts in filed.inputs] == [facts.sha256 for facts in report.inputs]
    filed = read_report(FILED)
    assert (filed.tool, filed.version, filed.verdict) == ("leakage", "0.1.0", Verdict.FAIL)
    assert (filed.changed, len(filed.arguments), len(filed.inputs)) == ((), 1, 2)


def test_page__is_read_as_the_report_that_it_carries():
    page = render_html(examples.report())
    assert as_json(page) == MADE
    assert read_report(page, name="filed.html").document == DOCUMENT
    assert as_json(MADE) == MADE
    no_report = Saying("filed.html is a page that holds no report of AnonAudit. …")
    content = carry(MADE).encode()
    for other in (
        b"<!doctype html><title>A</title>",
        page.replace(content, content[:-40]),  # cut short
        page.replace(content, content[:200] + b"AAAA" + content[204:]),
        page.replace(content, carry(b" " * (reading.LARGEST_REPORT + 1)).encode()),
    ):
        assert problem_of(other, "filed.html") == no_report
    hidden = examples.report()
    with speaking("ko"):
        assert as_json(render_html(hidden)) == MADE


SINCE_2 = ("report_format", "content_digest", "digests", "platform", "policy", "arguments")


def test_read_report__refuses_the_first_form_which_held_no_digests():
    first = {part: each for part, each in OF_FILED.items() if part not in SINCE_2}
    said = Saying("filed.json is a report in the first form, which held no digests and is read no more. …")
    assert problem_of(json.dumps(first).encode()) == said
    older = Saying("filed.json is a report in an earlier form, which is read no more. Run the audit again …")
    for form in (2, 1, 0, -1):
        assert problem_of(changed(report_format=form)) == older
    odd = Saying("filed.json: “report_format” is not what a report holds there; …")
    for form in (2.5, True, None, "3"):
        assert problem_of(changed(report_format=form)) == odd
    unformed = {part: each for part, each in DOCUMENT.items() if part != "report_format"}
    assert problem_of(json.dumps(unformed).encode()) == odd


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
    newer = changed(report_format=4, versions={"anonaudit": "1.9.0"})
    for data, problem in (
        *((data, cut) for data in (MADE[:-500], b"", b"[" * 9999)),
        (b"PK\x03\x04rest", "filed.json is an archive. …"),
        (b"[1]", none),
        (b'{"tool": "risk"}', none),
        (b'{"a": 1, "a": 2}', twice),
        (newer, "filed.json was written by AnonAudit 1.9.0, in a newer form than version 1.0.0 reads. …"),
        *(
            (changed(**{part: value}), f"filed.json: “{part}” is not what a report holds there; …")
            for part, value in ODD
        ),
    ):
        assert problem_of(data) == Saying(problem)
    with pytest.raises(AuditInputError, match="cannot be read"):
        read_report(tmp_path / "nowhere.json")


OPTIONS = vars(ReadOptions()) | {"missing_spellings": ["NA"]}
TABLE = {"name": "t", "title": "T", "note": "", "key": "", "columns": ["a", "b"]}
TABLE |= {"rows": [["x", 1], [None, 0.5]]}
KEYED = {"name": "t", "title": "T", "note": "", "key": "t_rows", "columns": []}
KEYED |= {"columns": [{"key": "a", "label": "A", "unit": ""}, {"key": "b", "label": "B", "unit": "share"}]}
ODD = (
    ("figures", {}), ("figures", [{"measure": "k"}]), ("findings", [{"check": "x"}]), ("inputs", [1]),
    ("verdict", "FINE"), ("verdicts", {"x": "FINE"}), ("verdicts", {"x": {}}), ("versions", {"x": 1}),
    ("arguments", [["k", 1]]), ("digests", []), ("report_format", "3"), ("tool", None), ("limits", ["x", 1]),
    ("created_at", "yesterday"), ("created_at", 5), ("settings", []), ("settings_said", None),
    ("platform", 1), ("is_whole", 1), ("measures", []),
    *(("figures", [DOCUMENT["figures"][0] | odd]) for odd in (
        {"value": "1"}, {"value": True}, {"value": []}, {"verdict": "GOOD"}, {"verdict": []}, {"of": None})),
    *(("findings", [DOCUMENT["findings"][0] | odd]) for odd in (
        {"verdict": None}, {"column": 1}, {"n_affected": "3"}, {"n_affected": True}, {"columns": "age"},
        {"columns": [1]}, {"remedy": None}, {"message": 1})),
    *(("inputs", [DOCUMENT["inputs"][0] | odd]) for odd in (
        {"n_bytes": "7"}, {"path": None}, {"options": {}}, {"options": OPTIONS | {"header": None}},
        {"options": OPTIONS | {"comma": ","}}, {"options": OPTIONS | {"missing_spellings": [None]}},
        {"options": OPTIONS | {"missing_spellings": "NA"}}, {"options": OPTIONS | {"sheet": 1}})),
    *(("tables", [TABLE | odd]) for odd in (
        {"rows": [["a"]]}, {"rows": [["a", []]]}, {"rows": [["a", {}]]}, {"rows": ["ab"]}, {"rows": {}},
        {"columns": [1, 2]}, {"columns": "ab"}, {"note": None}, {"key": "t_rows"},
        {"marks": {"a": ["GOOD"]}})),
    ("tables", [KEYED | {"columns": KEYED["columns"][:1] * 2}]),
)  # fmt: skip


def test_read_report__takes_what_reports_may_leave_out_and_whatever_numbers_they_hold() -> None:
    facts = {key: each for key, each in DOCUMENT["inputs"][0].items() if key not in ("path", "options")}
    finding = {"check": "c", "verdict": "WARN", "column": None, "message": "New.", "n_affected": None}
    figure = DOCUMENT["figures"][0]
    values = (None, 0, 0.5, 10**4000, -1)
    numbers = [figure | {"value": value, "verdict": None} for value in values]
    filed = read_report(
        changed(
            inputs=[facts, facts | {"options": OPTIONS}],
            findings=[finding],
            figures=numbers,
            tables=[TABLE, KEYED],
            t_rows=[{"a": "x", "b": 0.5}, {"a": "y", "b": 1}],
        ),
        name="x",
    )
    assert [each.value for each in filed.figures] == [*values]
    assert [type(each.value) for each in filed.figures[1:3]] == [int, float]
    assert [(each.path, each.options) for each in filed.inputs] == [("", None), ("", OPTIONS)]
    assert [[[*row] for row in each.cells()] for each in filed.tables] == [
        [["x", 1], [None, 0.5]],
        [["x", 0.5], ["y", 1]],
    ]
    (found,) = filed.findings
    assert (found.message, found.columns, found.n_affected, found.own_remedy) == ("New.", (), None, "")


def test_read_report__refuses_rows_that_are_not_what_their_table_says() -> None:
    said = Saying("filed.json: “t_rows” is not what a report holds there; …")
    row = {"a": "x", "b": 0.5}
    for rows in (None, {}, "ab", [["x", 0.5]], [{"a": "x"}], [row | {"b": []}], [row, 1]):
        assert problem_of(changed(tables=[KEYED], t_rows=rows)) == said
    assert problem_of(changed(tables=[KEYED])) == said


def test_worker__finds_each_part_that_does_not_hold() -> None:
    answer = reading.read_whole_report(pa.py_buffer(MADE), "r.json")
    assert json.loads(answer)[1] == []
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
            reading.read_whole_report(pa.py_buffer(data), "r.json")


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
    path.write_bytes(written(**parts))
    return path


def written(**parts: object) -> bytes:
    """Return the example report with other parts, and digests that fit."""
    content = {part: each for part, each in (OF_FILED | parts).items() if part not in DIGESTS}
    return json_bytes(
        {**content, "digests": part_digests(content), "content_digest": document_digest(content)}
    )


def compared(one: object, other: object) -> Comparison:
    """Compare the example report with some parts and with others."""
    given = [written(**parts) if isinstance(parts, dict) else parts for parts in (one, other)]
    return compare_reports(*(read_report(data, name=f"{at}.json") for at, data in enumerate(given)))


def figures(**values: float | None) -> list[dict[str, object]]:
    """Return the example's figures with some values changed."""
    return [each | {"value": values.get(each["measure"], each["value"])} for each in OF_FILED["figures"]]


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
    first, second, *rest = OF_FILED["findings"]
    new = {"check": "new", "verdict": "WARN", "column": "age", "message": "New.", "n_affected": 1}
    after = {
        "findings": [first | {"verdict": "FAIL"}, *rest, new],
        "inputs": [OF_FILED["inputs"][0] | {"sha256": "1" * 64}, OF_FILED["inputs"][1]],
        "settings_said": {**OF_FILED["settings_said"], "Seed": 99},
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
    assert main(["compare", str(FILED), str(after)]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("FAIL → PASS: 0 figures better, 1 worse;")
    assert main(["compare", str(after), str(FILED), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["is_worse"]
    overall = {"name": "Overall", "before": "PASS", "after": "FAIL", "direction": "worse"}
    assert document["verdicts"][0] == overall
    cut, made, forged = (tmp_path / f"{name}.json" for name in ("cut", "made", "forged"))
    cut.write_bytes(FILED.read_bytes()[:900])
    assert main(["compare", str(FILED), str(cut)]) == 2
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
    laxer = {"verdict": "PASS", "settings_said": OF_FILED["settings_said"] | {"Seed": 9}}
    (note,) = compared({"verdict": "FAIL"}, laxer).notes
    assert note == "The settings differ: a verdict that is better may be so because less was asked."
    assert compared({"verdict": "FAIL"}, {"verdict": "PASS"}).notes == ()


def test_compare_reports__tells_a_policy_that_is_met_no_more():
    told = {"title": "Ours", "digest": "1"}
    found = compared(*(changed(policy=told | {"outcome": outcome}) for outcome in ("met", "not met")))
    assert found.is_worse
    assert (found.verdicts[-1].name, found.verdicts[-1].direction) == ("Policy Ours", "worse")


def test_compare_reports__pairs_findings_that_stayed_before_others_of_their_check():
    same = {"check": "c", "column": None, "n_affected": 1}
    gone, stayed = (same | {"verdict": verdict, "message": verdict} for verdict in ("FAIL", "WARN"))
    before, after = ([*OF_FILED["findings"], *more] for more in ((gone, stayed), (stayed,)))
    found = compared({"findings": before}, {"findings": after})
    assert [each.message for each in found.findings_gone] == ["FAIL"]
    assert (found.findings_come, found.findings_judged) == ((), ())
