"""The release of a search is judged as Disclosure risk judges it, also beside earlier ones."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.__main__ import main
from core.diversity import DiversityAudit, audit_diversity, judge_diversity, ledger_table
from core.releases import EarlierTable, new_ledger, read_ledger
from core.risk import RiskSettings, RiskThresholds, judge_risk, measure_risk
from core.tables import read_dataset
from core.verdict import Verdict
from tests.diversity_examples import SETTINGS, dataset, measured, people
from tests.kinds import Told


def audited(frame: pd.DataFrame, **changes: object) -> DiversityAudit:
    usual = {"sensitive_attributes": ("disease",), "categorical": ("job", "disease"), "target_accuracy": 0.1}
    return audit_diversity(dataset(frame), replace(SETTINGS, **usual | changes))


def checks(found: DiversityAudit) -> dict[str, Verdict]:
    return {each.check: each.verdict for each in found.findings}


def with_diseases(diseases: list[str], n_records: int = 400) -> pd.DataFrame:
    frame = people(n_records).drop(columns="score")
    return frame.assign(disease=np.random.default_rng(5).permutation((diseases * n_records)[:n_records]))


def test_release__is_told_of_what_disclosure_risk_finds() -> None:
    rare = audited(with_diseases(["flu"] * 24 + ["HIV"]), l_min=1)
    found = checks(rare)
    assert rare.released is not None
    assert {each.check for each in rare.released.all_findings if each.verdict is not Verdict.PASS} - {
        "unchosen_columns"
    } <= found.keys()
    by_numbers = audited(
        people(400).drop(columns="score").assign(disease=np.linspace(1, 1.001, 400)),
        sensitive_bins=None,
        l_min=4,
        categorical=("job",),
    )
    assert checks(by_numbers)["folded_distinct_l"] is Verdict.FAIL
    assert by_numbers.overall is Verdict.FAIL
    named = with_diseases(["flu", "HIV", "asthma", "gout"]).assign(
        mail=[f"ana{n}@mail.example" for n in range(400)]
    )
    named = audited(named, categorical=("job", "disease", "mail"))
    assert checks(named)["direct_identifiers"] is Verdict.FAIL


def test_release__of_large_diverse_classes_is_told_of_nothing_else() -> None:
    frame = with_diseases(["flu", "HIV", "asthma", "gout"]).drop(columns="income")
    for k_max in (5, 8):
        found = audited(frame, k_max=k_max, l_min=2)
        said = {check for check, verdict in checks(found).items() if verdict is not Verdict.PASS}
        assert said <= {"untouched_columns", "further_columns", "accuracy", "below_baseline"}, said


def test_release__is_judged_of_the_pair_that_was_asked_for() -> None:
    search = measured()
    pair = next(each for each in search.problem.settings.pairs if search.configuration(*each).kept_set.n_kept)
    found = judge_diversity(search, pair=pair)
    assert found.released.thresholds.k == pair[0]
    assert judge_diversity(search, pair=pair).released is found.released


@pytest.mark.slow
def test_release__says_what_the_command_of_disclosure_risk_says(tmp_path: Path, capsys: Told) -> None:
    frame, table, out = with_diseases(["flu"] * 24 + ["HIV"]), tmp_path / "people.csv", tmp_path / "out.csv"
    frame.to_csv(table, index=False)
    roles = "--label ill --sensitive disease --quasi-identifier age job --categorical job disease"
    main(
        [
            "diversity",
            str(table),
            *roles.split(),
            "--target-accuracy",
            "0.1",
            "--pair",
            "5",
            "1",
            "--release",
            str(out),
        ]
    )
    capsys.readouterr()
    own = audited(frame, k_max=12)
    own = judge_diversity(own.search, pair=(5, 1))
    asked = RiskSettings(quasi_identifiers=("age", "job"), sensitive=("disease",))
    judged = judge_risk(measure_risk(read_dataset(out), settings=asked), RiskThresholds(k=5, l=1))
    grave = {each.check: each.verdict for each in judged.all_findings if each.verdict is not Verdict.PASS}
    grave.pop("unchosen_columns", None)
    assert grave.items() <= checks(own).items()


def test_earlier__release_of_other_classes_is_told_of() -> None:
    frame = people(400).assign(disease=with_diseases(["flu", "HIV", "asthma", "gout"])["disease"])
    search = audited(frame, k_max=6).search

    def beside(k: int, former: int) -> dict[str, Verdict]:
        alone = judge_diversity(search, pair=(former, 2))
        table = ledger_table(search.problem, search.configuration(former, 2))
        assert alone.released is not None
        assert table is not None
        earlier = EarlierTable(release="earlier", dataset=replace(table.dataset, name="earlier.csv"))
        return checks(judge_diversity(search, pair=(k, 2), earlier=[earlier]))

    assert beside(6, 5)["release_joined"] is Verdict.FAIL
    assert beside(6, 6)["same_release"] is Verdict.WARN
    assert not any("release" in check for check in checks(judge_diversity(search, pair=(6, 2))))
    table = ledger_table(search.problem, search.configuration(5, 2))
    ledger = read_ledger(new_ledger([table], k=5), name="ledger.json")
    assert "release_by_ledger" in checks(judge_diversity(search, pair=(5, 2), earlier=[ledger]))
