"""What if: searches through the risk tool, and tables whose bytes are counted again."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import pytest

from core.charts import described
from core.demo import demo_file
from core.reports import zip_of
from core.risk import (
    ClassLimits,
    Hierarchy,
    Release,
    RiskSettings,
    RiskThresholds,
    WhatIf,
    WhatIfSettings,
    hierarchy_for,
    judge_risk,
    measure_risk,
    option_for,
    release,
    release_reaching,
    search_what_if,
    what_if_note,
    what_if_settings,
)
from core.risk.charts import lattice_drawing
from core.risk.generalizing import build_lattice
from core.risk.result import option_group, option_labels, released_note, risk_result, what_if_group
from core.risk.what_if import is_exact
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Verdict
from tests.cases.table import holds_for_each
from tests.checked_charts import checked
from tests.kinds import Patch
from tests.risk_examples import DISEASE, problems, table
from tests.saying import Saying

SENSITIVE = {"sensitive": ("diagnosis",), "other": ("days_in_hospital",)}


class Searched:
    """A table, what was measured of it, and what a search offers for it."""

    def __init__(self, data: Dataset | str, quasi: str, chosen: dict[str, object], **asked: object) -> None:
        given = {name: asked.pop(name) for name in ("hierarchies", "population", "stop") if name in asked}
        self.data = table(data) if isinstance(data, str) else data
        settings = RiskSettings(quasi_identifiers=tuple(quasi.split(",")), **chosen)
        self.found = measure_risk(self.data, settings=settings)
        self.what_if = search_what_if(self.found, self.data, settings=WhatIfSettings(**asked), **given)
        self.note = what_if_note(self.what_if)

    def release(self, option: int = 0, **given: object) -> Release:
        return release(self.what_if, option, self.found, self.data, **given)


@cache
def patients() -> Dataset:
    return table(demo_file("risk", "demo_patients.csv").data.decode(), "patients.csv")


def _searched(data: Dataset | str, quasi: str, ks: tuple[int, ...] = (2,), **asked: object) -> Searched:
    """Search a table; what is asked may hold columns chosen for something, as `chosen`."""
    return Searched(data, quasi, asked.pop("chosen", {}), ks=ks, **asked)


def _of_patients(ks: tuple[int, ...] = (3,), quasi: str = "age,sex,town", **asked: object) -> Searched:
    return _searched(patients(), quasi, ks, chosen=SENSITIVE, **asked)


@cache
def _usual() -> Searched:
    return _of_patients((3, 5))


def _options(what_if: WhatIf) -> list[tuple[Any, ...]]:
    """Return the columns of the table of options."""
    (table,) = what_if_group(what_if).tables
    return [*zip(*table.cells(), strict=True)]


def test_search__options_lose_more_for_less_risk() -> None:
    _, sizes, _, losses, suppressed, cheaper = _options(_usual().what_if)
    assert [*sizes] == sorted(sizes)
    assert [*losses] == sorted(losses)
    assert max(suppressed) <= 0.05
    assert {*cheaper} == {"ruled out"}


def test_release__reaches_k_when_its_bytes_are_counted_again() -> None:
    for option, outcome in enumerate(_usual().what_if.options):
        made = _usual().release(option)
        assert made.k == outcome.best.k
        assert made.measured.classes.k >= outcome.best.k
        assert made.measured.entry.n_fully_suppressed == made.n_suppressed
        document = json.loads(made.settings)
        assert (document["k"], document["suppression_limit"], document["l"]) == (outcome.best.k, 0.05, None)
        assert made.data.decode().count("\n") == patients().n_records + 1


def test_release__can_reach_l_and_t_as_well() -> None:
    made = _of_patients(limits=ClassLimits(l=3)).release()
    assert judge_risk(made.measured, RiskThresholds(k=3, l=3)).verdict is Verdict.PASS
    assert json.loads(made.settings)["l"] == 3
    made = _of_patients(limits=ClassLimits(t=0.3), suppression_limit=0.2).release()
    assert made.measured.classes.k >= 3
    assert (made.measured.sensitive[0].figures["t"] or 0) <= 0.32  # against the records still shown


def test_release__has_only_columns_that_were_chosen() -> None:
    rows = [f"Ana,{n},{n % 2},{'ab'[n // 2 % 2]},x{n % 2},{'cd'[n % 2]}\n" for n in range(8)]
    chosen = {"other": ("drug",), "leave_out": ("code",), "direct_identifiers": ("name",), **DISEASE}
    made = _searched("name,code,age,disease,note,drug\n" + "".join(rows), "age", chosen=chosen).release()
    assert made.data.decode("utf-8-sig").splitlines()[0] == '"age","disease","drug"'
    assert judge_risk(made.measured, RiskThresholds(k=2, l=None)).overall is not Verdict.FAIL
    assert (made.columns, made.columns_left_out) == (("age", "disease", "drug"), ("note",))
    said = "It holds `age`, `disease`, `drug`. Left out, because nobody …"
    assert released_note(made) == Saying(said)


VISITS = "person,age,sex\n" + "".join(f"Ana {n // 2},{n // 2 % 2},F\n" for n in range(8)) + ",0,F\n"


def _visits_released(person: str) -> Release:
    tokens = (bytes([number]) * 40 for number in range(8))
    searched = _searched(VISITS, "age,sex", chosen={"person": "person"})
    return searched.release(person=person, token_source=lambda _: next(tokens))


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


def test_release__can_reach_the_entropy_and_the_hierarchical_distance() -> None:
    data, names = patients(), ("age", "sex", "town")
    values = sorted(set(data.table["diagnosis"].to_pylist()))
    groups = Hierarchy(groups={value: (f"group {n % 2}",) for n, value in enumerate(values)})
    chosen = RiskSettings(quasi_identifiers=names, **SENSITIVE)
    found = measure_risk(data, settings=chosen, hierarchies={"diagnosis": groups})
    asked = RiskThresholds(k=3, l=None, entropy_l=2.0, t=0.35)
    settings = what_if_settings(found, asked, choices=WhatIfSettings(suppression_limit=0.3))
    assert settings.limits == ClassLimits(entropy_l=2.0, t=0.35)
    what_if = search_what_if(found, data, settings=settings)
    made, audit = release_reaching(what_if, found, data, thresholds=asked)
    (again,) = made.measured.sensitive
    assert again.distance == "hierarchical"
    assert again.figures["entropy_l"] >= 2.0
    assert again.figures["t"] <= 0.35
    assert audit.verdict is Verdict.PASS


def test_release_reaching__names_the_threshold_that_the_written_table_misses() -> None:
    asked = RiskThresholds(k=3, l=None, average_risk=0.001)
    given = (_usual().what_if, _usual().found, patients())
    (problem,) = problems(lambda: release_reaching(*given, thresholds=asked))
    assert problem == Saying("… Of the cheapest one: The average risk of a record is 0.… at most 0.001 is …")


def test_search__says_which_levels_were_left_out(monkeypatch: Patch) -> None:
    text = "a,b\n" + "".join(f"{n * 7 % 400},{n * 13 % 500}\n" for n in range(500))
    whole = _searched(text, "a,b")
    assert whole.what_if.lattice.n_nodes_possible == whole.what_if.lattice.n_nodes == 36
    assert "were left out" not in whole.note
    monkeypatch.setattr("core.risk.generalizing.build_lattice", partial(build_lattice, max_nodes=25))
    thinned = _searched(text, "a,b")
    lattice = thinned.what_if.lattice
    assert (lattice.n_nodes, lattice.n_nodes_possible) == (25, 36)
    assert thinned.note == Saying("… there are 36 ways, … in the middle of `a`, `b` were left out, …")
    assert {*_options(thinned.what_if)[-1]} == {"not all looked at"}
    assert [is_exact(thinned.what_if, each) for each in thinned.what_if.options] == [False]
    assert thinned.what_if.lattice.thinned_columns == ("a", "b")


def test_search__by_persons_reaches_k_persons() -> None:
    text = "age,who\n" + "".join(f"{30 + n % 4},{'abc'[n % 3] if n % 4 else 'a'}\n" for n in range(24))
    searched = _searched(text, "age", (3,), chosen={"person": "who"}, suppression_limit=0.3)
    assert searched.found.classes.k == 1
    assert searched.release().measured.classes.k >= 3


def test_search__where_nothing_reaches_it_says_so() -> None:
    nothing = _searched("age\n1\n2\n3\n", "age", (5,), suppression_limit=0.0)
    assert nothing.what_if.options == ()
    assert nothing.note == Saying("No generalization reaches what was asked for within the …")
    only_nothing_shown = "age,town\n1,A\n2,B\n3,C\n"
    to_the_end = _searched(only_nothing_shown, "age,town", (3,), suppression_limit=0.0, stop=lambda: False)
    assert [outcome.best.loss for outcome in to_the_end.what_if.options if outcome.best] == [1.0]
    assert not to_the_end.what_if.is_stopped


def _stop_after(n: int) -> Callable[[], bool]:
    asked = iter(range(n))
    return lambda: next(asked, None) is None


@pytest.mark.parametrize("columns", ["age,sex,town", "age", "age,town"])
@pytest.mark.parametrize("ks", [(3,), (2, 3, 5)])
def test_search__stopped_before_it_found_anything_offers_nothing(columns: str, ks: tuple[int, ...]) -> None:
    found = _searched(patients(), columns, ks, stop=lambda: True)
    assert (found.what_if.options, found.what_if.is_stopped) == ((), True)
    assert "found yet" in found.note


def test_search__stopped_later_keeps_what_it_found() -> None:
    found = _of_patients((3, 11), stop=_stop_after(1)).what_if
    assert found.is_stopped
    assert [(each.best.k, each.best.loss < 1) for each in found.options if each.best] == [(3, True)]


WRONG = (
    ({"ks": (0, 5)}, "ks must be sizes of at least 1, received (0, 5)."),
    ({"weights": (("x", 1.0),)}, "There is a weight for `x`, which is no quasi-identifier."),
    ({"weights": (("age", 0.0),)}, "The weight of `age` must be above 0, received 0."),
    ({"k_map": 0}, "k_map must be at least 1, received 0."),
)


@pytest.mark.slow
def test_search__refuses_settings_out_of_range() -> None:
    def holds(settings: dict[str, object], problem: str) -> None:
        assert problems(lambda: _of_patients(**settings)) == (problem,)

    holds_for_each(WRONG, holds)


def test_result__describes_an_option() -> None:
    what_if, found = _usual().what_if, _usual().found
    (columns,) = option_group(what_if, 0).tables
    assert [column for column, *_ in columns.cells()] == ["age", "sex", "town"]
    assert option_labels(what_if)[0].startswith("k = 3: ")
    sizes = [each.best.smallest_class for each in what_if.options]
    assert sizes[option_for(what_if, 5)] >= 5
    assert option_for(what_if, 10_000) == len(sizes) - 1
    (chart,) = what_if_group(what_if).drawings
    assert "Option, Precision lost, Highest risk, Records suppressed: k = 3, " in described(
        checked(chart.chart())
    )
    (table,) = risk_result(judge_risk(found)).group("suppression").tables
    ks, n_to_suppress, _ = zip(*table.cells(), strict=True)
    assert ks == (2, 3, 5, 11, 20)
    assert n_to_suppress[0] == found.classes.n_records_below(2)
    assert _usual().note.endswith("none that does what was asked loses less.")
    assert "(by discernibility)" in _of_patients(objective="discernibility").note


def _columns(n_columns: int, n_rows: int, cell: Callable[[int, int], int]) -> tuple[str, str]:
    names = ",".join(f"c{n}" for n in range(n_columns))
    rows = [",".join(str(cell(row, n)) for n in range(n_columns)) for row in range(n_rows)]
    return "\n".join([names, *rows]), names


def test_search__of_more_columns_than_can_be_searched_is_answered_and_said() -> None:
    wide = _columns(30, 32, lambda row, n: (row // 8 + n) % 2)
    what_if = _searched(*wide, (8,), suppression_limit=0).what_if
    assert what_if.lattice.n_nodes == 2**30
    assert "generalized in 1,073,741,824 ways, too many to try" in str(what_if_note(what_if))
    assert what_if.options[0].best is not None
    assert what_if.options[0].best.loss == 0  # it comes down to the table as it is


def _people(*rows: str) -> Dataset:
    return table("age,town\n" + "\n".join(rows))


def test_search__takes_own_hierarchies_of_quasi_identifiers() -> None:
    own = Hierarchy(groups={"21": ("young",), "22": ("young",), "31": ("older",), "32": ("older",)})
    people = _people(*["21,Kranj", "22,Kranj", "31,Bled", "32,Bled"] * 2)
    searched = _searched(people, "age,town", (4,), suppression_limit=0, hierarchies={"age": own})
    rows = searched.release().data.decode().replace('"', "").splitlines()
    assert rows[1:5] == ["young,Kranj", "young,Kranj", "older,Bled", "older,Bled"]
    assert [*searched.what_if.own_hierarchies] == ["age"]
    written = searched.what_if.hierarchy_files()["hierarchy_01_age.csv"].decode().splitlines()
    assert written == "21;young;* 22;young;* 31;older;* 32;older;*".split()
    lacking = {"age": Hierarchy(groups={"21": ("young",)})}
    (problem,) = problems(lambda: _searched(_people("21,Kranj", "22,Kranj"), "age", hierarchies=lacking))
    assert problem == Saying("The hierarchy lacks 1 of 2 values of `age`; give each…")


def test_search__reaches_k_in_the_population() -> None:
    sample = _people("21,Kranj", "21,Kranj", "31,Bled", "31,Bled")
    everybody = _people(*["21,Kranj"] * 9, *["31,Bled"] * 2, *["31,Kranj"] * 9)

    def searched(k_map: int) -> Searched:
        asked = {"suppression_limit": 0, "k_map": k_map, "population": everybody}
        found = _searched(sample, "age,town", **asked)
        made = found.release()
        assert made.measured.classes.k >= 2
        assert made.k_map is not None
        assert made.k_map >= k_map
        return found

    as_it_is, mapped = searched(2), searched(5)
    assert as_it_is.what_if.options[0].best.levels == (0, 0)
    assert mapped.what_if.options[0].best.levels != (0, 0)  # two people in Bled of 31 are too few
    # as if the search had asked for less than is promised: the bytes are counted, and nothing is handed out
    promised = replace(as_it_is.what_if, settings=replace(as_it_is.what_if.settings, k_map=3))
    (problem,) = problems(lambda: release(promised, 0, as_it_is.found, sample))
    assert problem == Saying("The written table does not reach k-map = 3: …")
    assert problems(lambda: _searched(sample, "age,town", k_map=2)) == (
        "k-map needs a table of the population.",
    )


def test_release__holds_households_under_pseudonyms() -> None:
    people = "age,hh\n" + "".join(f"30,h{n // 2}\n" for n in range(12)) + "30,\n"
    made = _searched(people, "age", chosen={"household": "hh"}).release()
    written = [row["hh"] for row in csv.DictReader(made.data.decode().splitlines())]
    assert not any(name.startswith("h") for name in written)
    assert written[0] == written[1] != written[2]
    assert (len(set(written)), written[-1]) == (7, "")


IN_TOWNS = ["21,Kranj"] * 20 + ["60,Bled", "60,Piran", "60,Ptuj"]
TOWNS = {"town": Hierarchy(groups=dict.fromkeys(("Kranj", "Bled", "Piran", "Ptuj"), ()))}  # shown or not
_in_towns = partial(_searched, _people(*IN_TOWNS), "age,town", (3,), suppression_limit=0.2, hierarchies=TOWNS)


def test_release__counts_each_person_of_the_population_once_whichever_way_records_are_written() -> None:
    everybody = _people(*IN_TOWNS, *["21,Kranj"] * 4, "60,Ptuj", "60,Bled")
    made = _in_towns(locally=True, k_map=3, population=everybody).release()
    assert made.n_suppressed == 0
    assert made.k_map == 5  # of the three people of 60, whose town is not shown; the others are 24


def test_release__generalizes_what_would_be_suppressed_further() -> None:
    lost = {}
    for locally in (False, True):
        made = _in_towns(locally=locally).release()
        settings = json.loads(made.settings)
        lost[locally] = (made.n_suppressed, settings["loss"], len(settings["local_recoding"]))
        assert made.measured.classes.k >= 3
    assert (lost[False][0], lost[True][0], lost[True][2]) == (3, 0, 1)
    assert lost[True][1] < lost[False][1]
    asked = {"suppression_limit": 0.3, "limits": ClassLimits(l=2), "locally": True}
    again = _of_patients((4,), **asked).release().measured  # and keeps what is asked of sensitive values
    assert again.classes.k >= 4
    assert again.sensitive[0].figures["distinct_l"] >= 2


def test_lattice_chart__shows_all_of_few_generalizations_and_the_neighbours_of_many() -> None:
    what_if = _usual().what_if
    (drawn,) = lattice_drawing(what_if, 0)
    points = checked(drawn.chart())["datasets"]["rows_1"]
    assert len(points) == what_if.lattice.n_nodes
    states = [each["state"] for each in points]
    assert states.count("chosen") == 1
    assert {"reaches k", "misses k"} <= set(states)
    assert "Chosen: age: " in drawn.alt
    many = _searched(*_columns(6, 60, lambda row, n: (row * 7 + n * 3) % 50), suppression_limit=0).what_if
    (around,) = lattice_drawing(many, 0)
    points = checked(around.chart())["datasets"]["rows_1"]
    assert len(points) == 1 + sum(levels - 1 for levels in many.lattice.shape)
    more_than_a_picture_holds = _searched(*_columns(14, 8, lambda row, _: row % 2))
    assert lattice_drawing(more_than_a_picture_holds.what_if, 0) == ()


def test_hierarchy_files__read_back_as_own_hierarchies() -> None:
    what_if = _usual().what_if
    files = what_if.hierarchy_files()
    assert len(zip_of(files)) > 100
    for ladder, (name, data) in zip(what_if.lattice.ladders, files.items(), strict=True):
        read = read_dataset(data, name=name, options=ReadOptions(header="none"))
        column, hierarchy = hierarchy_for(read, patients())
        assert column == ladder.column
        assert len(next(iter(hierarchy.groups.values()))) == len(ladder.levels) - 2  # itself and nothing


def test_hierarchy_for__takes_the_column_from_the_header_or_the_name() -> None:
    def column(name: str, header: bytes = b"") -> tuple[str, Hierarchy]:
        data = read_dataset(header + b"21;young\n22;old\n", name=name)
        return hierarchy_for(data, _people("21,Kranj", "22,Bled"))

    expected = ("age", Hierarchy(groups={"21": ("young",), "22": ("old",)}))
    assert column("any.csv", b"age;group\n") == column("adult_hierarchy_age.csv") == expected
    (problem,) = problems(lambda: column("mortgage.csv"))
    assert problem == Saying("…it is not said which column these groups are for…")
