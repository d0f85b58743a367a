"""What if: searches through the risk tool, and tables whose bytes are counted again."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from core.demo.risk import make_patients
from core.errors import AuditInputError
from core.reports import zip_of
from core.risk import (
    ClassLimits,
    Hierarchy,
    Release,
    RiskMeasurement,
    RiskSettings,
    RiskThresholds,
    WhatIf,
    WhatIfSettings,
    hierarchy_for,
    judge_risk,
    measure_risk,
    release,
    release_reaching,
    search_what_if,
    views,
    what_if_document,
    what_if_settings,
)
from core.risk.generalizing import build_lattice
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Verdict
from tests.risk_examples import table
from tests.saying import Saying

CHOSEN = RiskSettings(
    quasi_identifiers=("age", "sex", "town"), sensitive=("diagnosis",), other=("days_in_hospital",)
)


@pytest.fixture(scope="module")
def patients() -> Dataset:
    return table(make_patients().decode(), "patients.csv")


@pytest.fixture(scope="module")
def measured(patients: Dataset) -> RiskMeasurement:
    return measure_risk(patients, settings=CHOSEN)


@pytest.fixture(scope="module")
def what_if(patients: Dataset, measured: RiskMeasurement) -> WhatIf:
    return search_what_if(measured, patients, settings=WhatIfSettings(ks=(3, 5)))


def test_search__options_lose_more_for_less_risk(what_if: WhatIf) -> None:
    found = views.options_table(what_if)
    assert found["smallest_class"].is_monotonic_increasing
    assert found["loss"].is_monotonic_increasing
    assert (found["suppressed_share"] <= 0.05).all()
    assert set(found["cheaper"]) == {"ruled out"}


def test_release__reaches_k_when_its_bytes_are_counted_again(
    what_if: WhatIf, patients: Dataset, measured: RiskMeasurement
) -> None:
    for option, outcome in enumerate(what_if.options):
        made = release(what_if, option, measured, patients)
        assert made.k == outcome.best.k
        assert made.measured.classes.k >= outcome.best.k
        assert made.measured.entry.n_fully_suppressed == made.n_suppressed
        document = json.loads(made.settings)
        assert (document["k"], document["suppression_limit"], document["l"]) == (outcome.best.k, 0.05, None)
        assert made.data.decode().count("\n") == patients.n_records + 1


def test_release__can_reach_l_as_well(patients: Dataset, measured: RiskMeasurement) -> None:
    found = search_what_if(measured, patients, settings=WhatIfSettings(ks=(3,), limits=ClassLimits(l=3)))
    made = release(found, 0, measured, patients)
    assert judge_risk(made.measured, RiskThresholds(k=3, l=3)).verdict is Verdict.PASS
    assert json.loads(made.settings)["l"] == 3


def test_release__can_reach_t_as_well(patients: Dataset, measured: RiskMeasurement) -> None:
    found = search_what_if(
        measured, patients, settings=WhatIfSettings(ks=(3,), limits=ClassLimits(t=0.3), suppression_limit=0.2)
    )
    made = release(found, 0, measured, patients)
    assert made.measured.classes.k >= 3
    assert (made.measured.sensitive[0].figures["t"] or 0) <= 0.32  # against the records still shown


def test_release__has_only_columns_that_were_chosen() -> None:
    text = "name,code,age,disease,note,drug\n" + "".join(
        f"Ana,{n},{n % 2},{'ab'[n // 2 % 2]},x{n % 2},{'cd'[n % 2]}\n" for n in range(8)
    )
    people = table(text)
    settings = RiskSettings(
        quasi_identifiers=("age",),
        sensitive=("disease",),
        other=("drug",),
        leave_out=("code",),
        direct_identifiers=("name",),
    )
    found = measure_risk(people, settings=settings)
    what_if = search_what_if(found, people, settings=WhatIfSettings(ks=(2,)))
    made = release(what_if, 0, found, people)
    assert made.data.decode().splitlines()[0] == '"age","disease","drug"'
    assert judge_risk(made.measured, RiskThresholds(k=2, l=None)).overall is not Verdict.FAIL
    assert (made.columns, made.columns_left_out) == (("age", "disease", "drug"), ("note",))
    assert views.released_note(made) == Saying(
        "It holds `age`, `disease`, `drug`. Left out, because nobody …"
    )


VISITS = "person,age,sex\n" + "".join(f"Ana {n // 2},{n // 2 % 2},F\n" for n in range(8)) + ",0,F\n"


def _visits_released(person: str) -> Release:
    visits = table(VISITS)
    found = measure_risk(visits, settings=RiskSettings(quasi_identifiers=("age", "sex"), person="person"))
    what_if = search_what_if(found, visits, settings=WhatIfSettings(ks=(2,)))
    tokens = (bytes([number]) * 40 for number in range(8))
    return release(what_if, 0, found, visits, person=person, token_source=lambda _: next(tokens))


def test_release__holds_fresh_pseudonyms_in_place_of_persons() -> None:
    made = _visits_released("pseudonym")
    rows = list(csv.reader(made.data.decode().splitlines()))[1:]
    assert "Ana" not in made.data.decode()
    assert [rows[n][0] == rows[n + 1][0] for n in range(0, 8, 2)] == [True] * 4
    assert (len({row[0] for row in rows}), rows[-1][0]) == (5, "")
    assert made.measured.persons is not None
    assert made.measured.classes.k == 2
    assert json.loads(made.settings)["person_column"] == "pseudonym"


def test_release__counts_persons_although_their_column_is_left_out() -> None:
    made = _visits_released("left_out")
    assert made.columns == ("age", "sex")
    assert made.measured.persons is not None
    assert (made.measured.persons.n_persons, made.measured.classes.k) == (4, 2)


def test_release__can_reach_the_entropy_and_the_hierarchical_distance(patients: Dataset) -> None:
    values = sorted(set(patients.table["diagnosis"].to_pylist()))
    groups = Hierarchy(groups={value: (f"group {n % 2}",) for n, value in enumerate(values)})
    found = measure_risk(patients, settings=CHOSEN, hierarchies={"diagnosis": groups})
    asked = RiskThresholds(k=3, l=None, entropy_l=2.0, t=0.35)
    settings = what_if_settings(found, asked, choices=WhatIfSettings(suppression_limit=0.3))
    assert settings.limits == ClassLimits(entropy_l=2.0, t=0.35)
    what_if = search_what_if(found, patients, settings=settings)
    made, audit = release_reaching(what_if, found, patients, thresholds=asked)
    (again,) = made.measured.sensitive
    assert again.distance == "hierarchical"
    assert again.figures["entropy_l"] >= 2.0
    assert again.figures["t"] <= 0.35
    assert audit.verdict is Verdict.PASS


def test_release_reaching__names_the_threshold_that_the_written_table_misses(
    patients: Dataset, measured: RiskMeasurement, what_if: WhatIf
) -> None:
    with pytest.raises(AuditInputError) as raised:
        release_reaching(
            what_if, measured, patients, thresholds=RiskThresholds(k=3, l=None, average_risk=0.001)
        )
    message = str(raised.value)
    assert " Of the cheapest one: The average risk of a record is 0." in message
    assert message.endswith("at most 0.001 is asked for. Allow more suppression, or ask for less.")


def test_search__says_which_levels_were_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a,b\n" + "".join(f"{n * 7 % 400},{n * 13 % 500}\n" for n in range(500))
    people = table(text)
    found = measure_risk(people, settings=RiskSettings(quasi_identifiers=("a", "b")))
    whole = search_what_if(found, people, settings=WhatIfSettings(ks=(2,)))
    assert whole.lattice.n_nodes_possible == whole.lattice.n_nodes == 36
    assert "were left out" not in views.what_if_note(whole)
    monkeypatch.setattr("core.risk.generalizing.build_lattice", partial(build_lattice, max_nodes=25))
    thinned = search_what_if(found, people, settings=WhatIfSettings(ks=(2,)))
    assert (thinned.lattice.n_nodes, thinned.lattice.n_nodes_possible) == (25, 36)
    assert views.what_if_note(thinned).endswith(
        " The columns allow 36, too many to search: levels in the middle of `a`, `b` were left out, so a "
        "cheaper one may exist among those. Fewer quasi-identifiers leave more levels of each."
    )
    assert set(views.options_table(thinned)["cheaper"]) == {"not all looked at"}
    document = what_if_document(thinned, k=2)
    assert [each["is_exact"] for each in document["options"]] == [False]
    assert document["columns_with_levels_left_out"] == ["a", "b"]
    assert document["n_generalizations_possible"] == 36


def test_search__by_persons_reaches_k_persons() -> None:
    text = "age,who\n" + "".join(f"{30 + n % 4},{'abc'[n % 3] if n % 4 else 'a'}\n" for n in range(24))
    people = table(text)
    found = measure_risk(people, settings=RiskSettings(quasi_identifiers=("age",), person="who"))
    assert found.classes.k == 1
    what_if = search_what_if(found, people, settings=WhatIfSettings(ks=(3,), suppression_limit=0.3))
    made = release(what_if, 0, found, people)
    assert made.measured.classes.k >= 3


def test_search__where_nothing_reaches_it_says_so() -> None:
    people = table("age\n1\n2\n3\n")
    found = measure_risk(people, settings=RiskSettings(quasi_identifiers=("age",)))
    nothing = search_what_if(found, people, settings=WhatIfSettings(ks=(5,), suppression_limit=0.0))
    assert nothing.options == ()
    assert views.what_if_note(nothing) == Saying("No generalization reaches what was asked for within the …")


def _stop_after(n: int) -> Callable[[], bool]:
    asked = iter(range(n))
    return lambda: next(asked, None) is None


@pytest.mark.parametrize("columns", [("age", "sex", "town"), ("age",), ("age", "town")])
@pytest.mark.parametrize("ks", [(3,), (2, 3, 5)])
def test_search__stopped_before_it_found_anything_offers_nothing(
    patients: Dataset, columns: tuple[str, ...], ks: tuple[int, ...]
) -> None:
    asked = RiskSettings(quasi_identifiers=columns)
    found = search_what_if(
        measure_risk(patients, settings=asked), patients, settings=WhatIfSettings(ks=ks), stop=lambda: True
    )
    assert found.options == ()
    assert found.is_stopped
    assert "found yet" in views.what_if_note(found)


def test_search__stopped_later_keeps_what_it_found(patients: Dataset, measured: RiskMeasurement) -> None:
    found = search_what_if(measured, patients, settings=WhatIfSettings(ks=(3, 11)), stop=_stop_after(1))
    assert found.is_stopped
    assert [(each.best.k, each.best.loss < 1) for each in found.options if each.best] == [(3, True)]


def test_search__that_went_to_its_end_says_where_only_showing_nothing_does() -> None:
    people = table("age,town\n1,A\n2,B\n3,C\n")
    found = measure_risk(people, settings=RiskSettings(quasi_identifiers=("age", "town")))
    to_the_end = search_what_if(
        found, people, settings=WhatIfSettings(ks=(3,), suppression_limit=0.0), stop=lambda: False
    )
    assert [outcome.best.loss for outcome in to_the_end.options if outcome.best] == [1.0]
    assert not to_the_end.is_stopped


def test_search__refuses_sizes_below_one(patients: Dataset, measured: RiskMeasurement) -> None:
    with pytest.raises(AuditInputError) as raised:
        search_what_if(measured, patients, settings=WhatIfSettings(ks=(0, 5)))
    assert str(raised.value) == "ks must be sizes of at least 1, received (0, 5)."


def test_views__describe_an_option(what_if: WhatIf, measured: RiskMeasurement) -> None:
    columns = views.option_columns_table(what_if, 0)
    assert columns["column"].tolist() == ["age", "sex", "town"]
    assert views.option_labels(what_if)[0].startswith("k = 3: ")
    sizes = [each.best.smallest_class for each in what_if.options]
    assert sizes[views.option_for(what_if, 5)] >= 5
    assert views.option_for(what_if, 10_000) == len(sizes) - 1
    chart = views.frontier_chart(what_if)
    assert chart.alt_text.startswith("Points of precision lost against highest risk: k = 3 loses ")
    costs = views.suppression_table(judge_risk(measured))
    assert costs["k"].tolist() == [2, 3, 5, 11, 20]
    assert costs["n_to_suppress"].tolist()[0] == measured.classes.n_records_below(2)
    assert views.what_if_note(what_if).endswith("no cheaper one exists among them.")


def test_search__of_more_columns_than_can_be_searched_is_answered_and_said() -> None:
    columns = [f"c{n}" for n in range(30)]
    rows = [",".join(str((row // 8 + n) % 2) for n in range(30)) for row in range(32)]
    wide = table("\n".join([",".join(columns), *rows]))
    found = measure_risk(wide, settings=RiskSettings(quasi_identifiers=tuple(columns)))
    what_if = search_what_if(found, wide, settings=WhatIfSettings(ks=(8,), suppression_limit=0))
    document = what_if_document(what_if, k=8)
    assert document["n_generalizations"] == 2**30
    assert "1,073,741,824 generalizations, too many to search" in str(document["note"])
    assert what_if.options[0].best is not None
    assert what_if.options[0].best.loss == 0  # it comes down to the table as it is


def _people(*rows: str) -> Dataset:
    return table("age,town\n" + "\n".join(rows))


def test_search__takes_own_hierarchies_of_quasi_identifiers() -> None:
    people = _people(*["21,Kranj", "22,Kranj", "31,Bled", "32,Bled"] * 2)
    found = measure_risk(people, settings=RiskSettings(quasi_identifiers=("age", "town")))
    own = Hierarchy(groups={"21": ("young",), "22": ("young",), "31": ("older",), "32": ("older",)})
    what_if = search_what_if(
        found, people, settings=WhatIfSettings(ks=(4,), suppression_limit=0), hierarchies={"age": own}
    )
    made = release(what_if, 0, found, people)
    assert made.data.decode().splitlines()[1:5] == [
        '"young","Kranj"',
        '"young","Kranj"',
        '"older","Bled"',
        '"older","Bled"',
    ]
    assert what_if_document(what_if, k=4)["own_hierarchies"] == ["age"]
    assert (
        what_if.hierarchy_files()["hierarchy_01_age.csv"].decode().splitlines()
        == "21;young;* 22;young;* 31;older;* 32;older;*".split()
    )


def test_search__says_that_an_own_hierarchy_lacks_values() -> None:
    people = _people("21,Kranj", "22,Kranj")
    found = measure_risk(people, settings=RiskSettings(quasi_identifiers=("age",)))
    own = Hierarchy(groups={"21": ("young",)})
    with pytest.raises(AuditInputError, match=r"^The hierarchy lacks 1 of 2 values of `age`; give each"):
        search_what_if(found, people, settings=WhatIfSettings(ks=(2,)), hierarchies={"age": own})


def test_search__reaches_k_in_the_population() -> None:
    sample = _people("21,Kranj", "21,Kranj", "31,Bled", "31,Bled")
    everybody = _people(*["21,Kranj"] * 9, *["31,Bled"] * 2, *["31,Kranj"] * 9)
    found = measure_risk(sample, settings=RiskSettings(quasi_identifiers=("age", "town")))

    def searched(k_map: int) -> WhatIf:
        asked = WhatIfSettings(ks=(2,), suppression_limit=0, k_map=k_map)
        what_if = search_what_if(found, sample, settings=asked, population=everybody)
        made = release(what_if, 0, found, sample)
        assert made.measured.classes.k >= 2
        assert made.k_map is not None
        assert made.k_map >= k_map
        return what_if

    as_it_is, mapped = searched(2), searched(5)
    assert as_it_is.options[0].best.levels == (0, 0)
    assert mapped.options[0].best.levels != (0, 0)  # two people in Bled of 31 are too few
    # as if the search had asked for less than is promised: the bytes are counted, and nothing is handed out
    promised = replace(as_it_is, settings=replace(as_it_is.settings, k_map=3))
    with pytest.raises(AuditInputError, match=r"^The written table does not reach k-map = 3: "):
        release(promised, 0, found, sample)
    with pytest.raises(AuditInputError, match=r"^k-map needs a table of the population\.$"):
        search_what_if(found, sample, settings=WhatIfSettings(ks=(2,), k_map=2))


def test_release__holds_households_under_pseudonyms() -> None:
    people = table("age,hh\n" + "".join(f"30,h{n // 2}\n" for n in range(12)) + "30,\n")
    found = measure_risk(people, settings=RiskSettings(quasi_identifiers=("age",), household="hh"))
    what_if = search_what_if(found, people, settings=WhatIfSettings(ks=(2,)))
    written = [
        row["hh"] for row in csv.DictReader(release(what_if, 0, found, people).data.decode().splitlines())
    ]
    assert not any(name.startswith("h") for name in written)
    assert written[0] == written[1] != written[2]
    assert (len(set(written)), written[-1]) == (7, "")


def test_release__counts_each_person_of_the_population_once_whichever_way_records_are_written() -> None:
    rows = ["21,Kranj"] * 20 + ["60,Bled", "60,Piran", "60,Ptuj"]
    towns = Hierarchy(groups=dict.fromkeys(("Kranj", "Bled", "Piran", "Ptuj"), ()))  # shown or not
    people, everybody = _people(*rows), _people(*rows, *["21,Kranj"] * 4, "60,Ptuj", "60,Bled")
    found = measure_risk(people, settings=RiskSettings(quasi_identifiers=("age", "town")))
    asked = WhatIfSettings(ks=(3,), suppression_limit=0.2, locally=True, k_map=3)
    what_if = search_what_if(found, people, settings=asked, hierarchies={"town": towns}, population=everybody)
    made = release(what_if, 0, found, people)
    assert made.n_suppressed == 0
    assert made.k_map == 5  # of the three people of 60, whose town is not shown; the others are 24


def test_release__generalizes_what_would_be_suppressed_further() -> None:
    rows = ["21,Kranj"] * 20 + ["60,Bled", "60,Piran", "60,Ptuj"]
    towns = Hierarchy(groups=dict.fromkeys(("Kranj", "Bled", "Piran", "Ptuj"), ()))  # shown or not
    people = _people(*rows)
    found = measure_risk(people, settings=RiskSettings(quasi_identifiers=("age", "town")))
    lost = {}
    for locally in (False, True):
        asked = WhatIfSettings(ks=(3,), suppression_limit=0.2, locally=locally)
        what_if = search_what_if(found, people, settings=asked, hierarchies={"town": towns})
        made = release(what_if, 0, found, people)
        settings = json.loads(made.settings)
        lost[locally] = (made.n_suppressed, settings["loss"], len(settings["local_recoding"]))
        assert made.measured.classes.k >= 3
    assert lost[False][0] == 3
    assert lost[True][0] == 0
    assert lost[True][1] < lost[False][1]
    assert lost[True][2] == 1


def test_local_recoding__keeps_what_is_asked_of_sensitive_values(
    patients: Dataset, measured: RiskMeasurement
) -> None:
    asked = WhatIfSettings(ks=(4,), suppression_limit=0.3, limits=ClassLimits(l=2), locally=True)
    what_if = search_what_if(measured, patients, settings=asked)
    again = release(what_if, 0, measured, patients).measured
    assert again.classes.k >= 4
    assert again.sensitive[0].figures["distinct_l"] >= 2


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"weights": (("x", 1.0),)}, "There is a weight for `x`, which is no quasi-identifier."),
        ({"weights": (("age", 0.0),)}, "The weight of `age` must be above 0, received 0."),
        ({"k_map": 0}, "k_map must be at least 1, received 0."),
    ],
)
def test_search__refuses_settings_out_of_range(
    patients: Dataset, measured: RiskMeasurement, settings: dict[str, object], problem: str
) -> None:
    with pytest.raises(AuditInputError) as raised:
        search_what_if(measured, patients, settings=WhatIfSettings(**settings))
    assert raised.value.problems == (problem,)


def test_search__by_discernibility_says_so(patients: Dataset, measured: RiskMeasurement) -> None:
    found = search_what_if(measured, patients, settings=WhatIfSettings(ks=(3,), objective="discernibility"))
    assert "(cheapest by discernibility)" in views.what_if_note(found)


def test_lattice_chart__shows_all_of_few_generalizations_and_the_neighbours_of_many(
    what_if: WhatIf, measured: RiskMeasurement, patients: Dataset
) -> None:
    drawn = views.lattice_chart(what_if, 0)
    assert drawn is not None
    points = drawn.chart.tables["rows_1"]
    assert len(points) == what_if.lattice.n_nodes
    assert points["state"].value_counts()["chosen"] == 1
    assert {"reaches k", "misses k"} <= set(points["state"])
    assert "Chosen: age: " in drawn.alt_text
    rows = [",".join(str((row * 7 + n * 3) % 50) for n in range(6)) for row in range(60)]
    wide = table("\n".join([",".join(f"c{n}" for n in range(6)), *rows]))
    names = tuple(f"c{n}" for n in range(6))
    found = measure_risk(wide, settings=RiskSettings(quasi_identifiers=names))
    many = search_what_if(found, wide, settings=WhatIfSettings(ks=(2,), suppression_limit=0))
    around = views.lattice_chart(many, 0)
    assert around is not None
    assert len(around.chart.tables["rows_1"]) == 1 + sum(levels - 1 for levels in many.lattice.shape)


def test_lattice_chart__is_left_out_for_more_columns_than_a_picture_holds() -> None:
    names = tuple(f"c{n}" for n in range(14))
    wide = table("\n".join([",".join(names), *[",".join(str(row % 2) for _ in names) for row in range(8)]]))
    found = measure_risk(wide, settings=RiskSettings(quasi_identifiers=names))
    what_if = search_what_if(found, wide, settings=WhatIfSettings(ks=(2,)))
    assert views.lattice_chart(what_if, 0) is None


def test_hierarchy_files__read_back_as_own_hierarchies(what_if: WhatIf, patients: Dataset) -> None:
    files = what_if.hierarchy_files()
    assert len(zip_of(files)) > 100
    for ladder, (name, data) in zip(what_if.lattice.ladders, files.items(), strict=True):
        read = read_dataset(data, name=name, options=ReadOptions(header="none"))
        column, hierarchy = hierarchy_for(read, patients)
        assert column == ladder.column
        assert len(next(iter(hierarchy.groups.values()))) == len(ladder.levels) - 2  # itself and nothing


def test_hierarchy_for__takes_the_column_from_the_header_or_the_name() -> None:
    ages = _people("21,Kranj", "22,Bled")
    headed = read_dataset(b"age;group\n21;young\n22;old\n", name="any.csv")
    assert hierarchy_for(headed, ages) == ("age", Hierarchy(groups={"21": ("young",), "22": ("old",)}))
    bare = read_dataset(b"21;young\n22;old\n", name="adult_hierarchy_age.csv")
    assert hierarchy_for(bare, ages) == ("age", Hierarchy(groups={"21": ("young",), "22": ("old",)}))
    with pytest.raises(AuditInputError, match="it is not said which column these groups are for"):
        hierarchy_for(read_dataset(b"21;young\n22;old\n", name="mortgage.csv"), ages)
