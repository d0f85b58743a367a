"""Measuring and judging disclosure risk on tables countable by hand."""

import math

import pytest

from core.errors import AuditInputError
from core.risk import (
    Hierarchy,
    RiskSettings,
    RiskThresholds,
    judge_risk,
    measure_risk,
    read_hierarchy,
    risk_document,
    risk_summary,
    suggested_settings,
)
from core.tables import Dataset
from core.verdict import Verdict, next_steps
from tests.risk_examples import PEOPLE, judged, measured, messages, table
from tests.saying import Saying


def test_figures__of_six_people() -> None:
    figures = judged(sensitive=("disease",)).figures
    assert figures == {
        "k": 1,
        "n_records": 6,
        "n_classes": 3,
        "average_class_size": 2.0,
        "share_k_lt_2": pytest.approx(1 / 6),
        "share_k_lt_3": pytest.approx(3 / 6),
        "share_k_lt_5": 1.0,
        "share_k_lt_11": 1.0,
        "share_k_lt_20": 1.0,
        "sample_unique_share": pytest.approx(1 / 6),
        "prosecutor_highest_risk": 1.0,
        "prosecutor_average_risk": 0.5,
        "records_at_risk_share": 1.0,
        "unchosen_unique_share": 1.0,  # by the salary
    }


def test_sensitive__of_six_people() -> None:
    (disease,) = measured(sensitive=("disease",)).sensitive
    assert disease.distance == "equal"
    assert disease.distinct_l.tolist() == [2, 1, 1]
    assert disease.figures["distinct_l"] == 1
    assert disease.figures["alpha"] == 1.0
    assert disease.figures["recursive_c_at_l2"] == math.inf
    assert disease.figures["basic_beta"] == pytest.approx((1 - 1 / 6) / (1 / 6))
    assert disease.below_l(2) == (2, 3)
    assert disease.above("t", disease.figures["t"] or 0) == (0, 0)


def test_distance__is_ordered_for_numbers_unless_chosen() -> None:
    assert measured(sensitive=("salary",)).sensitive[0].distance == "ordered"
    assert measured(sensitive=("salary",), distance="equal").sensitive[0].distance == "equal"


def test_distance__ordered_takes_numbers_by_value_and_not_as_written() -> None:
    text = "age,salary\n30,3\n30,3.0\n40,12\n40,12\n"
    (salary,) = measured(text, quasi="age", sensitive=("salary",)).sensitive
    assert salary.n_values == 2
    assert salary.by_class.t.tolist() == [0.5, 0.5]


def test_distance__ordered_refuses_texts() -> None:
    with pytest.raises(AuditInputError) as raised:
        measured(sensitive=("disease",), distance="ordered")
    assert str(raised.value) == Saying("The values of `disease` have no order: not all of them are …")


BLANK_DISEASES = "age,disease\n30,flu\n30,\n30,*\n40,flu\n40,cold\n50,\n50,\n"


def test_missing_sensitive__is_unknown_and_counted_in_a_finding() -> None:
    audit = judged(BLANK_DISEASES, quasi="age", sensitive=("disease",), k=2)
    (disease,) = audit.measurement.sensitive
    assert disease.distinct_l.tolist() == [1, 2, 0]
    assert (disease.figures["distinct_l"], disease.n_missing, disease.n_values) == (1, 4, 2)
    assert messages(audit)["missing_sensitive_values"] == Saying(
        "WARN: 4 of 7 records have no known value of `disease` and were …"
    )


def test_missing_sensitive__can_be_a_value() -> None:
    (disease,) = measured(
        BLANK_DISEASES, quasi="age", sensitive=("disease",), missing_sensitive="value"
    ).sensitive
    assert disease.distinct_l.tolist() == [3, 2, 1]
    assert disease.n_missing == 0


def test_missing_sensitive__as_a_value_has_no_order() -> None:
    text = "age,salary\n30,3\n30,\n"
    with pytest.raises(AuditInputError) as raised:
        measured(text, quasi="age", sensitive=("salary",), missing_sensitive="value", distance="ordered")
    assert str(raised.value) == Saying("The values of `salary` have no order: not all of them are …")


def test_sensitive_without_any_value__is_not_assessed() -> None:
    audit = judged("age,disease\n30,\n30,\n", quasi="age", sensitive=("disease",), k=2)
    assert audit.verdict is Verdict.NOT_ASSESSED
    assert audit.measurement.sensitive[0].figures["t"] is None
    assert messages(audit)["sensitive"] == Saying("NOT_ASSESSED: No assessed record has a known value of …")


def test_person__counts_each_value_of_a_person_once() -> None:
    text = "age,who,disease\n30,a,flu\n30,a,flu\n30,a,flu\n30,b,cold\n30,,gout\n"
    (disease,) = measured(text, quasi="age", person="who", sensitive=("disease",)).sensitive
    assert disease.by_class.alpha.tolist() == pytest.approx([1 / 3])


def test_others_added__makes_the_other_sensitive_attributes_quasi_identifiers() -> None:
    text = "age,disease,income\n30,flu,low\n30,cold,high\n30,flu,high\n"
    one_by_one = measured(text, quasi="age", sensitive=("disease", "income"))
    stricter = measured(text, quasi="age", sensitive=("disease", "income"), several_sensitive="others_added")
    assert [each.figures["distinct_l"] for each in one_by_one.sensitive] == [2, 2]
    assert [each.figures["distinct_l"] for each in stricter.sensitive] == [1, 1]
    assert stricter.sensitive[0].classes.quasi_identifiers == ("age", "income")
    assert stricter.classes.k == 3


def test_wildcards__count_sensitive_values_of_compatible_records() -> None:
    text = "age,disease\n30,flu\n,cold\n40,gout\n"
    (disease,) = measured(
        text.replace("age,", "age,sex,")
        .replace(",flu", ",F,flu")
        .replace(",cold", ",F,cold")
        .replace(",gout", ",F,gout"),
        missing="wildcard",
        sensitive=("disease",),
    ).sensitive
    assert disease.distinct_l.tolist() == [2, 3, 2]
    assert disease.by_class.t.tolist() == pytest.approx([1 / 3, 0, 1 / 3])


TREE = "value,group,all\nflu,lung,any\ncold,lung,any\ngout,joint,any\n"


def test_hierarchy__gives_the_hierarchical_distance() -> None:
    people = table(PEOPLE)
    settings = RiskSettings(quasi_identifiers=("age", "sex"), sensitive=("disease",))
    found = measure_risk(people, settings=settings, hierarchies={"disease": read_hierarchy(table(TREE))})
    (disease,) = found.sensitive
    assert disease.distance == "hierarchical"
    # Class (50, F) is all gout: 5/6 of the table moves to it across both levels.
    assert disease.by_class.t[2] == pytest.approx(5 / 6)
    # Class (30, F): 2/3 flu, 1/3 cold, 0 gout against 4/6, 1/6, 1/6: 1/6 moves to cold from the other group.
    assert disease.by_class.t[0] == pytest.approx(1 / 6)


def test_hierarchy__that_lacks_values_is_refused() -> None:
    settings = RiskSettings(quasi_identifiers=("age", "sex"), sensitive=("disease",))
    hierarchy = Hierarchy(groups={"flu": ("lung",)})
    with pytest.raises(AuditInputError) as raised:
        measure_risk(table(PEOPLE), settings=settings, hierarchies={"disease": hierarchy})
    assert str(raised.value) == "The hierarchy lacks 2 of 3 values of `disease`; give each value a line."


def test_read_hierarchy__collects_what_is_wrong() -> None:
    with pytest.raises(AuditInputError) as raised:
        read_hierarchy(table("value,group,area\na,x,1\na,x,2\nb,,1\n", "tree.csv"))
    assert raised.value.problems == (
        "tree.csv lacks 1 cell; give every value a group on every level.",
        "tree.csv has 1 line for a value that has one already.",
        "tree.csv: a group of level 1 lies in several groups of level 2.",
    )
    with pytest.raises(AuditInputError) as raised:
        read_hierarchy(table("value\na\nb\n", "tree.csv"))
    assert raised.value.problems == ("tree.csv needs two columns or more: the value, then its groups.",)


# -------------------------------------------------------------------------------------------- verdicts


def test_judge__fails_small_classes_and_classes_with_one_value() -> None:
    audit = judged(sensitive=("disease",), k=2)
    assert audit.verdict is Verdict.FAIL
    assert messages(audit)["k"] == Saying(
        "FAIL: 1 of 6 records (16.7 %) is in a class of fewer than 2 … 1 record."
    )
    assert messages(audit)["distinct_l"] == Saying(
        "FAIL: 2 of 3 classes hold one and the same value of `disease`: 3 of 6 records (50.0 %) …"
    )


def test_judge__l_of_three_speaks_of_fewer_values() -> None:
    audit = judged(sensitive=("disease",), k=2, l=3)
    assert messages(audit)["distinct_l"] == Saying(
        "FAIL: 3 of 3 classes hold fewer than 3 different values of … 6 of 6 records (100 %) …"
    )


PASSING = "age,disease\n" + "30,flu\n30,cold\n30,gout\n" * 2 + "40,flu\n40,cold\n40,gout\n" * 2


def test_judge__passes_what_meets_every_threshold() -> None:
    found = measured(PASSING, quasi="age", sensitive=("disease",))
    audit = judge_risk(found, RiskThresholds(k=5, l=3, entropy_l=3, t=0.1, average_risk=0.17))
    assert audit.verdict is audit.overall is audit.exposure_verdict is Verdict.PASS
    assert list(messages(audit).values()) == [
        "PASS: Every combination of the quasi-identifiers is shared by at least 6 records; 5 are asked for.",
        "PASS: The average risk of a record is 0.167; at most 0.170 is asked for.",
        "PASS: Every class has at least 3 different values of `disease`.",
        "PASS: The smallest entropy ℓ of `disease` is 3.000; at least 3 is asked for.",
        Saying("PASS: In every class the values of `disease` are spread as in … 0; … 0.100 is …"),
    ]


def test_judge__every_threshold_can_fail() -> None:
    audit = judge_risk(
        measured(sensitive=("disease",)), RiskThresholds(k=2, l=None, entropy_l=1.5, t=0.2, average_risk=0.4)
    )
    assert {finding.check: finding.verdict.value for finding in audit.findings} == {
        "k": "FAIL",
        "average_risk": "FAIL",
        "entropy_l": "FAIL",
        "t": "FAIL",
    }
    assert messages(audit)["t"] == Saying(
        "FAIL: In 2 classes (3 records) the values of `disease` are … 0.200 from … 0.833."
    )


@pytest.mark.parametrize("k", [3, 5, 11, 20])
def test_presets__are_the_reciprocal_of_the_highest_risk(k: int) -> None:
    text = "age\n" + "30\n" * k
    assert judged(text, quasi="age", k=k).verdict is Verdict.PASS
    assert judged(text, quasi="age", k=k + 1).verdict is Verdict.FAIL


def test_thresholds__out_of_range_are_named() -> None:
    with pytest.raises(AuditInputError) as raised:
        judge_risk(measured(), RiskThresholds(k=0, l=0, entropy_l=0.5, t=1.5, average_risk=-1))
    assert raised.value.problems == (
        "k must be at least 1, received 0.",
        "l must be at least 1, received 0.",
        "entropy_l must be at least 1, received 0.5.",
        "t must be from 0 to 1, received 1.5.",
        "average_risk must be from 0 to 1, received -1.",
    )


def test_nothing_assessed__is_never_a_pass() -> None:
    audit = judge_risk(measured("age,sex,x\n,,1\n*,,2\n"), RiskThresholds(average_risk=0.5))
    assert audit.verdict is audit.overall is Verdict.NOT_ASSESSED
    assert messages(audit)["k"] == "NOT_ASSESSED: None of 2 records could be assessed: all are left out."
    assert messages(audit)["average_risk"] == Saying("NOT_ASSESSED: No record is assessed, so there is …")
    assert audit.figures["k"] is audit.figures["share_k_lt_2"] is audit.figures["average_class_size"] is None


def test_one_record__is_unique() -> None:
    audit = judged("age,sex\n30,F\n")
    assert (audit.figures["k"], audit.figures["sample_unique_share"], audit.verdict) == (1, 1.0, Verdict.FAIL)


# -------------------------------------------------------------------------------------------- exposure


def test_exposure__a_direct_identifier_fails_however_large_the_classes() -> None:
    names = ["Anna Kovač", "John Smith", "Maja Novak", "Peter Horvat", "Eva Zupan", "Ivan Kos"]
    rows = PASSING.splitlines()
    text = "\n".join(["name," + rows[0], *(f"{names[i % 6]},{row}" for i, row in enumerate(rows[1:]))])
    audit = judged(text, quasi="age", sensitive=("disease",))
    assert (audit.verdict, audit.overall) == (Verdict.PASS, Verdict.FAIL)
    assert messages(audit)["direct_identifiers"] == Saying(
        "FAIL: `name` looks like a direct identifier of people: …"
    )
    assert next_steps(audit.all_findings)[0] == "Remove `name`, or say what of it is not released."
    released = judged(text, quasi="age", sensitive=("disease",), leave_out=("name",))
    assert released.overall is Verdict.PASS


def test_exposure__numbers_that_only_their_name_gives_away_may_be_fresh_pseudonyms() -> None:
    rows = PASSING.splitlines()
    for number, step in (
        (
            lambda i: f"Q{i * 7919 % 9973:04}",
            "Remove `emso`, or, if the values are fresh random pseudonyms, ",
        ),
        (lambda i: f"{900101 + i}-1234567", "Remove `emso`, or say what of it is not released."),
    ):
        text = "\n".join(["emso," + rows[0], *(f"{number(i)},{row}" for i, row in enumerate(rows[1:]))])
        audit = judged(text, quasi="age", sensitive=("disease",))
        assert audit.overall is Verdict.FAIL
        assert next_steps(audit.all_findings)[0].startswith(step)


def test_exposure__a_column_that_tells_records_apart_is_a_warning() -> None:
    rows = PASSING.splitlines()
    text = "\n".join(["code," + rows[0], *(f"{97 * i + 1000},{row}" for i, row in enumerate(rows[1:]))])
    audit = judged(text, quasi="age", sensitive=("disease",))
    assert audit.overall is Verdict.WARN
    assert messages(audit)["distinct_columns"] == Saying(
        "WARN: `code` tells nearly every record apart and is not among …"
    )


def test_exposure__numbers_that_only_count_the_rows_tell_nobody_apart() -> None:
    rows = PASSING.splitlines()
    numbered = [",".join(["", rows[0]]), *(f"{i},{row}" for i, row in enumerate(rows[1:], 1))]
    audit = judged("\n".join(numbered), quasi="age", sensitive=("disease",))
    assert audit.overall is Verdict.PASS
    assert not {"distinct_columns", "unchosen_columns", "order"} & set(messages(audit))
    turned = [numbered[0], *(f"{len(rows) - i},{row}" for i, row in enumerate(rows[1:], 1))]
    audit = judged("\n".join(turned), quasi="age", sensitive=("disease",))
    assert messages(audit)["distinct_columns"].startswith("WARN: `Unnamed: 1` tells")


def test_exposure__a_quasi_identifier_nobody_chose_is_a_warning() -> None:
    audit = judged(quasi="sex", sensitive=("disease", "salary"), k=2, l=1)
    assert messages(audit)["further_quasi_identifiers"] == Saying(
        "WARN: `age` may be known about a person from elsewhere, and is …"
    )


def test_exposure__says_what_was_left_out_and_what_changes_nothing() -> None:
    text = "age,sex,land\n30,F,SI\n30,,SI\n,,\n"
    audit = judged(text, quasi="age,sex,land", k=2, missing="drop")
    assert messages(audit)["fully_suppressed"] == Saying("PASS: 1 of 3 records is suppressed (blank or …")
    assert messages(audit)["dropped_records"] == Saying("WARN: 1 of 3 records lacks a quasi-identifier …")
    assert messages(audit)["all_columns"] == Saying("WARN: All 3 columns are quasi-identifiers: …")
    assert messages(audit)["no_sensitive_attribute"] == Saying(
        "WARN: No sensitive attribute is chosen, so what a class gives …"
    )
    as_value = messages(judged("age,sex,x\n30,F,1\n30,,1\n", k=2))
    assert as_value["constant_columns"] == Saying("PASS: `age` holds one and the same value in all …")
    assert as_value["missing_quasi_identifiers"] == (
        "PASS: 1 of 4 cells of the quasi-identifiers (25.0 %) is missing, which counts as a value of its own."
    )
    assert messages(judged(text, missing="wildcard"))["wildcards"] == Saying(
        "WARN: 1 of 2 records lacks a quasi-identifier, which was taken …"
    )


def test_exposure__unknown_persons_are_a_warning() -> None:
    audit = judged("age,who\n30,a\n30,\n", quasi="age", person="who")
    assert messages(audit)["unknown_persons"] == Saying("WARN: 1 of 2 records names no person in `who`. …")
    assert messages(audit)["k"] == Saying(
        "FAIL: 2 of 2 records (100 %) are in classes of fewer than 5 … 1 person."
    )
    assert (audit.figures["n_persons"], audit.figures["persons_at_risk_share"]) == (1, 1.0)


# ------------------------------------------------------------------------------------------- comparison

ORIGINAL = "age,sex,zip,disease\n31,F,1000,flu\n39,F,1000,cold\n42,M,1001,flu\n48,M,1002,gout\n"
RELEASED = "age,sex,disease\n30-39,F,flu\n30-39,F,cold\n40-49,M,flu\n40-49,M,\n"


def _compared(original: str = ORIGINAL) -> Dataset:
    return table(original, "original.csv")


def test_comparison__says_what_anonymization_cost() -> None:
    settings = RiskSettings(quasi_identifiers=("age", "sex"), sensitive=("disease",))
    found = measure_risk(table(RELEASED), settings=settings, original=_compared()).comparison
    assert found is not None
    # Ages 31–39 span 8 of 17 years, 42–48 span 6; sex loses nothing.
    assert found.ncp == pytest.approx(((8 / 17 + 6 / 17) / 2 + 0) / 2)
    assert (found.discernibility, found.discernibility_original) == (8, 4)
    assert found.average_class_size_original == 1.0
    assert [(each.column, each.released, each.changed_share) for each in found.columns] == [
        ("age", True, 1.0),
        ("sex", True, 0.0),
        ("zip", False, None),
        ("disease", True, 0.25),
    ]
    assert (found.columns[3].n_missing_original, found.columns[3].n_missing) == (0, 1)


def test_comparison__with_other_rows_says_only_what_needs_no_pairing() -> None:
    settings = RiskSettings(quasi_identifiers=("age",))
    found = measure_risk(
        table(RELEASED), settings=settings, original=_compared(ORIGINAL + "50,F,1000,flu\n")
    ).comparison
    assert found is not None
    assert not found.same_rows
    assert found.ncp is None
    assert all(each.changed_share is None for each in found.columns)


def test_comparison__categories_and_columns_the_original_lacks() -> None:
    original = "town,x\nKranj,1\nBled,2\nPiran,3\n,4\n"
    released = "town,region\nNorth,a\nNorth,a\nSouth,a\nSouth,a\n"
    found = measure_risk(
        table(released), settings=RiskSettings(quasi_identifiers=("town",)), original=table(original)
    ).comparison
    assert found is not None
    assert found.ncp == pytest.approx((2 / 3 + 0) / 2)
    nothing = measure_risk(
        table(released), settings=RiskSettings(quasi_identifiers=("region",)), original=table(original)
    ).comparison
    assert nothing is not None
    assert (nothing.classes_original, nothing.discernibility_original, nothing.ncp) == (None, None, None)


def test_comparison__of_a_column_that_was_empty_before_lost_nothing() -> None:
    original = "age,town\n30,\n40,\n"
    found = measure_risk(
        table(original), settings=RiskSettings(quasi_identifiers=("age", "town")), original=table(original)
    ).comparison
    assert found is not None
    assert found.ncp == 0


def test_comparison__counts_persons_of_the_original_too() -> None:
    original = "age,who\n30,1\n30,1\n30,2\n40,3\n40,4\n"
    settings = RiskSettings(quasi_identifiers=("age",), person="who")
    found = measure_risk(table(original), settings=settings, original=table(original)).comparison
    assert found is not None
    assert found.classes_original is not None
    assert found.classes_original.class_sizes.tolist() == [2, 2]
    assert found.discernibility_original == found.discernibility == 8


def _lost(original: list[str], released: list[str]) -> float | None:
    """Return the precision lost in one quasi-identifier, beside one that is as it was."""
    tables = [
        table("x,y\n" + "".join(f"{cell},{row % 2}\n" for row, cell in enumerate(cells)))
        for cells in (released, original)
    ]
    settings = RiskSettings(quasi_identifiers=("x", "y"))
    found = measure_risk(tables[0], settings=settings, original=tables[1]).comparison
    assert found is not None
    return found.columns[0].ncp


def test_precision_lost__counts_what_was_merged_although_the_classes_are_pure() -> None:
    towns = ["Kranj", "Bled", "Piran", "Ptuj"]
    # Bled and Ptuj are `other` now; y tells them apart, so that every class is of one town.
    assert _lost([*towns[:2], "Kranj", "Ptuj"], ["Kranj", "other", "Kranj", "other"]) == pytest.approx(1 / 3)
    assert _lost(towns, towns) == 0
    assert _lost(towns, ["Kranj", "other", "Piran", "Ptuj"]) == pytest.approx(2 / 4 / 4)
    assert _lost(towns, ["a", "b", "c", "d"]) == 0  # another name loses nothing
    assert _lost(["other", *towns[1:]], ["other", *towns[1:]]) == 0


def test_precision_lost__counts_what_was_blanked_as_all() -> None:
    ages = ["31", "39", "42", "48"]
    for blank in ("", "*", "***", "[REDACTED]", "unknown", "삭제"):
        assert _lost(ages, [blank, *ages[1:]]) == pytest.approx(1 / 4), blank
    assert _lost(["31", "", "42", "48"], ["31", "", "42", "48"]) == 0
    assert _lost(["31", "unknown", "42", "48"], ["31", "unknown", "42", "48"]) == 0


def test_precision_lost__counts_records_whose_quasi_identifiers_all_are_blank() -> None:
    settings = RiskSettings(quasi_identifiers=("age", "sex"))
    released = "age,sex\n31,F\n39,F\n*,*\n*,*\n"
    found = measure_risk(
        table(released), settings=settings, original=table("age,sex\n31,F\n39,F\n42,M\n48,M\n")
    ).comparison
    assert found is not None
    assert found.ncp == pytest.approx(0.5)


def test_document__holds_the_agreed_keys() -> None:
    settings = RiskSettings(quasi_identifiers=("age", "sex"), sensitive=("disease",))
    audit = judge_risk(measure_risk(table(RELEASED), settings=settings, original=_compared()))
    document = risk_document(audit)
    assert document["tool"] == "risk"
    assert document["class_sizes"] == [{"class_size": 2, "n_records": 4}]
    assert document["sensitive"]["disease"]["recursive_c_at_l2"] is None
    assert document["original"]["k"] == 1
    limits = dict.fromkeys(
        ("entropy_l", "t", "average_risk", "alpha", "beta", "delta", "household_risk", "person_k")
    )
    assert document["thresholds"] == {"k": 5, "l": 2, **limits}
    assert "Precision lost" in "\n".join(risk_summary(audit))


def test_suggested_settings__take_names_and_values() -> None:
    assert suggested_settings(table(PEOPLE)) == RiskSettings(
        quasi_identifiers=("age", "sex"), sensitive=("disease", "salary")
    )


PEOPLE_NAMES = ("Anna Kovač", "John Smith", "Maja Novak", "Peter Horvat", "Eva Zupan", "Ivan Kos")
NAMED = "name," + "\n".join(
    row if number == 0 else f"{PEOPLE_NAMES[number % 6]},{row}"
    for number, row in enumerate(PASSING.splitlines())
)


def test_exposure__a_column_said_to_be_a_direct_identifier_fails() -> None:
    one = judged(PASSING.replace("disease", "code"), quasi="age", direct_identifiers=("code",))
    assert messages(one)["direct_identifiers"] == Saying("FAIL: `code` is a direct identifier of people: …")
    two = judged(NAMED, quasi="age", direct_identifiers=("name", "disease"))
    assert messages(two)["direct_identifiers"].startswith("FAIL: `name`, `disease` are direct identifiers")


def test_exposure__a_column_said_to_be_harmless_is_doubted() -> None:
    audit = judged(NAMED, quasi="age", sensitive=("disease",), other=("name",))
    assert messages(audit)["doubtful_identifiers"] == Saying("WARN: `name` looks like a direct …")
    assert audit.overall is Verdict.WARN


def test_hierarchy__of_another_column_is_refused() -> None:
    settings = RiskSettings(quasi_identifiers=("age",), sensitive=("disease",))
    with pytest.raises(AuditInputError) as raised:
        measure_risk(table(PEOPLE), settings=settings, hierarchies={"illness": Hierarchy()})
    assert str(raised.value) == Saying("There are groups of values for `illness`, which is no sensitive …")


def test_exposure__sensitive_values_that_name_people_fail() -> None:
    names = ("Mary Smith", "Ana Novak", "James Jones", "Linda Brown", "Susan Taylor", "Karen Walker")
    text = "age,contact\n" + "".join(f"30,{name}\n" for name in names)
    assert messages(judged(text, quasi="age", sensitive=("contact",)))["sensitive_identifiers"] == Saying(
        "FAIL: `contact` is chosen as sensitive, and the values look …"
    )
    drugs = "age,drug\n" + "".join(f"30,{name}\n" for name in ("ibuprofen", "metformin", "insulin") * 2)
    assert "sensitive_identifiers" not in messages(judged(drugs, quasi="age", sensitive=("drug",)))


def test_exposure__free_text_is_not_assessed_whatever_its_role() -> None:
    notes = "".join(f"30,seen on ward {n} after a long night with pain in bed {n}\n" for n in range(12))
    for role in ({"sensitive": ("note",)}, {"other": ("note",)}, {}):
        told = messages(judged("age,note\n" + notes, quasi="age", **role))
        assert told["text_not_read"] == Saying(
            "NOT_ASSESSED: `note` is free text (12 cells). … 12 cells … 1.0 % … (95 % …"
        )
        assert not {"direct_identifiers", "sensitive_identifiers", "distinct_columns"} & set(told)
    assert "text_not_read" not in messages(judged("age,note\n" + notes, quasi="age", leave_out=("note",)))


def _steps(*rows: str, **settings: object) -> list[str]:
    audit = judged("\n".join(["zip,sex", *rows]), quasi="zip,sex", l=None, **settings)
    return [finding.remedy for finding in audit.findings if finding.check == "k"]


def test_next_step__names_the_column_that_makes_classes_small() -> None:
    assert _steps(*(f"{n},{'mf'[n % 2]}" for n in range(10)))[0] == Saying(
        "Make coarser: `zip` (without it, 0 records would be left in …"
    )


def test_next_step__counts_few_records_to_suppress() -> None:
    assert _steps(*["1,m"] * 20, *["1,f"] * 20, "2,m", "2,f")[0] == Saying(
        "Suppress the 2 records in small classes, or make coarser: … 0 records …"
    )


@pytest.mark.parametrize("settings", [{}, {"missing": "wildcard"}])
def test_next_step__names_all_where_none_alone_is_enough(settings: dict[str, object]) -> None:
    found = _steps(*["1,m"] * 20, "2,a", "3,b", "4,c", **settings)
    assert found == ["Suppress the 3 records in small classes, or make coarser: `zip`, `sex`."]


def test_next_step__of_a_sensitive_attribute_counts_the_records() -> None:
    people = "\n".join(["zip,sex,ill", *["1,m,flu"] * 5, *["2,f,flu", "2,f,gout"] * 5])
    audit = judged(people, quasi="zip,sex", sensitive=("ill",))
    assert [each.remedy for each in audit.findings if each.check == "distinct_l"] == [
        "Make `zip`, `sex` coarser, or suppress the 5 records whose classes give it away."
    ]
