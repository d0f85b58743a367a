"""Measuring and judging disclosure risk on tables countable by hand."""

import math
from functools import partial

import pytest

from core.attribute_disclosure import LIMITS
from core.reports.as_text import lines_of
from core.risk import (
    Hierarchy,
    RiskSettings,
    RiskThresholds,
    read_hierarchy,
    suggested_settings,
)
from core.risk.comparison import Comparison
from core.risk.result import TOOL, risk_result
from core.risk.sensitive import SensitiveMeasurement
from core.verdict import Verdict, next_steps
from tests.cases.table import holds_for_each
from tests.one_json import document_of, figures_of
from tests.risk_examples import DISEASE, PEOPLE, judged, measured, messages, problems, table, tells
from tests.saying import Saying


def _sensitive(text: str = PEOPLE, **chosen: object) -> SensitiveMeasurement:
    return measured(text, **({**DISEASE, **chosen})).sensitive[0]


def test_figures__of_six_people() -> None:
    assert judged(**DISEASE).figures == {
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
        "further_column_at_risk_share": 1.0,
    }
    audit = judged("age,sex\n30,F\n")
    assert (audit.figures["k"], audit.figures["sample_unique_share"], audit.verdict) == (1, 1.0, Verdict.FAIL)


def test_sensitive__of_six_people() -> None:
    disease = _sensitive()
    assert disease.distance == "equal"
    assert disease.distinct_l.tolist() == [2, 1, 1]
    assert disease.figures["distinct_l"] == 1
    assert disease.figures["alpha"] == 1.0
    assert disease.figures["recursive_c_at_l2"] == math.inf
    assert disease.figures["basic_beta"] == pytest.approx((1 - 1 / 6) / (1 / 6))
    assert disease.beyond(LIMITS[0], 2) == (2, 3)
    assert disease.beyond(LIMITS[2], disease.figures["t"] or 0) == (0, 0)


def test_distance__is_ordered_for_numbers_by_value_unless_chosen_and_refused_for_texts() -> None:
    salary = {"sensitive": ("salary",)}
    assert _sensitive(**salary).distance == "ordered"
    assert _sensitive(**salary, distance="equal").distance == "equal"
    written = _sensitive("age,salary\n30,3\n30,3.0\n40,12\n40,12\n", quasi="age", **salary)
    assert (written.n_values, written.by_class.figures["t"].tolist()) == (2, [0.5, 0.5])
    missing = {"quasi": "age", **salary, "missing_sensitive": "value"}
    for text, chosen in ((PEOPLE, DISEASE), ("age,salary\n30,3\n30,\n", missing)):
        (problem,) = problems(partial(_sensitive, text, **chosen, distance="ordered"))
        assert problem == Saying(f"The values of `{chosen['sensitive'][0]}` have no order: not all of them …")


BLANK_DISEASES = "age,disease\n30,flu\n30,\n30,*\n40,flu\n40,cold\n50,\n50,\n"


def test_missing_sensitive__is_unknown_and_counted_in_a_finding_or_a_value() -> None:
    audit = judged(BLANK_DISEASES, quasi="age", k=2, **DISEASE)
    (disease,) = audit.measurement.sensitive
    assert disease.distinct_l.tolist() == [1, 2, 0]
    assert (disease.figures["distinct_l"], disease.n_missing, disease.n_values) == (1, 4, 2)
    tells(audit, missing_sensitive_values="WARN: 4 of 7 records have no known value of `disease` and were ")
    disease = _sensitive(BLANK_DISEASES, quasi="age", missing_sensitive="value")
    assert (disease.distinct_l.tolist(), disease.n_missing) == ([3, 2, 1], 0)
    nothing = judged("age,disease\n30,\n30,\n", quasi="age", k=2, **DISEASE)
    assert nothing.verdict is Verdict.NOT_ASSESSED
    assert nothing.measurement.sensitive[0].figures["t"] is None
    tells(nothing, sensitive="NOT_ASSESSED: No assessed record has a known value of ")


def test_person__counts_each_value_of_a_person_once() -> None:
    text = "age,who,disease\n30,a,flu\n30,a,flu\n30,a,flu\n30,b,cold\n30,,gout\n"
    found = _sensitive(text, quasi="age", person="who").by_class.figures["alpha"]
    assert found.tolist() == pytest.approx([1 / 3])


def test_others_added__makes_the_other_sensitive_attributes_quasi_identifiers() -> None:
    text = "age,disease,income\n30,flu,low\n30,cold,high\n30,flu,high\n"
    both = {"quasi": "age", "sensitive": ("disease", "income")}
    one_by_one, stricter = measured(text, **both), measured(text, **both, several_sensitive="others_added")
    assert [each.figures["distinct_l"] for each in one_by_one.sensitive] == [2, 2]
    assert [each.figures["distinct_l"] for each in stricter.sensitive] == [1, 1]
    assert stricter.sensitive[0].classes.quasi_identifiers == ("age", "income")
    assert stricter.classes.k == 3


def test_hierarchy__gives_the_hierarchical_distance() -> None:
    tree = read_hierarchy(table("value,group,all\nflu,lung,any\ncold,lung,any\ngout,joint,any\n"))
    disease = _sensitive(hierarchies={"disease": tree})
    assert disease.distance == "hierarchical"
    # Class (50, F) is all gout: 5/6 of the table moves to it across both levels.
    assert disease.by_class.figures["t"][2] == pytest.approx(5 / 6)
    # Class (30, F): 2/3 flu, 1/3 cold, 0 gout against 4/6, 1/6, 1/6: 1/6 moves to cold from the other group.
    assert disease.by_class.figures["t"][0] == pytest.approx(1 / 6)


def test_hierarchy__that_does_not_fit_is_refused_with_all_that_is_wrong() -> None:
    lacking = {"disease": Hierarchy(groups={"flu": ("lung",)})}
    assert problems(partial(_sensitive, hierarchies=lacking)) == (
        "The hierarchy lacks 2 of 3 values of `disease`; give each value a line.",
    )
    assert problems(partial(_sensitive, hierarchies={"illness": Hierarchy()})) == (
        Saying("There are groups of values for `illness`, which is no sensitive …"),
    )
    tree = table("value,group,area\na,x,1\na,x,2\nb,,1\n", "tree.csv")
    assert problems(lambda: read_hierarchy(tree)) == (
        "tree.csv lacks 1 cell; give every value a group on every level.",
        "tree.csv has 1 line for a value that has one already.",
        "tree.csv: a group of level 1 lies in several groups of level 2.",
    )
    assert problems(lambda: read_hierarchy(table("value\na\nb\n", "tree.csv"))) == (
        "tree.csv needs two columns or more: the value, then its groups.",
    )


# -------------------------------------------------------------------------------------------- verdicts


def test_judge__fails_small_classes_and_classes_with_few_values() -> None:
    audit = judged(k=2, **DISEASE)
    assert audit.verdict is Verdict.FAIL
    tells(
        audit,
        k="FAIL: 1 of 6 persons (16.7 %) shares … with nobody…",
        distinct_l="FAIL: 3 of 6 records (50.0 %) give `disease` away: … same value (2 of 3 groups).",
    )
    few = "FAIL: 6 of 6 records (100 %) give `disease` away: … fewer than 3 different values (3 of 3 groups)."
    tells(judged(k=2, l=3, **DISEASE), distinct_l=few)


PASSING = "age,disease\n" + "30,flu\n30,cold\n30,gout\n" * 2 + "40,flu\n40,cold\n40,gout\n" * 2
BY_AGE = {"quasi": "age", **DISEASE}


def test_judge__passes_what_meets_every_threshold() -> None:
    audit = judged(PASSING, l=3, limits={"entropy_l": 3, "t": 0.1, "average_risk": 0.17}, **BY_AGE)
    assert audit.verdict is audit.overall is audit.exposure_verdict is Verdict.PASS
    assert list(messages(audit).values()) == [
        Saying("PASS: Every combination of … at least 6 records; 5 are asked for."),
        Saying("PASS: The average risk … is 0.167; at most 0.170 is asked for."),
        Saying("PASS: Every group has at least 3 different values of `disease`."),
        Saying("PASS: The smallest entropy ℓ of `disease` is 3.000; at least 3 is asked for."),
        Saying("PASS: In every group the values of `disease` are spread as in … 0; … 0.100 is …"),
    ]


def test_judge__every_threshold_can_fail() -> None:
    audit = judged(k=2, l=None, limits={"entropy_l": 1.5, "t": 0.2, "average_risk": 0.4}, **DISEASE)
    checks = {"k", "average_risk", "entropy_l", "t"}
    assert {each.check: each.verdict for each in audit.findings} == dict.fromkeys(checks, Verdict.FAIL)
    tells(audit, t="FAIL: In 2 groups (3 records) the values of `disease` are … 0.200 from … 0.833.")


def test_presets__are_the_reciprocal_of_the_highest_risk() -> None:
    for k in (3, 5, 11, 20):
        text = "age\n" + "30\n" * k
        assert judged(text, quasi="age", k=k).verdict is Verdict.PASS
        assert judged(text, quasi="age", k=k + 1).verdict is Verdict.FAIL


def test_thresholds__out_of_range_are_named() -> None:
    assert problems(lambda: RiskThresholds(k=0, l=0, entropy_l=0.5, t=1.5, average_risk=-1)) == (
        "k must be at least 1, received 0.",
        "l must be at least 1, received 0.",
        "entropy_l must be at least 1, received 0.5.",
        "t must be from 0 to 1, received 1.5.",
        "average_risk must be from 0 to 1, received -1.",
    )


def test_nothing_assessed__is_never_a_pass() -> None:
    audit = judged("age,sex,x\n*,*,1\n*,,2\n", limits={"average_risk": 0.5})
    assert audit.verdict is audit.overall is Verdict.NOT_ASSESSED
    tells(
        audit,
        k="NOT_ASSESSED: None of 2 records could be assessed: all are left out.",
        average_risk="NOT_ASSESSED: No record is assessed, so there is ",
    )
    assert audit.figures["k"] is audit.figures["share_k_lt_2"] is audit.figures["average_class_size"] is None


# -------------------------------------------------------------------------------------------- exposure

NAMES = ("Anna Kovač", "John Smith", "Maja Novak", "Peter Horvat", "Eva Zupan", "Ivan Kos")
HEADER, *ROWS = PASSING.splitlines()


def _beside(column: str, cells: list[object]) -> str:
    """Return the table that passes with a further column before its own."""
    rows = [f"{cell},{row}" for cell, row in zip(cells, ROWS, strict=True)]
    return "\n".join([f"{column},{HEADER}", *rows])


NAMED = _beside("name", [*NAMES, *NAMES])


def test_exposure__a_direct_identifier_fails_however_large_the_classes() -> None:
    audit = judged(NAMED, **BY_AGE)
    assert (audit.verdict, audit.overall) == (Verdict.PASS, Verdict.FAIL)
    tells(audit, direct_identifiers="FAIL: `name` looks like a direct identifier of people: ")
    assert next_steps(audit.all_findings)[0] == "Remove `name`, or say what of it is not released."
    assert judged(NAMED, **BY_AGE, leave_out=("name",)).overall is Verdict.PASS
    one = judged(PASSING.replace("disease", "code"), quasi="age", direct_identifiers=("code",))
    tells(one, direct_identifiers="FAIL: `code` is a direct identifier of people: ")
    two = judged(NAMED, quasi="age", direct_identifiers=("name", "disease"))
    tells(two, direct_identifiers="FAIL: `name`, `disease` are direct identifiers")
    harmless = judged(NAMED, **BY_AGE, other=("name",))
    tells(harmless, doubtful_identifiers="WARN: `name` looks like a direct ")
    assert harmless.overall is Verdict.WARN


def test_exposure__numbers_that_only_their_name_gives_away_may_be_fresh_pseudonyms() -> None:
    for cells, step in (
        ([f"Q{i * 7919 % 9973:04}" for i in range(12)], "or, if the values are fresh random pseudonyms, "),
        ([f"{900101 + i}-1234567" for i in range(12)], "or say what of it is not released."),
    ):
        audit = judged(_beside("emso", cells), **BY_AGE)
        assert audit.overall is Verdict.FAIL
        assert next_steps(audit.all_findings)[0].startswith(f"Remove `emso`, {step}")


def test_exposure__a_column_that_tells_records_apart_is_a_warning_unless_it_only_counts_the_rows() -> None:
    audit = judged(_beside("code", [97 * i + 1000 for i in range(12)]), **BY_AGE)
    assert audit.overall is Verdict.WARN
    tells(
        audit, distinct_columns="WARN: `code` tells nearly every record, or person, apart and is not among "
    )
    audit = judged(_beside("", [*range(1, 13)]), **BY_AGE)
    assert audit.overall is Verdict.PASS
    tells(audit, distinct_columns=None, unchosen_columns=None, order=None)
    turned = judged(_beside("", [*range(12, 0, -1)]), **BY_AGE)
    tells(turned, distinct_columns="WARN: `Unnamed: 1` tells")


def test_exposure__a_quasi_identifier_nobody_chose_is_a_warning() -> None:
    audit = judged(quasi="sex", sensitive=("disease", "salary"), k=2, l=1)
    tells(audit, further_columns="WARN: Whoever knows `age` beside ", further_quasi_identifiers=None)
    alike = "sex,age,disease\n" + "F,30,x\nF,30,y\nF,40,x\nF,40,y\n" * 10
    audit = judged(alike, quasi="sex", sensitive=("disease",))
    tells(
        audit,
        further_columns=None,
        further_quasi_identifiers="WARN: `age` may be known about a person from elsewhere, and is ",
    )


def test_exposure__says_what_was_left_out_and_what_changes_nothing() -> None:
    text = "age,sex,land\n30,F,SI\n30,,SI\n,,\n"
    tells(
        judged(text, quasi="age,sex,land", k=2, missing="drop"),
        fully_suppressed="PASS: 1 of 3 records is suppressed (`*`) in ",
        dropped_records="WARN: 1 of 3 records lacks a quasi-identifier ",
        all_columns="WARN: All 3 columns are quasi-identifiers: ",
        no_sensitive_attribute="WARN: No sensitive attribute is chosen, so what a group gives ",
    )
    tells(
        judged("age,sex,x\n30,F,1\n30,,1\n", k=2),
        constant_columns="PASS: `age` holds one and the same value in all ",
        missing_quasi_identifiers="PASS: 1 of 4 cells of the quasi-identifiers (25.0 %) is missing, which ",
    )
    taken = "WARN: 1 of 2 records lacks a quasi-identifier, which was taken "
    tells(judged(text, missing="wildcard"), wildcards=taken)


@pytest.mark.parametrize("further", ["", "x"])
def test_blank__in_every_quasi_identifier_is_a_value_as_beside_a_constant(further: str) -> None:
    text = "age,more,x\n" + "".join(f"30,{further},a\n40,{further},b\n" for _ in range(9)) + f",{further},c\n"
    for quasi in ("age", "age,more"):
        audit = judged(text, quasi=quasi, k=5, other=("x",))
        tells(audit, k="FAIL: 1 of 19 persons ", fully_suppressed=None, missing_quasi_identifiers="PASS: ")
    starred = judged(text.replace("\n,", "\n*,"), quasi="age", k=5, other=("x", "more"))
    tells(starred, k="PASS: ", fully_suppressed="PASS: 1 of 19 ", missing_quasi_identifiers=None)


def test_exposure__unknown_persons_are_a_warning() -> None:
    audit = judged("age,who\n30,a\n30,\n", quasi="age", person="who")
    tells(
        audit,
        unknown_persons="WARN: 1 of 2 records names no person in `who`. ",
        k="FAIL: 2 of 2 records (100 %) share … with fewer than 4 other persons; 2 with nobody…",
    )
    assert (audit.figures["n_persons"], audit.figures["persons_at_risk_share"]) == (1, 1.0)


def test_exposure__sensitive_values_that_name_people_fail() -> None:
    names = ("Mary Smith", "Ana Novak", "James Jones", "Linda Brown", "Susan Taylor", "Karen Walker")
    drugs = ("ibuprofen", "metformin", "insulin") * 2
    said = "FAIL: `contact` is chosen as sensitive, and the values look "
    for column, values, expected in (("contact", names, said), ("drug", drugs, None)):
        text = f"age,{column}\n" + "".join(f"30,{value}\n" for value in values)
        tells(judged(text, quasi="age", sensitive=(column,)), sensitive_identifiers=expected)


def test_exposure__free_text_is_not_assessed_whatever_its_role() -> None:
    notes = "".join(f"30,seen on ward {n} after a long night with pain in bed {n}\n" for n in range(12))
    not_read = "NOT_ASSESSED: `note` is free text (12 cells). … 12 cells … 1.0 % … (95 % "
    others = dict.fromkeys(("direct_identifiers", "sensitive_identifiers", "distinct_columns"))
    for role in ({"sensitive": ("note",)}, {"other": ("note",)}, {}):
        tells(judged("age,note\n" + notes, quasi="age", **role), text_not_read=not_read, **others)
    tells(judged("age,note\n" + notes, quasi="age", leave_out=("note",)), text_not_read=None)


# ------------------------------------------------------------------------------------------- comparison

ORIGINAL = "age,sex,zip,disease\n31,F,1000,flu\n39,F,1000,cold\n42,M,1001,flu\n48,M,1002,gout\n"
RELEASED = "age,sex,disease\n30-39,F,flu\n30-39,F,cold\n40-49,M,flu\n40-49,M,\n"


def _compared(released: str, original: str, **chosen: object) -> Comparison:
    found = measured(released, original=original, **chosen).comparison
    assert found is not None
    return found


def test_comparison__says_what_anonymization_cost() -> None:
    found = _compared(RELEASED, ORIGINAL, **DISEASE)
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


def test_comparison__says_only_what_can_be_compared() -> None:
    other_rows = _compared(RELEASED, ORIGINAL + "50,F,1000,flu\n", quasi="age")
    assert (other_rows.same_rows, other_rows.ncp) == (False, None)
    assert all(each.changed_share is None for each in other_rows.columns)
    original = "town,x\nKranj,1\nBled,2\nPiran,3\n,4\n"
    released = "town,region\nNorth,a\nNorth,a\nSouth,a\nSouth,a\n"
    assert _compared(released, original, quasi="town").ncp == pytest.approx((2 / 3 + 0) / 2)
    nothing = _compared(released, original, quasi="region")
    assert (nothing.classes_original, nothing.discernibility_original, nothing.ncp) == (None, None, None)
    empty_before = "age,town\n30,\n40,\n"
    assert _compared(empty_before, empty_before, quasi="age,town").ncp == 0


def test_comparison__counts_persons_of_the_original_too() -> None:
    original = "age,who\n30,1\n30,1\n30,2\n40,3\n40,4\n"
    found = _compared(original, original, quasi="age", person="who")
    assert found.classes_original is not None
    assert found.classes_original.class_sizes.tolist() == [2, 2]
    assert found.discernibility_original == found.discernibility == 8


TOWNS, AGES = "Kranj Bled Piran Ptuj", "31 39 42 48"
LOST = (
    # Bled and Ptuj are `other` now; y tells them apart, so that every class is of one town.
    ("Kranj Bled Kranj Ptuj", "Kranj other Kranj other", 1 / 3),
    (TOWNS, TOWNS, 0),
    (TOWNS, "Kranj other Piran Ptuj", 2 / 4 / 4),
    (TOWNS, "a b c d", 0),  # another name loses nothing
    ("other Bled Piran Ptuj", "other Bled Piran Ptuj", 0),
    *(
        (AGES, AGES.replace("31", blank), 1 / 4)
        for blank in ("", "*", "***", "[REDACTED]", "unknown", "삭제")
    ),
    *((AGES.replace("39", blank), AGES.replace("39", blank), 0) for blank in ("", "unknown")),
)


def test_precision_lost__counts_what_was_merged_although_the_classes_are_pure_and_blanks_as_all() -> None:
    def holds(original: str, released: str, lost: float) -> None:
        texts = [
            "x,y\n" + "".join(f"{cell},{row % 2}\n" for row, cell in enumerate(cells.split(" ")))
            for cells in (released, original)
        ]
        assert _compared(*texts, quasi="x,y").columns[0].ncp == pytest.approx(lost)

    holds_for_each(LOST, holds)
    all_blank = _compared("age,sex\n31,F\n39,F\n*,*\n*,*\n", "age,sex\n31,F\n39,F\n42,M\n48,M\n")
    assert all_blank.ncp == pytest.approx(0.5)


def test_document__holds_the_agreed_keys() -> None:
    audit = judged(RELEASED, original=ORIGINAL, **DISEASE)
    document = document_of(TOOL, risk_result(audit))
    assert document["tool"] == "risk"
    assert document["class_sizes"] == [{"class_size": 2, "n_records": 4}]
    (disease,) = document["sensitive"]
    assert (disease["column"], disease["recursive_c_at_l2"]) == ("disease", None)
    assert figures_of(document, "recursive_c_at_l2") == {"disease": None}
    assert figures_of(document, "ncp") == {"against original.csv": audit.measurement.comparison.ncp}
    unset = "entropy_l t average_risk alpha beta delta household_risk person_k".split()
    asked = {key: document["settings"][key] for key in ("k", "l", *unset)}
    assert asked == {"k": 5, "l": 2, **dict.fromkeys(unset)}
    assert "Precision lost" in "\n".join(lines_of(risk_result(audit)))


def test_suggested_settings__take_names_and_values() -> None:
    assert suggested_settings(table(PEOPLE)) == RiskSettings(
        quasi_identifiers=("age", "sex"), sensitive=("disease", "salary")
    )


ALONE = "Suppress the 3 records in groups under 5, or make coarser: `zip`, `sex`."
STEPS = (
    (
        [f"{n},{'mf'[n % 2]}" for n in range(10)],
        {},
        "Make coarser: `zip` (without it, 0 records would be …",
    ),
    (["1,m"] * 20 + ["1,f"] * 20 + ["2,m", "2,f"], {}, "Suppress the 2 records in groups under 5, … 0 …"),
    (["1,m"] * 20 + ["2,a", "3,b", "4,c"], {}, ALONE),
    (["1,m"] * 20 + ["2,a", "3,b", "4,c"], {"missing": "wildcard"}, ALONE),
)


def test_next_step__names_the_columns_that_make_classes_small_or_counts_records_to_suppress() -> None:
    def holds(rows: list[str], chosen: dict[str, object], step: str) -> None:
        audit = judged("\n".join(["zip,sex", *rows]), quasi="zip,sex", l=None, **chosen)
        assert [each.remedy for each in audit.findings if each.check == "k"] == [Saying(step)]

    holds_for_each(STEPS, holds)
    people = "\n".join(["zip,sex,ill", *["1,m,flu"] * 5, *["2,f,flu", "2,f,gout"] * 5])
    audit = judged(people, quasi="zip,sex", sensitive=("ill",))
    assert [each.remedy for each in audit.findings if each.check == "distinct_l"] == [
        Saying("Make `zip`, `sex` coarser, or suppress the 5 records …")
    ]
