"""The published rule on tables that can be counted by hand, and the attacks it has to notice."""

import datetime
import json

import numpy as np
import openpyxl
import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.reports.model import said_frame
from core.tables import Dataset, Reading, ReadOptions, read_dataset
from core.tabular import (
    TabularSettings,
    TabularThresholds,
    audit_tabular,
    judge_tabular,
    measure_classes,
    measure_tabular,
    read_log,
)
from core.tabular.columns import is_high_risk, is_protecting
from core.tabular.evidence import evidence_rows
from core.verdict import Verdict
from tests.cases.table import says

PASS, WARN, FAIL = Verdict.PASS, Verdict.WARN, Verdict.FAIL


def table(columns, *, name="x.csv", unnamed=()):
    return Dataset(
        name=name,
        table=pa.table({column: pa.array(cells, pa.string()) for column, cells in columns.items()}),
        fingerprint=name,
        sha256="",
        n_bytes=0,
        reading=Reading(format="CSV", options=ReadOptions(), unnamed_columns=unnamed),
    )


def log(entries=None, *, mode="low", allow_dx=False, **meta):
    """Make a log from "semantic/action" texts."""
    info = {
        column: dict(zip(("semantic", "action"), told.split("/"), strict=True))
        for column, told in (entries or {}).items()
    }
    return read_log(
        json.dumps({"_meta": {"mode": mode, "allow_dx": allow_dx, **meta}, "log_info": info}).encode(),
        name="x_anonymized_log.json",
    )


def measure(original, anonymized, told=None, **meta):
    return measure_tabular(table(original), table(anonymized, name="x_anonymized.csv"), log(told, **meta))


def check(original, anonymized, told="other/keep", **meta):
    """Return the only check of a table with the one column `c`."""
    (found,) = measure({"c": original}, {"c": anonymized}, {"c": told}, **meta).checks
    return found


def told(original, anonymized, entry, status, pieces, **meta):
    """Whether the only check ends so, and its reason holds these pieces."""
    found = check(original, anonymized, entry, **meta)
    return found.status is status and says(found.reason, pieces)


# ------------------------------------------------------------------------------------------- drop


def test_drop__passes_only_when_every_value_is_blank_invisible_characters_too() -> None:
    assert told(["a", "b"], [None, None], "ssn/drop", PASS, "All 2 values")
    assert told(["a", "b"], [None, "b"], "ssn/drop", FAIL, "1 of 2 (50.0 %) values remain…`drop`")
    assert check(["a"], ["\u200b"], "ssn/drop").status is FAIL
    assert check(["a"], ["\x00"], "ssn/drop").status is FAIL
    cells = [None] * 99_999 + ["x"]
    found = check(["a"] * 100_000, cells, "ssn/drop")
    assert (found.status, found.n_failing) == (FAIL, 1)
    assert found.reason.startswith("1 of 100,000 values remain")


def test_keep_if_permitted__needs_permission_or_blanks():
    entry = "diagnosis/keep_if_permitted_else_drop"
    assert told(["a"], ["a"], entry, PASS, "permits", allow_dx=True)
    assert told(["a"], ["a"], entry, FAIL, "1 of 1 (100 %) values remain…not permitted")
    assert told(["a"], [None], entry, PASS, "The only value is blank")


# ------------------------------------------------------------------------------------ date floors


FIRST_OF_JANUARY = ["1987-01-01", " 1987-01-01 ", "1987-01-01 00:00:00", "1987-01-01T00:00:00.000Z"]
FIRST_OF_JANUARY += ["1987-01-01 0:00", "31778", "31778.0"]
OTHER_DAYS = ["1987-01-21", "1987-02-01", "1987/01/01", "1987", "31779", "87-01-01", "1987-01-01 00:00:01"]
OTHER_DAYS += ["-1987-01-01", "１９８７-01-01", "1987-01-01\u200b", "unknown"]


def test_date_floor_year__accepts_the_first_of_january_in_every_writing_and_refuses_everything_else():
    entry = "birthdate/date_floor_year"
    assert [one for one in FIRST_OF_JANUARY if check(["x"], [one], entry).status is not PASS] == []
    assert [one for one in OTHER_DAYS if check(["x"], [one], entry).status is not FAIL] == []


def test_date_floor__needs_the_first_of_a_decade_and_shows_shapes_only() -> None:
    assert told(["x", "y", None], ["1980-01-01", "29221", None], "d/date_floor_decade", PASS, "All 2 ")
    assert check(["x"], ["1987-01-01"], "d/date_floor_decade").status is FAIL
    assert check(["x"], ["31778"], "d/date_floor_decade").status is FAIL
    cells = ["1987-01-01"] * 99_999 + ["1987-03-21"]
    found = check(cells, cells, "birthdate/date_floor_year")
    assert (found.status, found.n_failing, found.shapes) == (FAIL, 1, ("YYYY-MM-DD",))
    assert says(found.reason, "1 of 100,000…YYYY-MM-DD")
    cells = ["Kim 7", "Lee 8", "2020/1/5", "2020/1/6", "2020/1/7", "x@y", "서울", "0:00\x07"]
    assert check(cells, cells, "d/date_floor_year").shapes == ("YYYY/MM/DD", "AAA 9", "9:99?")


# --------------------------------------------------------------------------------- pseudonymization


ORIGINALS = [f"patient {number}" for number in range(100)]
RNG = np.random.default_rng(1)
HEXADECIMAL = [f"{number:012x}" for number in RNG.integers(2**44, 2**48, 100)]


PSEUDONYMS = {
    "hexadecimal": HEXADECIMAL,
    "short capitals": [token[:8].upper() for token in HEXADECIMAL],
    "uuid": [f"{token[:8]}-1234-4abc-8def-{token}" for token in HEXADECIMAL],
    "base64": [f"Zx+/{token}==" for token in HEXADECIMAL],
    "prefix": [f"SUBJ-{number:05d}" for number in range(100)],
    "hangul prefix": [f"환자{number}" for number in range(100)],
    "padded": [f" {token} " for token in HEXADECIMAL],
}
NO_PSEUDONYMS = {
    "resident numbers": [f"9001{number:02d}1234567" for number in range(100)],
    "numbers of eight digits": [str(20200000 + number) for number in range(100)],
    "words": [f"{name}name" for name in ORIGINALS],
    "two prefixes": [f"{'ab'[number % 2]}-{number}" for number in range(100)],
    "counts": [f"{number}" for number in range(100)],
    "no digit": ["abcdefghijklmnop" + "x" * number for number in range(100)],
}


def test_pseudonymize__accepts_what_looks_like_pseudonyms_and_warns_of_what_does_not() -> None:
    entry = "patient_id/pseudonymize"
    for how, values in PSEUDONYMS.items():
        assert told(ORIGINALS, values, entry, PASS, "pseudonyms: 100…values: 100…100 of 100 (100 %)"), how
    for how, values in NO_PSEUDONYMS.items():
        assert told(ORIGINALS, values, entry, WARN, "100 of 100 (100 %)…at most 10.0 %"), how
    originals = ["김철수", "이영희", "남궁민", None]
    assert check(originals, ["김00", "이00", "남궁00", None], "name/pseudonymize").status is PASS


def test_pseudonymize__warns_of_low_uniqueness_unlike_and_unchanged_values_from_their_limits_on() -> None:
    originals, entry = [f"p{number}" for number in range(10)], "id/pseudonymize"
    assert check(originals, [*HEXADECIMAL[:7], *HEXADECIMAL[:3]], entry).status is PASS
    few = [*HEXADECIMAL[:6], *HEXADECIMAL[:4]]
    assert told(originals, few, entry, WARN, "Low uniqueness: distinct pseudonyms: 6…10…at least 70.0 %")
    assert check(originals, [None] * 10, entry).status is WARN
    assert check([None, None], [None, None], entry).status is PASS
    entry = "id/pseudonymize"
    assert check(ORIGINALS, [*HEXADECIMAL[:90], *ORIGINALS[:10]], entry).status is PASS
    eleven = [*HEXADECIMAL[:89], *ORIGINALS[:11]]
    assert told(ORIGINALS, eleven, entry, WARN, "11 of 100 (11.0 %)…do not resemble…at most 10.0 %")
    originals = [f"{token}0" for token in HEXADECIMAL]
    assert check(originals, [originals[0], *HEXADECIMAL[1:]], entry).status is PASS
    two = [*originals[:2], *HEXADECIMAL[2:]]
    assert told(originals, two, entry, WARN, "2 of 100 (2.0 %) values equal the original…at most 1.0 %")
    fewer = HEXADECIMAL[::-1][:90]
    assert told(HEXADECIMAL, fewer, entry, WARN, "90 of 90 (100 %) distinct values occur…at most 1.0 %")


def test_pseudonymize__originals_in_another_row_order_pass_the_rule_but_not_the_second_opinion():
    turned = HEXADECIMAL[1:] + HEXADECIMAL[:1]
    audit = audit_tabular(
        table({"id": HEXADECIMAL, "sex": ["F", "M"] * 50}),
        table({"id": turned, "sex": ["F", "M"] * 50}, name="x_anonymized.csv"),
        log({"id": "patient_id/pseudonymize", "sex": "gender/keep"}),
    )
    assert audit.verdict is PASS
    assert audit.overall.severity >= WARN.severity
    assert any("`id`" in finding.message and finding.verdict is not PASS for finding in audit.all_findings)


# ----------------------------------------------------------------------------- sensitive patterns


def test_patterns__at_most_10_percent_may_hold_one_and_they_can_be_widened() -> None:
    cells, entry = ["ok"] * 9 + ["a@b.co"], "other/keep"
    assert told(cells, cells, entry, PASS, "1 of 10 (10.0 %)…(E-mail address 1)…at most 10.0 %")
    assert told(cells, [*cells[1:], None], entry, FAIL, "1 of 9 (11.1 %)…(E-mail address 1)…at most 10.0 %")
    assert told(["a"], [None], entry, PASS, "None of 0")
    cells = ["1987.01.21", "x"]
    pair = table({"c": cells}), table({"c": cells}), log({"c": "other/keep"})
    assert measure_tabular(*pair).checks[0].status is PASS
    wide = measure_tabular(*pair, settings=TabularSettings(patterns=("date", "date_other")))
    assert wide.checks[0].status is FAIL
    with pytest.raises(AuditInputError, match=r"^patterns must be among resident_number, .*d fax\.$"):
        TabularSettings(patterns=("fax",))


def test_patterns__are_looked_for_under_every_other_action_and_in_columns_not_logged() -> None:
    for entry in ("x/keep", "x/", "x/some_new_action", "address/region_generalize"):
        found = check(["900101-1234567"], ["900101-1234567"], entry)
        assert (found.status, found.check, found.shapes) == (FAIL, "patterns", ("999999-9999999",)), entry
    found = measure({"c": ["010-1234-5678"]}, {"c": ["010-1234-5678"]})
    assert [result.status for result in found.columns] == [FAIL]


# -------------------------------------------------------------------- absent, unnamed, expanded columns


def test_absent_and_unnamed__are_warnings_unless_drop_is_logged() -> None:
    original, anonymized = {"a": ["1"], "b": ["1"], "c": ["1"]}, {"a": ["1"]}
    low = measure(original, anonymized, {"b": "x/drop"})
    assert [(result.column, result.status) for result in low.columns] == [
        ("a", PASS),
        ("b", PASS),
        ("c", WARN),
    ]
    assert ["In low mode columns are kept" in found.reason for found in low.checks[1:]] == [False, True]
    assert all(found.status is PASS for found in measure(original, anonymized, mode="high").checks)
    original = table({"Unnamed: 1": ["900101-1234567"], "a": ["1"]}, unnamed=("Unnamed: 1",))
    found = measure_tabular(original, table({"Unnamed: 1": ["900101-1234567"], "a": ["1"]}), log())
    assert next((each.column, each.status) for each in found.checks) == ("Unnamed: 1", WARN)
    assert found.warn_share == 0.5
    assert found.n_residual == 1  # but the file figure is over the whole anonymized table


def test_expansions__use_their_own_entry_else_the_originals_and_are_never_anothers() -> None:
    found = measure(
        {"score": ["5"], "x": ["1"]},
        {"score_low": ["1"], "score_day": ["2020-01-01"], "x": ["1"], "scores": ["2020-02-02"]},
        {"score": "other/drop", "score_day": "visit_date/date_floor_year"},
    )
    score = found.columns[0]
    assert [(each.anonymized_column, each.action, each.status) for each in score.checks] == [
        ("score_day", "date_floor_year", PASS),
        ("score_low", "drop", FAIL),
    ]
    assert score.status is FAIL
    assert (found.pass_share, found.fail_share) == (2 / 3, 1 / 3)
    found = measure({"a": ["1"], "a_b": ["2"]}, {"a_b": ["2"], "a_c": ["3"]}, mode="high")
    assert [(each.column, each.anonymized_column) for each in found.checks] == [("a", "a_c"), ("a_b", "a_b")]
    found = measure({"Name": ["a"]}, {"name_first": ["a"], "name_last": ["b"]}, {"NAME": "name/drop"})
    assert [(each.anonymized_column, each.status) for each in found.checks] == [
        ("name_first", FAIL),
        ("name_last", FAIL),
    ]


@pytest.mark.slow
def test_match_columns__refuses_tables_without_a_common_column_and_is_quick() -> None:
    with pytest.raises(AuditInputError) as error:
        measure({"a": ["1"], "b": ["2"]}, {"z": ["1"]}, mode="high")
    assert says(error.value, "x_anonymized.csv: none of the 2 columns of x.csv is in it")
    original = {f"c{number}": ["1"] for number in range(8_000)}
    anonymized = {f"c{number}_x": ["1"] for number in range(8_000)}
    assert len(measure(original, anonymized).checks) == 8_000


# -------------------------------------------------------------------------------------- file figures


def test_policy_consistency__counts_logged_columns_that_should_be_gone() -> None:
    told = {"a": "x/drop", "b": "x/drop", "c": "dx/keep_if_permitted_else_drop", "d": "x/keep", "e": "x/drop"}
    original = {column: ["1", "2"] for column in "abcd"}
    anonymized = {"a": [None, "2"], "b": [None, None], "c": ["1", "2"], "d": ["1", "2"]}
    found = measure(original, anonymized, told)
    assert (found.inconsistent_columns, found.n_logged) == (("a", "c"), 5)
    assert found.policy_consistency == 3 / 5
    assert measure(original, anonymized, told, allow_dx=True).policy_consistency == 4 / 5
    assert measure(original, anonymized).policy_consistency == 1.0
    found = measure({"a": ["1"], "b": ["1"]}, {"a_1": ["1"], "b": ["1"]}, {"a": "x/drop"})
    assert found.inconsistent_columns == ("a",)


def test_pattern_residual__counts_cells_of_the_whole_table_but_no_correct_floor():
    anonymized = {
        "born": ["1980-01-01", "1987-05-05", None],
        "mail": ["a@b.co 2020-01-01", "x", "y"],
        "new": ["010-1234-5678", None, None],
    }
    found = measure({"born": ["x"] * 3, "mail": ["x"] * 3}, anonymized, {"born": "birthdate/date_floor_year"})
    assert (found.n_residual, found.n_filled) == (3, 6)
    assert found.pattern_residual == 0.5
    assert {each.column: dict(each.counts) for each in found.residuals} == {
        "born": {"date": 1},
        "mail": {"date": 1, "email": 1},
        "new": {"phone": 1},
    }
    assert measure({"a": ["1"]}, {"a": [None]}).pattern_residual == 0.0


def test_high_risk_handling__is_the_share_of_protected_high_risk_columns():
    told = {"a": "birthdate/date_floor_year", "b": "patient_id/keep", "c": "width/keep", "d": "zip_code/drop"}
    found = measure({"a": ["1"]}, {"a": ["1"]}, told)
    assert (found.unprotected_columns, found.n_high_risk) == (("b",), 3)
    assert found.high_risk_handling == 2 / 3
    assert measure({"a": ["1"]}, {"a": ["1"]}).high_risk_handling == 1.0


HIGH_RISK = (
    "ssn birthdate deathdate dob zip_code zipCode postalAddress ZIPCode patient_id patientID MRN name "
    "first-name driversLicense driver_licence phone_number mobile emailAddress date_of_birth name2 fullname "
    "surname username patientid telephone cellphone dateofbirth homeaddress resident_number lastName "
    "givenname maiden_name postcode nationalid RESIDENT-REGISTRATION-NUMBER"
).split()
LOW_RISK = (
    "width identity_type kidney filename renamed gender valid rebirth 이름 telemetry resident_physician "
    "candida covid residence_type"
).split()


def test_is_high_risk__knows_identifying_semantics_and_what_protects() -> None:
    assert [word for word in HIGH_RISK if not is_high_risk(word)] == []
    assert [word for word in ["", *LOW_RISK] if is_high_risk(word)] == []
    assert is_protecting("keep_if_permitted_else_drop", allow_dx=False)
    assert not is_protecting("keep_if_permitted_else_drop", allow_dx=True)
    assert not is_protecting("keep", allow_dx=False)
    assert is_protecting("mask_zip_leading", allow_dx=True)


# --------------------------------------------------------------------------------- words and names


def test_check_column__reads_actions_whatever_their_spelling():
    for action in ("Drop", "DROP ", "ｄｒｏｐ", "d\u200brop", "drop."):
        found = check(["Ana", "Rok"], ["Ana", "Rok"], f"name/{action}")
        assert (found.status, found.action) == (FAIL, "drop"), action
    for action in ("Date_Floor_Year", "date floor year", "dateFloorYear", "DATE-FLOOR-YEAR"):
        assert check(["1980-03-04"], ["1980-03-04"], f"birthdate/{action}").status is FAIL, action
        assert check(["1980-03-04"], ["1980-01-01"], f"birthdate/{action}").status is PASS, action


@pytest.mark.parametrize(
    ("original", "anonymized", "logged"),
    [
        ("name", "NAME", "Name"),
        ("name", "\ufeff\ufeffname", "name"),
        ("ime bolnika", "Ime_Bolnika", "IME BOLNIKA"),
        ("priimek č", "priimek c\u030c", "priimek č"),
        ("성명", "\u1109\u1165\u11bc\u1106\u1167\u11bc", "성명"),
    ],
)
def test_measure__matches_headers_whatever_their_case_and_composition(original, anonymized, logged):
    found = measure({original: ["Ana", "Rok"]}, {anonymized: ["Ana", "Rok"]}, {logged: "name/drop"})
    (result,) = found.checks
    assert (result.column, result.anonymized_column, result.status) == (original, anonymized, FAIL)
    assert found.inconsistent_columns == (original,)
    assert found.notes == ()


def test_measure__names_as_written_win_and_it_is_said_which_could_not_be_told_apart() -> None:
    columns = {"id": ["1"], "ID": ["2"]}
    found = measure(columns, columns, {"id": "other/drop", "ID": "other/keep"})
    assert [(each.column, each.action, each.status) for each in found.checks] == [
        ("id", "drop", FAIL),
        ("ID", "keep", PASS),
    ]
    assert found.notes == ()
    found = measure({"id": ["1"], "ID": ["2"], "a": ["3"]}, {"Id": ["1"], "a": ["3"]}, {"a": "other/keep"})
    assert [each.anonymized_column for each in found.checks] == [None, None, "a"]
    (note,) = found.notes
    assert (note.check, note.verdict) == ("column_names_alike", WARN)
    assert note.message.startswith("`id`, `ID` and `Id` ")


# --------------------------------------------------------------------------------- classes, decision


def test_quasi_identifiers__are_those_of_the_log_that_are_not_dropped() -> None:
    entries = "age/keep gender/drop zipcode/mask_zip_leading Age/keep race/keep maritalStatus/Keep wage/keep"
    columns = {column: ["1"] for column in "abcdfg"}
    assert measure(
        columns, columns, dict(zip("abcdefg", entries.split(), strict=True))
    ).quasi_identifiers == ("a", "c", "d", "f")
    found = measure(
        {"age": ["1"], "x": ["1"]}, {"age_low": ["1"], "age_high": ["2"], "x": ["1"]}, {"age": "age/keep"}
    )
    assert found.quasi_identifiers == ("age_high", "age_low")


def test_measure_classes__leaves_out_and_counts_records_blank_in_all():
    anonymized = table({"a": ["1", "1", None, None], "b": ["x", "x", None, "y"]})
    classes = measure_classes(anonymized, ["a", "b"])
    assert (classes.k, classes.n_left_out, classes.n_records) == (1, 1, 3)
    assert classes.share_below(2) == pytest.approx(1 / 3)
    assert measure_classes(anonymized, []) is None
    with pytest.raises(AuditInputError) as error:
        measure_classes(anonymized, ["a", "q"])
    assert says(error.value, "x.csv: …`q`…a, b")


def test_thresholds__are_the_published_ones_of_each_mode():
    low, high = TabularThresholds.for_mode("low"), TabularThresholds.for_mode("high")
    assert (low.policy_consistency_share, low.pattern_residual_share) == (0.60, 0.10)
    assert (low.high_risk_handling_share, low.warn_share) == (1.0, 0.50)
    assert (high.policy_consistency_share, high.pattern_residual_share) == (0.80, 0.10)
    assert (high.high_risk_handling_share, high.warn_share) == (1.0, 0.30)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_thresholds__refuse_what_is_no_share(value):
    with pytest.raises(AuditInputError) as error:
        TabularThresholds(policy_consistency_share=0.6, warn_share=value)
    assert error.value.problems == (f"warn_share must be from 0 to 1, received {value}.",)


def judged(columns, anonymized, told, mode="low", **limits):
    measured = measure(columns, anonymized, told, mode=mode)
    thresholds = TabularThresholds(**(vars(TabularThresholds.for_mode(mode)) | limits))
    return judge_tabular(measured, thresholds=thresholds)


def test_judge_tabular__passes_or_recommends_a_review_from_the_limit_on() -> None:
    audit = judged({"a": ["1"]}, {"a": ["1"]}, {"a": "x/keep"})
    assert (audit.verdict, audit.mandatory_review, audit.recommended_review) == (PASS, False, False)
    assert audit.findings == ()
    assert audit.second_opinion_verdict is Verdict.NOT_ASSESSED
    assert audit.overall is Verdict.NOT_ASSESSED
    columns, anonymized = {"a": ["1"], "b": ["1"]}, {"a": ["1"]}
    audit = judged(columns, anonymized, {"a": "x/keep"})
    assert (audit.verdict, audit.recommended_review) == (WARN, True)
    assert says(audit.findings[0].message, "recommended: 1 of 2 (50.0 %)…WARN…50.0 %")
    assert judged(columns, anonymized, {"a": "x/keep"}, warn_share=0.51).verdict is PASS


def test_judge_tabular__any_fail_message_or_missed_figure_fails() -> None:
    audit = judged({"a": ["1"], "b": ["1"]}, {"a": ["1"], "b": ["1"]}, {"a": "x/drop", "b": "x/keep"})
    assert (audit.verdict, audit.mandatory_review) == (FAIL, True)
    checks = ["policy_consistency", "mandatory_review", "column_dropped"]
    assert [finding.check for finding in audit.findings] == checks
    pieces = ("50.0 %, below 60.0 %: 1 of 2 (50.0 %)…`a`", "1 of 2 (50.0 %)", "`a`: 1 of 1 (100 %)")
    assert all(says(one.message, words) for one, words in zip(audit.findings, pieces, strict=True))
    cells = ["x"] * 9 + ["a@b.co"]
    audit = judged({"a": cells}, {"a": cells}, {"a": "x/keep"}, pattern_residual_share=0.09)
    assert (audit.verdict, audit.mandatory_review) == (FAIL, False)
    assert [finding.check for finding in audit.findings] == ["pattern_residual"]
    assert says(audit.findings[0].message, "above 9.0 %: 1 of 10 (10.0 %)")
    assert judged({"a": cells}, {"a": cells}, {"a": "x/keep"}).verdict is PASS
    unprotected = judged({"a": ["1"]}, {"a": ["1"]}, {"a": "patient_id/keep"})
    assert [finding.check for finding in unprotected.findings] == ["high_risk_handling"]
    assert says(unprotected.findings[0].message, "0 %, below 100 %: 1 of 1 (100 %)…`a`")


def test_judge_tabular__what_is_odd_about_the_log_or_the_row_counts_is_never_a_pass() -> None:
    audit = audit_tabular(
        table({"a": ["1", "1"]}),
        table({"a": ["1", "1"]}, name="x_anonymized.csv"),
        log({"a": "x/bless"}, source_file="y.csv"),
    )
    assert audit.verdict is PASS
    assert audit.second_opinion_verdict.severity >= WARN.severity
    assert {"log_action_unknown", "log_for_another_file"} <= {finding.check for finding in audit.all_findings}
    audit = audit_tabular(
        table({"a": ["1", "2", "3"]}),
        table({"a": ["1", "2"]}, name="x_anonymized.csv"),
        log({"a": "age/keep"}),
    )
    assert "row_count_differs" in {finding.check for finding in audit.all_findings}
    assert (audit.measurement.n_original, audit.measurement.n_anonymized) == (3, 2)


# ------------------------------------------------------------------------------------------ evidence


def test_evidence_rows__shows_shapes_until_asked():
    original, anonymized = {"d": ["1987-03-21", "1990-01-01"]}, {"d": ["1987-03-21", "1990-01-01"]}
    measured = measure(original, anonymized, {"d": "birthdate/date_floor_year"})
    pair = table(original), table(anonymized)
    (row,) = said_frame(evidence_rows(*pair, measured, "d")).to_dict("records")
    assert row == {
        "Record": 1,
        "Original value": "YYYY-MM-DD",
        "Anonymized value": "YYYY-MM-DD",
        "Found": "not the first day of a year",
    }
    (row,) = said_frame(evidence_rows(*pair, measured, "d", reveal=True)).to_dict("records")
    assert (row["Original value"], row["Anonymized value"]) == ("1987-03-21", "1987-03-21")


def evidence(original, anonymized, told, **options):
    measured = measure({"c": original}, {"c": anonymized}, {"c": told}, **options)
    rows = evidence_rows(table({"c": original}), table({"c": anonymized}), measured, "c", reveal=True)
    return rows.cells()


def test_evidence_rows__are_those_each_check_counted_of_no_other_column_and_limited() -> None:
    assert evidence(["a", "b"], [None, "b"], "x/drop") == [(2, "b", "b", "value remains")]
    assert evidence(["a"], ["1987-01-01"], "x/date_floor_decade") == [
        (1, "a", "1987-01-01", "not the first day of a decade")
    ]
    assert evidence(["a", "b"], ["a@b.co 2020-01-01", "x"], "x/keep") == [
        (1, "a", "a@b.co 2020-01-01", "Date, E-mail address")
    ]
    assert evidence(["a", "b"], [HEXADECIMAL[0], "b"], "x/pseudonymize") == [
        (2, "b", "b", "unchanged, or not like a pseudonym")
    ]
    assert evidence(["a", "b", "c"], [HEXADECIMAL[0], "b"], "x/pseudonymize") == [
        (2, "b", "unchanged, or not like a pseudonym")
    ]
    assert evidence(["a"], ["a"], "dx/keep_if_permitted_else_drop", allow_dx=True) == []
    assert evidence(["a"], ["a"], "dx/keep_if_permitted_else_drop") == [(1, "a", "a", "value remains")]
    original = table({"Unnamed: 1": ["x"], "a": ["x"]}, unnamed=("Unnamed: 1",))
    anonymized = table({"Unnamed: 1": ["x"], "a": ["x"], "new": ["x"]})
    measured = measure_tabular(original, anonymized, log())
    for column in ("new", "Unnamed: 1", "gone"):
        assert evidence_rows(original, anonymized, measured, column).cells() == []
    cells = [str(number) for number in range(500)]
    measured = measure({"c": cells}, {"c": cells}, {"c": "x/drop"})
    rows = evidence_rows(table({"c": cells}), table({"c": cells}), measured, "c")
    assert len(rows.cells()) == 100


# ------------------------------------------------------------------------- files as people have them


def test_audit_tabular__reads_dates_of_excel(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["born", "sex"])
    for year in (1980, 1987, 1990):
        book.active.append([datetime.datetime(year, 1, 1), "F"])
    book.save(tmp_path / "x_anonymized.xlsx")
    anonymized = read_dataset(tmp_path / "x_anonymized.xlsx")
    original = table({"born": ["1980-05-05", "1987-06-06", "1990-07-07"], "sex": ["F"] * 3}, name="x.xlsx")
    told = {"born": "birthdate/date_floor_year", "sex": "gender/keep"}
    assert measure_tabular(original, anonymized, log(told)).columns[0].status is PASS


def test_findings__tell_many_columns_as_one_with_the_gravest_first():
    names = [f"{letter}{number}" for letter in "abcdef" for number in range(2)]
    original = {**{name: ["1", "2", "3"] for name in names}, "ssn": ["8", "9", "7"]}
    told = log({**dict.fromkeys(names, "other/drop"), "ssn": "ssn/drop"})
    audit = audit_tabular(table(original), table(original, name="x_anonymized.csv"), told)
    (dropped,) = [finding for finding in audit.findings if finding.check == "column_dropped"]
    assert dropped.columns == ("ssn", *names)
    assert dropped.n_affected == 39
    assert "So it is with 12 more columns" in dropped.message
    severities = [finding.verdict.severity for finding in audit.all_findings]
    assert severities == sorted(severities, reverse=True)
