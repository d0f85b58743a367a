"""Row leakage against figures from outside this project."""

import json
from pathlib import Path

import pytest

from core.leakage import LeakageSettings, audit_leakage
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Verdict


def read(path: Path) -> Dataset:
    return read_dataset(path, options=ReadOptions(delimiter="\t"))


def test_audit_leakage__gives_the_reference_figures(golden_dir: Path) -> None:
    folder = golden_dir / "leakage"
    cases = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert len(cases) >= 8
    for case in cases:
        ignored = () if case["ignore_value"] is None else (str(case["ignore_value"]),)
        audit = audit_leakage(
            read(folder / case["original"]),
            read(folder / case["scrambled"]),
            settings=LeakageSettings(ignore_values=ignored, ignore_columns=tuple(case["ignore_columns"])),
        )
        rows, expected = audit.measures.rows, case["expected"]
        assert rows is not None
        assert 100 * rows.full_leakage_share == pytest.approx(expected["full_leakage_pct"], abs=1e-4)
        assert 100 * rows.partial_leakage_share == pytest.approx(expected["partial_leakage_pct"], abs=1e-4)
        assert rows.mean_matching_cells == pytest.approx(expected["mean_matching_cells"], abs=1e-6)
        assert rows.std_matching_cells == pytest.approx(expected["std_matching_cells"], abs=1e-6)
        assert rows.n_without_valid_cells == expected["rows_without_valid_cells"]
        same = case["original"] == case["scrambled"]
        verdicts = {each.verdict for each in audit.findings if each.check != "smallest_leak"}
        assert verdicts >= {Verdict.FAIL} if same else verdicts == {Verdict.PASS}
        said = next(each for each in audit.findings if each.check == "smallest_leak")
        assert "copied persons of 928" in said.message
        assert audit.verdict is (Verdict.FAIL if same else said.verdict)
        assert said.verdict in {Verdict.PASS, Verdict.NOT_ASSESSED}


def test_audit_leakage__says_in_words_that_the_observed_cells_are_chance(golden_dir: Path) -> None:
    folder = golden_dir / "leakage"
    audit = audit_leakage(read(folder / "original.tsv"), read(folder / "scrambled.tsv"))
    message = next(finding.message for finding in audit.findings if finding.check == "matching_cells")
    assert message.startswith(
        "Rows share 4.98 of 14 cells with their original row on average, no more than chance gives: the same "
        "rows in random order share 5.06 ("
    )
