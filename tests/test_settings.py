"""A setting is described once: it is on the page, on the command line, in report and JSON, and in docs/."""

import argparse
import io
import json
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.__main__ import build_parser, main
from core.delivery import audit_delivery
from core.delivery.report import delivery_report
from core.demo import Demo
from core.diversity import DiversitySettings, audit_diversity
from core.diversity.report import diversity_report
from core.errors import AuditInputError
from core.events import audit_events
from core.events.report import events_report
from core.leakage import audit_leakage
from core.leakage.report import leakage_report
from core.reports import input_facts
from core.risk import WhatIfSettings, audit_risk, measure_special_uniques, search_what_if
from core.risk.report import risk_report
from core.settings.files import known_settings, read_settings
from core.settings.form import Setting, described, settings_named_by
from core.tables import read_dataset
from core.tabular import audit_tabular, read_log
from core.tabular.verified import VerifiedFile
from core.tools import TOOLS
from core.tools import tool as declared
from core.vcf import VcfSettings, pair_folders, run_pairs
from core.vcf.report import vcf_report
from docs.reference import page
from pages.components import navigation

ROOT = Path(__file__).parents[1]


@cache
def _settings(tool: str) -> tuple[Setting, ...]:
    forms = declared(tool).forms
    return tuple(told for form in forms for told in described(form).values())


def _texts(node: object) -> Iterator[str]:
    for attribute in ("label", "value", "body"):
        if isinstance(text := getattr(node, attribute, None), str):
            yield text
    for child in getattr(node, "children", {}).values():
        yield from _texts(child)


def _demo(tool: str) -> Demo:
    demos = next(each for each in navigation.TOOLS if each.key == tool).demos
    return next((demo for demo in demos if demo.key == "iris"), demos[0])


def _other_states(tool: str, app: AppTest) -> Iterator[AppTest]:
    """Show what a page asks for in some cases only."""
    for name in app.selectbox(key="tabular_file").options if tool == "tabular" else ():
        yield app.selectbox(key="tabular_file").set_value(name).run()
    if tool == "diversity":
        yield _finished(tool, app)
        yield app.selectbox(key="diversity_model").set_value("predictions").run()
        table = b"job_a,job_b,age,target\n" + b"1,0,30,x\n0,1,40,y\n0,0,30,x\n" * 4
        app.file_uploader[0].set_value(("jobs.csv", table, "text/csv")).run()
        quasi = next(each for each in app.multiselect if each.label == "Quasi-identifiers")
        yield quasi.set_value(["job_a", "job_b"]).run()


def _finished(tool: str, app: AppTest) -> AppTest:
    """Wait for work that goes on beside the page."""
    while any(button.key == f"{tool}_stop" for button in app.button):
        time.sleep(0.1)
        app.run()
    return app


@cache
def _page(tool: str) -> str:
    """Return all words that a tool's page shows with its demo."""
    found = next(each for each in navigation.TOOLS if each.key == tool)
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=120).run()
    app.switch_page(found.script).run()
    app.button(key=f"{tool}_demo_{_demo(tool).key}").click().run()
    seen = [*_texts(_finished(tool, app).main)]
    for other in _other_states(tool, app):
        seen += _texts(other.main)
    assert not app.exception
    return "\n".join(seen).replace("\\", "")


@pytest.fixture(autouse=True, scope="module")
def _empty_caches() -> Iterator[None]:
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.mark.parametrize("tool", TOOLS)
def test_setting__is_on_the_page(tool: str) -> None:
    page = _page(tool)
    assert [told.label for told in _settings(tool) if told.label not in page] == []


NUMBERS = [
    pytest.param(tool, told, id=f"{tool}-{told.name}")
    for tool in TOOLS
    for told in known_settings(tool).values()
    if told.kind in (int, float) and not told.is_several
]


@pytest.mark.parametrize(("tool", "told"), NUMBERS)
def test_setting__has_a_largest_value_unless_no_work_grows_with_it(tool: str, told: Setting) -> None:
    largest = min(told.most, told.below)
    assert math.isinf(largest) == told.any_size
    if told.any_size or told.percent:
        return
    with pytest.raises(AuditInputError) as refused:
        read_settings(f"[settings]\n{told.name} = {largest + 1:.0f}\n".encode(), name="s.toml", tool=tool)
    assert len(refused.value.problems) == 1
    with settings_named_by("flag"):
        (problem,) = told.problems(int(largest) + 1)
    assert told.flag in problem


@pytest.mark.parametrize(
    "words",
    [
        ["vcf", "-o", ".", "-a", ".", "--jobs", "10000000000"],
        ["diversity", "--demo", "iris", "--jobs", "10000000000"],
        ["diversity", "--demo", "iris", "--splits", "10000000000"],
        ["leakage", "README.md", "README.md", "--random-orders", "10000000000"],
    ],
)
def test_option__beyond_its_largest_value_is_refused_in_a_sentence(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1


def _options(tool: str) -> dict[str, argparse.Action]:
    parser = build_parser([tool])
    (tools,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    told = [each for each in tools.choices[tool]._actions if each.help != argparse.SUPPRESS]
    return {flag: each for each in told for flag in each.option_strings}


def test_reference__names_every_option() -> None:
    unnamed = {}
    of_all = page("shared") + page("counts")
    for tool in TOOLS:
        named = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", page(tool) + of_all)
        unnamed[tool] = {*_options(tool)} - {*named, "-h", "--help", "-o", "-a"}
    assert not any(unnamed.values()), unnamed


def _adds_up(told: Setting, action: argparse.Action) -> bool:
    """Tell whether a list may be given at once and by and by."""
    alone = argparse.ArgumentParser()
    alone._add_action(action)
    one, other = [[told.flag, "a", "b"], [told.flag, "a", told.flag, "b"]]
    return vars(alone.parse_args(one)) == vars(alone.parse_args(other))


def test_setting__is_on_the_command_line() -> None:
    wrong = []
    for tool in TOOLS:
        options = _options(tool)
        for told in _settings(tool):
            action = options.get(told.flag)
            is_list = told.is_several and not told.is_grouped
            if (
                not action
                or not action.help.startswith(told.label)
                or (is_list and not _adds_up(told, action))
            ):
                wrong.append(f"{tool} {told.flag}")
    assert wrong == []


NOT_ASKED_FOR = {
    "SecondOpinionSettings": {"over_share", "largest_set", "search_budget", "sample_size", "seed"},
    "RiskSettings": {"roles_suggested"},
    "WhatIfSettings": {"ks", "limits", "average_risk"},  # follow from the thresholds
    "EventSettings": {"found_columns"},
    "DiversitySettings": {"majority", "holdout_seed", "minimization_seed"},
    "ModelChoice": {"file", "file_name", "given"},
}


def test_field__that_nobody_is_asked_for_is_listed_here() -> None:
    forms = [form for tool in TOOLS for form in declared(tool).forms]
    silent = {form.__name__: {field.name for field in fields(form)} - {*described(form)} for form in forms}
    assert {name: names for name, names in silent.items() if names} == NOT_ASKED_FOR


NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def _report_tabular(folder: Path) -> Mapping[str, object]:
    read = (read_dataset(folder / f"visits{end}.csv") for end in ("", "_anonymized"))
    audit = audit_tabular(*read, read_log(folder / "visits_anonymized_log.json"))
    return VerifiedFile(audit=audit).settings


def _report_vcf(folder: Path) -> Mapping[str, object]:
    outcomes = [*run_pairs(pair_folders(folder, folder).pairs, VcfSettings(), n_jobs=1)]
    return vcf_report(outcomes, created_at=NOON).settings


def _report_leakage(folder: Path) -> Mapping[str, object]:
    audit = audit_leakage(*map(read_dataset, sorted(folder.glob("*.csv"))))
    return leakage_report(audit, inputs=[], created_at=NOON).settings


def _report_risk(folder: Path) -> Mapping[str, object]:
    dataset = read_dataset(next(folder.glob("*.csv")))
    audit = audit_risk(dataset)
    what_if = search_what_if(audit.measurement, dataset, settings=WhatIfSettings(ks=(2,)))
    suda = measure_special_uniques(audit.measurement, dataset)
    report = risk_report(audit, inputs=[], created_at=NOON, what_if=what_if, suda=suda)
    return report.settings


def _report_dataset(folder: Path) -> Mapping[str, object]:
    audit = audit_delivery([*map(read_dataset, sorted(folder.glob("*.csv")))])
    return delivery_report(audit, inputs=[], created_at=NOON).settings


def _report_events(folder: Path) -> Mapping[str, object]:
    log = read_dataset(next(folder.glob("*.csv")))
    inputs = [input_facts(log, "log")]
    return events_report(audit_events(log), inputs=inputs, outcomes=(), created_at=NOON).settings


def _report_diversity(folder: Path) -> Mapping[str, object]:
    settings = DiversitySettings(
        label="target",
        sensitive_attributes=("petal width (cm)",),
        quasi_identifiers=("sepal width (cm)",),
        k_max=2,
    )
    audit = audit_diversity(read_dataset(folder / "iris.csv"), settings)
    return diversity_report(audit, None, created_at=NOON).settings


RESULTS: Mapping[str, tuple[Callable[[Path], Mapping[str, object]], str]] = {
    "tabular": (_report_tabular, "{0} --json"),
    "vcf": (_report_vcf, "-o {0} -a {0} --json"),
    "leakage": (_report_leakage, "{1} {2} --json"),
    "risk": (_report_risk, "{1} --what-if --suda --json"),
    "dataset": (_report_dataset, "{0} --json"),
    "events": (_report_events, "{1} --json"),
    "diversity": (_report_diversity, "--demo iris --k-max 3 --json"),
}


@cache
def _results(tool: str) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Return the settings of a tool's report and those of its JSON, for its demo."""
    demo = _demo(tool)
    with TemporaryDirectory() as name, redirect_stdout(io.StringIO()) as printed:
        files = [file for several in demo.make().values() for file in several]
        for file in files:
            (Path(name) / file.name).write_bytes(file.data)
        report, call = RESULTS[tool]
        words = call.format(name, *(str(Path(name) / file.name) for file in files)).split()
        assert main([tool, *words]) in (0, 1)
        document = json.loads(printed.getvalue())
        if tool == "tabular":
            document = document["files"][0]
        return report(Path(name)), {**document, **document["settings"]}


@pytest.mark.parametrize("tool", TOOLS)
def test_setting__is_in_the_report_and_in_json(tool: str) -> None:
    report, document = _results(tool)
    assert [told.label for told in _settings(tool) if told.label not in report] == []
    assert [told.name for told in _settings(tool) if told.name not in document] == []
