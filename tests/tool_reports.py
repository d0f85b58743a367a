"""The report of every tool on the files of a demo, as its page makes it."""

from collections.abc import Mapping

from core.demo import DEMO_ROLES, LABEL, diversity_table
from core.diversity import (
    DiversitySettings,
    DiversityThresholds,
    ModelChoice,
    judge_diversity,
    measure_diversity,
    prepare_search,
)
from core.diversity.report import diversity_report
from core.events import EventSettings, ReleaseOptions, Rule, audit_events, comparable_outcomes
from core.events.report import events_report
from core.leakage import LeakageSettings, LeakageThresholds, audit_leakage
from core.leakage.report import leakage_report
from core.reports import Report, input_facts
from core.risk import (
    RiskSettings,
    RiskThresholds,
    WhatIfSettings,
    judge_risk,
    measure_columns,
    measure_risk,
    measure_special_uniques,
    search_what_if,
    what_if_settings,
)
from core.risk.report import risk_report
from core.tables import read_dataset
from core.vcf import (
    VcfFile,
    VcfSettings,
    beside_each_other,
    look_for_donors,
    pair_files,
    run_pairs,
    split_uploads,
)
from core.vcf.report import vcf_report
from core.verdict import Verdict
from core.words import own
from pages.components import navigation
from tests import report_examples as examples

TOOLS = ("tabular", "vcf", "leakage", "risk", "events", "diversity")


def demo_files(tool: str, which: int = 0) -> dict[str, bytes]:
    """Return the files of a tool's demo by name."""
    if tool == "diversity":
        file = diversity_table("iris")
        return {file.name: file.data}
    (page,) = [page for page in navigation.TOOLS if page.script.endswith(f"{tool}.py")]
    return {file.name: file.data for files in page.demos[which].make().values() for file in files}


def report_of(tool: str) -> Report:
    """Return a tool's report, made with settings that are not the usual ones."""
    return _MAKERS[tool](demo_files(tool))


def _vcf(files: Mapping[str, bytes]) -> Report:
    settings = VcfSettings(min_repeat=6, severities={"other_id": Verdict.FAIL})
    given = [VcfFile(name=name, content=data) for name, data in files.items()]
    pairs = pair_files(*split_uploads(given)).pairs
    outcomes = [look_for_donors(outcome, settings, panel=None) for outcome in run_pairs(pairs, settings)]
    return vcf_report(beside_each_other(outcomes, settings.severities), created_at=examples.CREATED_AT)


def _leakage(files: Mapping[str, bytes]) -> Report:
    original, scrambled = [read_dataset(data, name=name) for name, data in files.items()]
    settings = LeakageSettings(ignore_values=("-999",), ignore_columns=("age",), seed=7)
    audit = audit_leakage(original, scrambled, settings=settings, thresholds=LeakageThresholds(z=5.0))
    facts = [input_facts(original, own("original")), input_facts(scrambled, own("scrambled"))]
    return leakage_report(audit, inputs=facts, created_at=examples.CREATED_AT)


def _risk(files: Mapping[str, bytes]) -> Report:
    ((name, data),) = files.items()
    dataset = read_dataset(data, name=name)
    settings = RiskSettings(quasi_identifiers=("age", "sex", "town"), sensitive=("diagnosis",))
    measured = measure_risk(dataset, settings=settings)
    audit = judge_risk(measured, RiskThresholds(k=3, average_risk=0.5))
    wanted = what_if_settings(
        measured, audit.thresholds, choices=WhatIfSettings(weights=(("age", 2.0),), suppression_limit=0.1)
    )
    return risk_report(
        audit,
        inputs=[input_facts(dataset, own("table"))],
        created_at=examples.CREATED_AT,
        columns=measure_columns(measured, dataset),
        suda=measure_special_uniques(measured, dataset, max_size=2),
        what_if=search_what_if(measured, dataset, settings=wanted, hierarchies={}, population=None),
    )


def _events(files: Mapping[str, bytes]) -> Report:
    ((name, data),) = files.items()
    dataset = read_dataset(data, name=name)
    settings = EventSettings(columns=("generalized_event", "weekday"), flatten="weekday", leave_out=())
    audit = audit_events(dataset, settings=settings, rule=Rule(k=4, cap=3), options=ReleaseOptions())
    return events_report(
        audit,
        inputs=[input_facts(dataset, own("log"))],
        outcomes=comparable_outcomes(audit.measured, k=4, cap=3),
        created_at=examples.CREATED_AT,
    )


def _diversity(files: Mapping[str, bytes]) -> Report:
    ((name, data),) = files.items()
    roles = DEMO_ROLES["iris"]
    settings = DiversitySettings(
        label=LABEL,
        sensitive_attributes=(roles.sensitive_attribute,),
        quasi_identifiers=roles.quasi_identifiers,
        k_max=3,
        target_accuracy=0.5,
        sensitive_bins=None,
    )
    problem = prepare_search(read_dataset(data, name=name), settings, ModelChoice(seed=3))
    audit = judge_diversity(measure_diversity(problem), DiversityThresholds(max_deletion=0.9))
    picked = audit.recommended and audit.search.configuration(audit.recommended.k, audit.recommended.l)
    return diversity_report(audit, picked, created_at=examples.CREATED_AT)


_MAKERS = {
    "tabular": examples.tabular_run,
    "vcf": _vcf,
    "leakage": _leakage,
    "risk": _risk,
    "events": _events,
    "diversity": _diversity,
}
