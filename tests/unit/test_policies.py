import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from core.__main__ import main
from core.checks import CHECKS
from core.errors import AuditInputError
from core.policies import LIMITS, judge_policy, policy_settings, read_policy, shipped_names, shipped_policies
from core.policies.identifiers import kinds_of_columns
from core.reports import Figure, Report, ReportSection
from core.tables import read_dataset
from core.tabular import audit_tabular, read_log
from core.tabular.report import tabular_report
from core.tabular.second_opinion import SecondOpinionThresholds
from core.tabular.verified import VerifiedFile
from core.verdict import Finding, Verdict
from tests import report_examples as examples
from tests.kinds import Told
from tests.one_json import of_report
from tests.saying import Saying

TOP = """
title = "Ours"
about = "For tests."
version = "1"
read_on = "2026-11-23"
judgement = ["Whether it is right."]
"""
LIMIT = """
[[limit]]
key = "k"
value = 4
clause = "1"
says = "Groups of four."
source = "we"
year = 2026
read = true
"""
SAFE_HARBOR = "hipaa-safe-harbor"
DEMOS = Path(__file__).parents[2] / "demo/dataset"


def problems(content: str) -> list[str]:
    with pytest.raises(AuditInputError) as caught:
        read_policy(content.encode(), name="my.toml")
    return list(caught.value.problems)


def limited(key: str, limit: str) -> str:
    """Return a policy of one limit of another key."""
    return TOP + LIMIT.replace('key = "k"\nvalue = 4', f'key = "{key}"\n{limit}')


def told(check: str, verdict: str = "WARN", message: str = "") -> Finding:
    return Finding(check=check, verdict=Verdict(verdict), message=message)


def report(tool: str = "risk", *findings: Finding, **changes: Any) -> Report:
    """Return a report of figures and findings; `changes` are figures, and parts of it."""
    usual = {"k": 4, "prosecutor_average_risk": 0.2, "sample_unique_share": 0.0} if tool == "risk" else {}
    asked = {"k": 4, "l": 2, "t": None, "average_risk": None} if tool == "risk" else {}
    parts: dict[str, Any] = {"asked": asked} | {key: each for key, each in changes.items() if key in PARTS}
    values = usual | {key: each for key, each in changes.items() if key not in PARTS}
    figures = tuple(Figure(measure, value) for measure, value in values.items())
    return examples.report(tool=tool, figures=figures, findings=findings, **parts)


PARTS = ("asked", "is_whole", "kind", "sections")


def outcome_of(given: Report, content: str = TOP + LIMIT) -> bool | None:
    policy = read_policy(content.encode(), name="my.toml")
    return judge_policy(policy, given, None).is_met


@pytest.mark.parametrize("name", shipped_names())
def test_shipped_policy__names_checks_that_there_are(name: str) -> None:
    policy = shipped_policies()[name]
    known = {check.removesuffix("*") for check in CHECKS}
    named = {check.removesuffix("*") for limit in policy.limits for check in limit.checks}
    assert {one for one in named if not any(each.startswith(one) for each in known)} == set()
    assert policy.judgement
    assert "compliant" not in (Path("policies") / f"{name}.toml").read_text(encoding="utf-8")


def test_read_policy__says_all_problems_at_once() -> None:
    content = f"""{TOP.replace('version = "1"', "version = 1")}
colour = "red"
{LIMIT.replace("value = 4", "value = 1")}
{LIMIT.replace('key = "k"', 'key = "kk"')}
[[limit]]
key = "identifiers"
kinds = ["e-mail"]
tools = ["risks"]
year = "2026"
read = 1
"""
    assert problems(content) == [
        "my.toml: version must be a text in quotation marks.",
        "my.toml: there is no key colour; the nearest is about.",
        "my.toml: limit 1: k must be at least 2, received 1.",
        "my.toml: limit 2: there is no key kk; the nearest is k.",
        "my.toml: limit 3: year must be a whole number.",
        "my.toml: limit 3: read must be true or false.",
        "my.toml: limit 3: clause is absent.",
        "my.toml: limit 3: says is absent.",
        "my.toml: limit 3: source is absent.",
        "my.toml: limit 3: there is no key e-mail; the nearest is email.",
        "my.toml: limit 3: there is no key risks; the nearest is risk.",
    ]


def test_read_policy__refuses_what_is_none() -> None:
    high = LIMIT.replace('"k"', '"highest_risk"').replace("value = 4", "value = 0")
    for content, problem in (
        ("", "there is no limit; write each under [[limit]]."),
        ("limit = 3", "there is no limit; write each under [[limit]]."),
        (f"{LIMIT}{LIMIT}", "k is limited twice."),
        (LIMIT.replace("value = 4", ""), "limit 1: value is absent."),
        (LIMIT.replace("4", "4.5"), "limit 1: k must be a whole number at least 2, received 4.5."),
        (high, "limit 1: highest_risk must be from 0 to 1, received 0."),
    ):
        assert problems(TOP + content) == [f"my.toml: {problem}"]


def test_judge_policy__meets_only_what_is_known() -> None:
    for given, is_met in (
        (report(), True),
        (report(k=3), False),
        (report(k=None), None),
        (report("risk", told("smallest_class_of_persons", "FAIL")), False),
        (report("risk", told("smallest_class_of_persons", "NOT_ASSESSED")), None),
        (report(asked={"k": 3}), None),
        (report(asked={"k": 3}, k=3), False),
        (report("risk", told("k", "FAIL"), asked={"k": 9}, k=5), None),
        (report(asked={"k": 9}, k=9), True),
        (report("events", asked={"k": 4}), None),  # whose figure is not there
        (report(is_whole=False), None),
        (report(is_whole=False, k=3), False),
    ):
        assert outcome_of(given) is is_met, given.figures


def test_judge_policy__of_counts_is_about_cells_alone() -> None:
    cells = limited("smallest_cell", "value = 5")
    for smallest, is_met in ((5, True), (4, False), (None, None)):
        counts = report("risk", kind="counts", asked={"least": 5}, smallest_cell=smallest)
        assert outcome_of(counts, cells) is is_met
        policy = read_policy((TOP + LIMIT).encode(), name="my.toml")
        assert judge_policy(policy, counts, None).outcomes == ()
    policy = read_policy(cells.encode(), name="my.toml")
    assert judge_policy(policy, report(), None).outcomes == ()  # nor are cells those of records


def test_judge_policy__takes_findings_for_what_they_are() -> None:
    relinked = limited("findings", 'checks = ["rel*"]')

    def found(*verdicts: str) -> Report:
        messages = [f"{verdict} {n}." for n, verdict in enumerate(verdicts)]
        return report("risk", *(told("relinkage", *each) for each in zip(verdicts, messages, strict=True)))

    for verdict, is_met in (("PASS", True), ("WARN", False), ("NOT_ASSESSED", None), ("FAIL", False)):
        assert outcome_of(found(verdict, verdict), relinked) is is_met, verdict
    policy = read_policy(relinked.encode(), name="p.toml")
    several = found("PASS", "WARN", "WARN", "FAIL", "WARN")
    (outcome,) = judge_policy(policy, several, None).outcomes
    assert str(outcome.seen) == "FAIL 3. WARN 1. WARN 2. And 1 more."
    assert outcome.named == ("relinkage",)
    of_names, of_values = (
        limited("findings", f'checks = ["{check}"]') for check in ("direct_identifiers", "rare_value")
    )
    for check in ("perhaps_names", "doubtful_identifiers"):  # what a person has to look at is left open
        doubtful, sure = told(check), told("direct_identifiers", "FAIL")
        assert outcome_of(report("risk", doubtful), of_names) is None
        assert outcome_of(report("risk", doubtful, sure), of_names) is False
        assert outcome_of(report("risk", doubtful), of_values) is True


def test_judge_policy__takes_every_check_of_a_group() -> None:
    groups = limited("findings", 'groups = ["linkability", "inference"]')
    for check, is_met in (
        ("whole_rows", False),
        ("relinkage_by_partly_unchanged", False),
        ("alpha", False),
        ("t", False),
        ("basic_beta", False),
        ("dominant_value", False),
        ("partial_leakage", False),
        ("donor_in_panel", False),
        ("records_removed", True),
        ("rare_value", True),
        ("columns_found", True),
    ):
        assert outcome_of(report("risk", told(check)), groups) is is_met
    wrong = limited("findings", 'groups = ["linkabilty"]')
    assert problems(wrong) == ["my.toml: limit 1: there is no key linkabilty; the nearest is linkability."]
    none = limited("findings", "")
    assert problems(none) == ["my.toml: limit 1: checks is absent."]


def test_judge_policy__of_variant_files_takes_the_share_masked_findings_and_what_was_not_read() -> None:
    masked = read_policy(limited("masked_share", "value = 0.95").encode(), name="my.toml")
    groups = read_policy(limited("findings", 'groups = ["masking"]').encode(), name="my.toml")
    for policy, given, is_met in (
        (masked, report("vcf", vcf_masked_share=0.9), False),
        (masked, report("vcf", vcf_masked_share=1.0), True),
        (masked, report("vcf", vcf_masked_share=1.0, is_whole=False), None),
        (masked, report("vcf", vcf_masked_share=None), None),
        (masked, report("vcf"), None),
        (groups, report("vcf"), True),
        (groups, report("vcf", told("allele_in_info", "FAIL", "Left.")), False),
        (groups, report("vcf", is_whole=False), None),
        (groups, report("vcf", told("original_itself", "FAIL")), False),
        (groups, report("vcf", told("named_elsewhere", "FAIL")), False),
        (groups, report("vcf", told("genotypes_changed")), True),
        (groups, report("vcf", told("frequencies_own", "NOT_ASSESSED")), None),
        (groups, report("vcf", told("frequency_unknown")), True),
    ):
        assert judge_policy(policy, given, None).is_met is is_met, given.findings


def test_judge_policy__leaves_open_a_column_in_the_form_of_names() -> None:
    policy = read_policy(limited("identifiers", 'kinds = ["person\'s name"]').encode(), name="my.toml")
    given = "Gerhard Heike Ulrike Wolfram Sieglinde Hartmut".split()
    surnames = "Bäumler Vogelsang Drechsler Kästner Brenneke Pfaffenroth Zschoche".split()
    names = [f"{one} {other}" for one in given for other in surnames]
    columns = kinds_of_columns(pa.table({"who": names}), policy.kinds)
    (outcome,) = judge_policy(policy, report(), columns).outcomes
    assert (outcome.is_met, outcome.named) == (None, ("who",))
    colours = kinds_of_columns(pa.table({"who": ["red", "green", "blue"] * 9}), policy.kinds)
    assert judge_policy(policy, report(), colours).is_met is True


def test_judge_policy__never_meets_what_nobody_looked_for_or_read() -> None:
    policy = shipped_policies()[SAFE_HARBOR]
    nothing = judge_policy(policy, report(), None)
    assert {each.is_met for each in nothing.outcomes} == {None}
    looked = judge_policy(policy, report(), {"mail": {"e-mail address"}})
    assert [each.is_met for each in looked.outcomes].count(None) == 0
    assert [each.named for each in looked.outcomes if each.is_met is False] == [("mail",)]
    none = judge_policy(shipped_policies()["cms-cell-11"], report("leakage"), None)
    assert none.is_met is None
    assert none.lines == ["The policy “CMS-like: no cell below 11” names nothing for this tool."]
    policy = read_policy(f"{TOP}{LIMIT}".encode(), name="my.toml")
    (measure,) = LIMITS["k"].measures["tabular"]
    file = ReportSection(
        name="t.csv", verdict=Verdict.PASS, headline="", figures=(), findings=(), asked={"smallest_k": 4}
    )
    for is_whole, is_met in ((True, True), (False, None)):
        files = report("tabular", sections=(file,), is_whole=is_whole, **{measure: 9})
        assert judge_policy(policy, files, {}).is_met is is_met
    laxer = report("tabular", sections=(file, replace(file, asked={"smallest_k": 3})), **{measure: 9})
    assert judge_policy(policy, laxer, {}).is_met is None


def verified(original: Sequence[tuple[str, str]], anonymized: Sequence[tuple[str, str]]) -> Report:
    """Return the report of two tables of sex and postal code, held against k = 4."""
    tables = [
        read_dataset("\n".join(map(",".join, [("sex", "zip_code"), *rows])).encode(), name=f"{name}.csv")
        for name, rows in (("t", original), ("t_anonymized", anonymized))
    ]
    done = {"sex": ("gender", "keep"), "zip_code": ("address", "region_generalize")}
    entries = {name: {"semantic": semantic, "action": action} for name, (semantic, action) in done.items()}
    log = json.dumps({"_meta": {"mode": "low"}, "log_info": entries}).encode()
    audit = audit_tabular(
        tables[0],
        tables[1],
        read_log(log, name="t_anonymized_log.json"),
        opinion_thresholds=SecondOpinionThresholds(smallest_k=4),
    )
    return tabular_report([VerifiedFile(audit=audit)], created_at=examples.CREATED_AT)


def test_judge_policy__of_anonymized_tables_counts_masks_and_made_up_values() -> None:
    """The second opinion leaves both out of the classes; a policy is not met by that."""
    rng = np.random.default_rng(3)
    coarse = [("F" if n % 2 else "M", f"{10 + n % 5}***") for n in range(80)]
    made_up, others = ([(sex, str(rng.integers(10_000, 99_999))) for sex, _ in coarse] for _ in range(2))
    policy = read_policy((TOP + LIMIT).encode(), name="my.toml")
    for anonymized, found, of_opinion in (
        (coarse, 8, 8),
        ([("***", "***"), *coarse[1:]], 1, 7),
        (others, 1, 40),
    ):
        given = verified(made_up, anonymized)
        assert [each.value for each in given.figures if each.measure == "k"] == [of_opinion]
        (outcome,) = judge_policy(policy, given, {}).outcomes
        assert (outcome.found, outcome.is_met) == (found, found >= 4)
        (file,) = of_report(given)["files"]
        assert file["min_k"] == found


def test_policy_settings__take_the_strictest_limit() -> None:
    risk = LIMIT.replace('"k"', '"highest_risk"').replace("value = 4", "value = 0.09")
    policy, strict = (
        read_policy(f"{TOP}{LIMIT}{risk}".encode(), name="my.toml"),
        shipped_policies()["strict-open-data"],
    )
    assert policy_settings(policy, "risk") == {"k": 12}
    assert policy_settings(strict, "diversity") == {"k_min": 20, "l_min": 3, "k_max": 20}
    assert policy_settings(strict, "tabular")["relinkage_warn_share"] == 0.01
    assert {key for key, kind in LIMITS.items() if not kind.tools} == {"findings", "identifiers"}  # of all


def test_kinds_of_columns__by_name_values_and_single_cells() -> None:
    days, old = {"dates finer than a year"}, {"ages above 89"}
    for column, values, kinds in (
        ("birth_date", ["1980", "1990-1999"], set()),
        ("birth_date", ["1980-02-03", "1990"], days),
        ("note", ["seen 1980-02-03", "x"], days),
        ("age", ["30", "89"], set()),
        ("age", ["30", "90+", "90"], set()),
        ("age", ["30", "91"], set()),  # nine people who all are 91 are all who are older than 89
        ("age", ["30", "91", "94"], old),
        ("age", ["30", "90-94", "95-99"], old),
        ("x", ["anna@example.org", "b"], {"email"}),
    ):
        table = pa.table({column: pa.array(values * 9)})
        assert kinds_of_columns(table, {*days, *old, "email"}) == ({column: kinds} if kinds else {})
        assert kinds_of_columns(table, {*days, *old, "email"}, [column]) == {}


def _of_safe_harbor(**changed: list[str]) -> pa.Table:
    """Return a table that keeps to the rule's clauses, but for what is changed."""
    usual = {
        "sex": ["F", "M"],
        "age": ["34", "91", "71"],
        "state": ["MA", "New York", "IL"],
        "zip3": ["021", "100", "606", "000"],
        "admission_year": ["2018", "2019"],
        "diagnosis": ["I10", "E11", "J45"],
    }
    columns = {name: (values * 60)[:60] for name, values in (usual | changed).items()}
    return pa.table({name: pa.array(values) for name, values in columns.items()})


@pytest.mark.parametrize(
    ("changed", "is_met"),
    [
        ({}, True),
        ({"zip3": ["021**", "606**"]}, True),
        ({"age": ["34", "90+"]}, True),
        ({"state": ["Northeast", "West"]}, True),
        ({"state": ["Slovenia", "France"]}, True),
        ({"zip3": ["036", "606"]}, False),  # at most 20,000 people
        ({"zip3": ["02138", "60601"]}, False),
        ({"age": ["34"] * 57 + ["93"] * 3}, False),
        ({"age": ["34", "91", "95"]}, False),
        ({"state": ["Boston", "Chicago"]}, False),
        ({"scan": [f"face_{n}.jpg" for n in range(60)]}, False),
        ({"fingerprint_hash": [f"{n * 7919:08x}" for n in range(60)]}, False),
        ({"admission": ["2018-03-04", "2019-05-06"]}, False),
    ],
)
def test_safe_harbor__is_met_by_what_keeps_to_its_clauses(
    changed: dict[str, list[str]], *, is_met: bool
) -> None:
    policy = shipped_policies()[SAFE_HARBOR]
    found = kinds_of_columns(_of_safe_harbor(**changed), policy.kinds)
    assert judge_policy(policy, report(), found).is_met is is_met


def run(folder: Path, capsys: Told, *words: str) -> dict[str, Any]:
    table = folder / "t.csv"
    table.write_text("age,sex\n" + "".join(f"{30 + n % 3},F\n" for n in range(36)))
    main(["risk", str(table), "--quasi-identifier", "age", "sex", "--json", *words])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_command__takes_limits_and_says_whether_they_are_met(tmp_path: Path, capsys: Told) -> None:
    document = run(tmp_path, capsys, "--policy", "cms-cell-11")
    assert document["settings"]["k"] == 11
    policy = document["policy"]
    assert (policy["name"], policy["outcome"], len(policy["digest"])) == ("cms-cell-11", "met", 64)
    assert policy["sentence"] == Saying("Meets the limits …“CMS-like: no cell below 11” …2026-11-23.")
    assert [(each["key"], each["found"], each["outcome"]) for each in policy["limits"]] == [("k", 12, "met")]
    document = run(tmp_path, capsys, "--policy", "cms-cell-11", "--k", "3")
    assert (document["settings"]["k"], document["policy"]["outcome"]) == (3, "cannot tell")
    assert document["policy"]["limits"][0]["set_to"] == 3
    own, file = tmp_path / "mine.toml", tmp_path / "s.toml"
    own.write_text(f"{TOP}{LIMIT}")
    assert run(tmp_path, capsys, "--policy", str(own))["policy"]["name"] == "mine"
    file.write_text('policy = "strict-open-data"\n[settings]\nl = "none"')
    document = run(tmp_path, capsys, "--settings", str(file))
    assert (document["policy"]["name"], document["settings"]["k"]) == ("strict-open-data", 20)
    assert document["settings"]["l"] is None
    assert main(["risk", "t.csv", "--policy", str(tmp_path / "none.toml")]) == 2
    assert "--policy must be one of cms-cell-11" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("named", "k", "average"),
    [
        ("public-low", 10, None),
        ("public-medium", 14, None),
        ("public-high", 20, None),
        ("contract-low", 3, 0.1),
        ("contract-medium", 3, 0.075),
        ("inside-high", 3, 0.05),
    ],
)
def test_command__takes_the_limits_of_a_context(
    tmp_path: Path, capsys: Told, named: str, k: int, average: float | None
) -> None:
    recipient, impact = named.split("-")
    context = ("--recipient", recipient, "--impact", impact)
    document = run(tmp_path, capsys, *context)
    assert (document["settings"]["k"], document["settings"]["average_risk"]) == (k, average)
    assert document["policy"]["name"] == named
    assert "IHE De-Identification Handbook" in str(document["policy"]["limits"])
    typed = run(tmp_path, capsys, *context, "--k", "7")
    assert typed["settings"]["k"] == 7
    file = tmp_path / "s.toml"
    file.write_text(f'[settings]\nrecipient = "{recipient}"\nimpact = "{impact}"')
    assert run(tmp_path, capsys, "--settings", str(file))["policy"] == document["policy"]


def test_command__without_a_context_is_as_usual_and_half_of_one_is_refused(
    tmp_path: Path, capsys: Told
) -> None:
    document = run(tmp_path, capsys)
    assert (document["settings"]["k"], document["settings"]["average_risk"]) == (5, None)
    for half in (["--recipient", "public"], ["--impact", "low"]):
        assert main(["risk", "t.csv", *half]) == 2
        assert "give both" in capsys.readouterr().err


@pytest.mark.parametrize("tool", ["dataset", "events"])
def test_context__takes_the_highest_risk_where_no_average_is_measured(tool: str) -> None:
    found = [policy_settings(shipped_policies()[name], tool)["k"] for name in ("public-low", "inside-high")]
    assert found == [10, 20]


def test_command__says_the_policy_on_a_terminal(tmp_path: Path, capsys: Told) -> None:
    table = tmp_path / "c.csv"
    table.write_text("town,n\nA,5\nB,40\n")
    main(["risk", str(table), "--counts", "n", "--policy", "cms-cell-11"])
    told = capsys.readouterr().out
    assert "  not met: No count from 1 to 10 is shown" in told
    assert "the clause was read (the page of the policy))" in told
    assert "Left to judgement: " in told


@pytest.mark.slow
def test_command__meets_nothing_beside_a_file_that_could_not_be_read(tmp_path: Path, capsys: Told) -> None:
    policy = tmp_path / "p.toml"
    policy.write_text(limited("findings", 'groups = ["pseudonyms"]'))
    for name in ("persons", "stays"):
        (tmp_path / f"{name}.csv").write_bytes((DEMOS / f"{name}.csv").read_bytes())
    files = [str(tmp_path / f"{name}.csv") for name in ("persons", "stays")]
    (tmp_path / "broken.csv").write_bytes(b"\x00\x01")
    out = tmp_path / "out"
    for more, outcome in (([], "met"), ([str(tmp_path / "broken.csv")], "cannot tell")):
        words = ["dataset", *files, *more, "--policy", str(policy), "--json"]
        main([*words, "--report", str(out / outcome), "--formats", "json"])
        document = json.loads(capsys.readouterr().out)
        assert (document["policy"]["outcome"], document["is_whole"]) == (outcome, not more)
        (report,) = (out / outcome).iterdir()
        assert main(["verify", str(report), *files, str(policy)]) == 0  # without the file
        assert "SAME  " in capsys.readouterr().out
