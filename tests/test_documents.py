"""A report's JSON carries what the command prints, is as its schema says, and its command repeats it."""

import json
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from core.__main__ import main
from core.checks import check_of
from core.reports import render_json
from docs.generated import report_schema
from tests.checked_charts import checked
from tests.tool_reports import TOOLS, demo_files, report_of

SCHEMAS = Path(__file__).parents[1] / "docs/schemas"


_made = cache(report_of)


@cache
def _report(tool: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(render_json(_made(tool)))
    return document


_OF_EACH_RUN = ("created_at", "digests", "content_digest", "inputs", "tables")  # a command adds proofs


def _steady(document: object) -> object:
    """Return what is the same in a report and in what its command prints; pairs of files in order."""
    if isinstance(document, dict):
        kept = {key: _steady(value) for key, value in document.items() if key not in ("seconds", "errors")}
        for files in {"files", "pairs"} & {*kept}:
            if isinstance(kept[files], list):  # a finding may have names of files in its words
                kept[files] = sorted(kept[files], key=lambda each: each["file"])
        return kept
    return [_steady(each) for each in document] if isinstance(document, list) else document


def _validator() -> Draft202012Validator:
    schema = json.loads((SCHEMAS / "report.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_schema_of_reports__is_what_is_made() -> None:
    assert json.loads((SCHEMAS / "report.json").read_text(encoding="utf-8")) == report_schema()


@pytest.mark.one_of(6)
@pytest.mark.parametrize("tool", TOOLS)
def test_report__is_as_its_schema_says(tool: str) -> None:
    problems = _validator().iter_errors(_report(tool))
    assert [f"{problem.json_path}: {problem.message}"[:300] for problem in problems] == []


@pytest.mark.parametrize("tool", TOOLS)
def test_findings_of_a_report__have_verdicts_that_their_checks_can_give(tool: str) -> None:
    told = [(check_of(each["check"]), each["verdict"]) for each in _report(tool)["findings"]]
    assert [one for one, verdict in told if not one or (one.asks and verdict[0] not in one.verdicts)] == []


@pytest.mark.one_of(3)
@pytest.mark.parametrize("tool", TOOLS)
def test_charts_of_a_report__are_as_the_schema_of_vega_lite_says(tool: str) -> None:
    for each in _made(tool).charts:
        checked(each.chart())  # raises where it is not


def test_schema_of_reports__refuses_what_is_none() -> None:
    report, validator = _report("leakage"), _validator()
    for wrong in ({"new": "1"}, {"verdict": "FINE"}, {"seeds": []}, {"k": {}}, {"findings": [{}]}):
        assert not validator.is_valid(report | wrong)
    for key in ("figures", "settings", "verdict", "digests"):
        assert not validator.is_valid({name: value for name, value in report.items() if name != key})


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_command_of_a_report__prints_the_same_result(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = _report(tool)
    for name, data in demo_files(tool).items():
        folder = tmp_path
        if tool == "vcf":
            folder = tmp_path / ("anonymized" if "anony" in name else "originals")
            folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    python, _, core, *words = shlex.split(report["command"])
    assert (python, core) == ("python", "core")
    main([*words, "--json"])
    printed = json.loads(capsys.readouterr().out)
    both = [{key: each[key] for key in report if key not in _OF_EACH_RUN} for each in (printed, report)]
    assert _steady(both[0]) == _steady(both[1])
