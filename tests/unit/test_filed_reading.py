"""Reading a filed report: what it says, whether it was changed, and what cannot be read."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.filed import read_report, reading
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
