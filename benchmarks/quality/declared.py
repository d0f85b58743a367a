"""Deliveries beside their originals, with what was done declared: done so, and broken in one place.

A broken one counts as found where the right rule is named: its line, and no other, is what is looked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind, Scenario
from core.declared import Declared, measure_declared, read_originals
from core.tables import Dataset, read_dataset
from core.verdict import Verdict, worst

_START = np.datetime64("2014-01-01")
_STATES = np.array([*("Kranj", "Maribor", "Celje", "Koper"), *("Ptuj", "Bled", "Piran")])
_CODES = {"C34.1": "C34", "C34.9": "C34", "I10.0": "I10", "E11.2": "E11", "E11.9": "E11", "J45.0": "J45"}
_FEWEST = 30  # persons of a state
RULES = """
person = "person.person_id"
[[replaced]]
columns = ["*.person_id"]
[[replaced]]
columns = ["*.visit_id"]
[[shifted]]
columns = ["*_date", "note.text"]
least = -364
most = -7
whole_weeks = true
[[emptied]]
columns = ["person.name", "visit.comment"]
[[grouped]]
columns = ["person.age"]
above = 89
into = "90+"
[[grouped]]
columns = ["person.state"]
fewer_than = 30
into = "other"
[[grouped]]
columns = ["condition.code"]
codes = {"C34.1" = "C34", "C34.9" = "C34", "I10.0" = "I10", "E11.2" = "E11", "E11.9" = "E11", "J45.0" = "J45"}
[[grouped]]
columns = ["person.birth_year"]
to = "year"
[[kept]]
columns = ["person.sex", "visit.kind", "measurement.value"]
[[removed]]
columns = ["visit.kind"]
values = ["test"]
[[refers]]
columns = ["visit.person_id", "condition.person_id", "note.person_id"]
to = "person.person_id"
[[refers]]
columns = ["measurement.visit_id"]
to = "visit.visit_id"
"""


@dataclass(kw_only=True)
class Delivery:
    """Original tables, and released ones of which each record has the number of its original as index."""

    rng: np.random.Generator
    n: int
    form: str  # of dates
    originals: dict[str, pd.DataFrame]
    tables: dict[str, pd.DataFrame]
    pseudonyms: np.ndarray
    shifts: np.ndarray  # days of each person
    owner: dict[str, np.ndarray]  # of each original record
    rules: str = RULES
    files: dict[str, str] = field(default_factory=dict)  # other names of files
    with_shifts: bool = False
    with_mapping: bool = True

    def dates(self, days: np.ndarray) -> np.ndarray:
        """Return days since the start as they are written, missing where negative enough."""
        made = pd.Series(_START + np.asarray(days, dtype="timedelta64[D]"))
        return made.dt.strftime(self.form).to_numpy()

    def few(self, table: str, n: int = 6) -> np.ndarray:
        """Return the released records of a few persons that have several in a table."""
        mine = self.owner[table][self.tables[table].index]
        often = np.flatnonzero(np.bincount(mine, minlength=self.n) > 1)
        return np.isin(mine, self.rng.choice(often, min(n, len(often)), replace=False))

    def redate(self, table: str, column: str, days: np.ndarray, where: np.ndarray) -> None:
        """Write other days into some records: originals moved by so many."""
        released = self.tables[table]
        was = pd.to_datetime(self.originals[table][column][released.index], format=self.form)
        moved = was + pd.to_timedelta(days, unit="D")
        released.loc[where, column] = moved.dt.strftime(self.form)[where]


def _texts(d: Delivery, days: np.ndarray) -> list[str]:
    return [f"Seen on {one}; feels better than in May." for one in d.dates(days)]


def delivery(scenario: Scenario) -> Delivery:
    """Return originals and a delivery that is as its rules say."""
    rng, n = scenario.rng("delivery"), scenario.n_records
    d = Delivery(
        rng=rng,
        n=n,
        form=("%Y-%m-%d", "%d.%m.%Y")[scenario.seed % 2],
        originals={},
        tables={},
        pseudonyms=np.array([f"{each:010x}" for each in rng.choice(2**40, n, replace=False)]),
        shifts=-7 * rng.integers(1, 53, n),
        owner={},
        with_shifts=scenario.seed % 3 == 0,
    )
    ids = np.array([f"P{each}" for each in rng.choice(900_000, n, replace=False) + 100_000])
    sizes = {"person": n, "visit": 4 * n, "condition": 3 * n, "note": 2 * n}
    for table, size in sizes.items():
        d.owner[table] = np.arange(n) if table == "person" else rng.integers(0, n, size)
    birth = -rng.integers(7_000, 33_000, n)
    made: dict[str, dict[str, object]] = {
        "person": {
            "person_id": ids,
            "name": [f"Ana {each}" for each in ids],
            "sex": rng.choice(["F", "M"], n),
            "birth_date": birth,
            "birth_year": birth,
            "age": rng.integers(20, 99, n).astype(object),
            "state": rng.choice(_STATES, n, p=[0.3, 0.25, 0.2, 0.2, 0.02, 0.02, 0.01]).astype(object),
        },
        "visit": {
            "visit_id": rng.permutation(9 * n)[: 4 * n] + 10_000_000,
            "start_date": (start := rng.integers(0, 2500, 4 * n)),
            "end_date": start + rng.integers(0, 9, 4 * n),
            "kind": rng.choice(["in", "out", "home", "test"], 4 * n, p=[0.3, 0.4, 0.2, 0.1]),
            "comment": [f"seen {each}" for each in rng.integers(0, 9, 4 * n)],
        },
        "condition": {
            "code": rng.choice(list(_CODES), 3 * n),
            "onset_date": rng.integers(0, 2500, 3 * n),
        },
        "note": {"note_date": rng.integers(0, 2500, 2 * n)},
    }
    new_visits = rng.permutation(9 * n)[: 4 * n] + 50_000_000
    for table, columns in made.items():
        who = d.owner[table]
        old, new = {}, {}
        if table != "person":
            old["person_id"], new["person_id"] = ids[who], d.pseudonyms[who]
        for column, values in columns.items():
            is_date = column.endswith(("_date", "birth_year"))
            old[column] = d.dates(values) if is_date else values
            new[column] = d.dates(np.asarray(values) + d.shifts[who]) if is_date else values
        d.originals[table], d.tables[table] = pd.DataFrame(old), pd.DataFrame(new)
    d.originals["note"]["text"] = _texts(d, made["note"]["note_date"])
    d.tables["note"]["text"] = _texts(d, made["note"]["note_date"] + d.shifts[d.owner["note"]])
    visits = rng.integers(0, 4 * n, 5 * n)
    d.owner["measurement"] = d.owner["visit"][visits]
    values = np.round(rng.normal(100, 20, 5 * n), 2)
    d.originals["measurement"] = pd.DataFrame(
        {"visit_id": d.originals["visit"]["visit_id"].to_numpy()[visits], "value": values}
    )
    d.tables["measurement"] = pd.DataFrame({"visit_id": new_visits[visits], "value": values})
    _treat(d, new_visits, visits)
    return d


def _treat(d: Delivery, new_visits: np.ndarray, visits: np.ndarray) -> None:
    """Do to the released tables what the rules say, beside shifts."""
    person, visit = d.tables["person"], d.tables["visit"]
    person["person_id"], person["name"] = d.pseudonyms, None
    person["birth_year"] = [
        each[:4] if "-" in each else each[-4:] for each in d.originals["person"]["birth_year"]
    ]
    person["age"] = ["90+" if each > 89 else each for each in person["age"]]
    counts = person["state"].value_counts()
    person.loc[person["state"].map(counts) < _FEWEST, "state"] = "other"
    visit["visit_id"], visit["comment"] = new_visits, None
    d.tables["condition"]["code"] = d.tables["condition"]["code"].map(_CODES)
    is_test = (visit["kind"] == "test").to_numpy()
    d.tables["visit"] = visit[~is_test]
    d.tables["measurement"] = d.tables["measurement"][~is_test[visits]]


def _dataset(name: str, table: pd.DataFrame) -> Dataset:
    return read_dataset(table.to_csv(index=False).encode(), name=name)


def measured(d: Delivery, scenario: Scenario) -> Declared:
    """Hold a delivery against its originals."""
    order = scenario.rng("order")
    released, files = {}, []
    for name, table in d.tables.items():
        mixed = table.iloc[order.permutation(len(table))] if scenario.reordered else table
        files.append(d.files.get(name, f"{name}.csv"))
        released[name] = _dataset(files[-1], mixed)
    ids = d.originals["person"].iloc[:, 0]
    mapping = _dataset("ids.csv", pd.DataFrame({"id": ids, "new": d.pseudonyms}))
    shifts = _dataset("shifts.csv", pd.DataFrame({"id": ids, "days": d.shifts}))
    given = read_originals(
        {name: _dataset(f"{name}.csv", each) for name, each in d.originals.items()},
        mapping=mapping if d.with_mapping else None,
        shifts=shifts if d.with_shifts else None,
        rules=("rules.toml", d.rules.encode()),
    )
    return measure_declared(released, given, files=files)


KINDS: list[Kind] = []
Change = Callable[[Delivery], None]


def _proper(change: Change | None) -> Callable[[Scenario], Verdict]:
    def judged(scenario: Scenario) -> Verdict:
        d = delivery(scenario)
        if change is not None:
            change(d)
        return worst(each.verdict for each in measured(d, scenario).lines)

    return judged


def broken(rule: str, family: str) -> Callable[[Change], Change]:
    """Register a function that breaks a delivery; `rule` is the kind of line that has to say so."""

    def register(change: Change) -> Change:
        def judged(scenario: Scenario) -> Verdict:
            d = delivery(scenario)
            change(d)
            lines = measured(d, scenario).lines
            named = [each.verdict for each in lines if each.kind == rule]
            return worst(named) if Verdict.FAIL in named else Verdict.WARN

        _register(change, judged, family, control=_proper(None))
        return change

    return register


def right(family: str) -> Callable[[Change], Change]:
    """Register a function that makes another right delivery."""

    def register(change: Change) -> Change:
        _register(change, _proper(change), family)
        return change

    return register


def _register(
    change: Change,
    judged: Callable[[Scenario], Verdict],
    family: str,
    control: Callable[[Scenario], Verdict] | None = None,
) -> None:
    KINDS.append(
        Kind(
            tool="declared",
            name=change.__name__.replace("_", " ").strip(),
            family=family,
            leaky=control is not None,
            judge=judged,
            control=control,
        )
    )


# --- shifts


@broken("shifted", "persons")
def _six_persons_unshifted(d: Delivery) -> None:
    for table, column in (("visit", "start_date"), ("visit", "end_date")):
        d.redate(table, column, np.zeros(len(d.tables[table])), d.few(table))


@broken("shifted", "persons")
def _a_shift_per_visit(d: Delivery) -> None:
    days = -7 * d.rng.integers(1, 53, len(d.tables["visit"]))
    for column in ("start_date", "end_date"):
        d.redate("visit", column, days, np.ones(len(days), dtype=bool))


@broken("shifted", "columns")
def _end_not_shifted(d: Delivery) -> None:
    n = len(d.tables["visit"])
    d.redate("visit", "end_date", np.zeros(n), np.ones(n, dtype=bool))


@broken("shifted", "columns")
def _births_not_shifted(d: Delivery) -> None:
    d.redate("person", "birth_date", np.zeros(d.n), np.ones(d.n, dtype=bool))


@broken("shifted", "columns")
def _onset_by_another_shift(d: Delivery) -> None:
    days = -7 * d.rng.integers(1, 53, d.n)[d.owner["condition"]]
    d.redate("condition", "onset_date", days, np.ones(len(days), dtype=bool))


@broken("shifted", "columns")
def _one_table_the_other_way(d: Delivery) -> None:
    days = -d.shifts[d.owner["condition"]]
    d.redate("condition", "onset_date", days, np.ones(len(days), dtype=bool))


@broken("shifted", "texts")
def _dates_in_notes_unshifted(d: Delivery) -> None:
    d.tables["note"]["text"] = d.originals["note"]["text"]


@broken("shifted", "texts")
def _a_few_notes_unshifted(d: Delivery) -> None:
    few = d.few("note")
    d.tables["note"].loc[few, "text"] = d.originals["note"]["text"][few]


@broken("shifted", "texts")
def _notes_shifted_by_a_day_more(d: Delivery) -> None:
    days = pd.to_datetime(d.tables["note"]["note_date"], format=d.form) + pd.Timedelta(days=1)
    d.tables["note"]["text"] = [f"Seen on {each}; better." for each in days.dt.strftime(d.form)]


@broken("shifted", "drawing")
def _one_shift_for_all(d: Delivery) -> None:
    _shift_all(d, np.full(d.n, -70))


@broken("shifted", "drawing")
def _not_whole_weeks(d: Delivery) -> None:
    _shift_all(d, -d.rng.integers(7, 364, d.n))


@broken("shifted", "drawing")
def _out_of_the_range(d: Delivery) -> None:
    _shift_all(d, -7 * d.rng.integers(1, 80, d.n))


@broken("shifted", "drawing")
def _zero_for_some(d: Delivery) -> None:
    _shift_all(d, np.where(np.arange(d.n) % 40 == 0, 0, d.shifts))


@broken("shifted", "drawing")
def _three_numbers_alone(d: Delivery) -> None:
    _shift_all(d, d.rng.choice([-14, -70, -140], d.n))


@broken("shifted", "drawing")
def _in_the_order_of_identifiers(d: Delivery) -> None:
    rank = np.argsort(np.argsort(d.originals["person"]["person_id"].to_numpy()))
    _shift_all(d, -7 * (1 + rank * 52 // d.n))


def _shift_all(d: Delivery, shifts: np.ndarray) -> None:
    """Shift everything by other numbers, as the table of shifts says too."""
    d.shifts = shifts
    for table, column in (
        *(("visit", "start_date"), ("visit", "end_date"), ("person", "birth_date")),
        *(("condition", "onset_date"), ("note", "note_date")),
    ):
        days = shifts[d.owner[table][d.tables[table].index]]
        d.redate(table, column, days, np.ones(len(days), dtype=bool))
    d.tables["note"]["text"] = [f"Seen on {each}; better." for each in d.tables["note"]["note_date"]]


@broken("shifted", "cells")
def _some_dates_blank(d: Delivery) -> None:
    d.tables["condition"].loc[d.few("condition"), "onset_date"] = None


@broken("shifted", "cells")
def _a_day_off_for_a_few(d: Delivery) -> None:
    few = d.few("condition")
    days = d.shifts[d.owner["condition"]] + 1
    d.redate("condition", "onset_date", days, few)


@broken("shifted", "columns")
def _another_date_that_nobody_declared(d: Delivery) -> None:
    for tables in (d.originals, d.tables):
        tables["person"]["registered"] = d.originals["person"]["birth_date"].to_numpy()


# --- identifiers


@broken("replaced", "identifiers")
def _a_table_keeps_identifiers(d: Delivery) -> None:
    d.tables["condition"]["person_id"] = d.originals["condition"]["person_id"]


@broken("replaced", "identifiers")
def _a_few_identifiers_kept(d: Delivery) -> None:
    few = d.few("visit")
    visit = d.tables["visit"]
    visit.loc[few, "person_id"] = d.originals["visit"]["person_id"][visit.index[few]]


@broken("replaced", "identifiers")
def _another_pseudonym_in_one_table(d: Delivery) -> None:
    other = np.array([f"{each:010x}" for each in d.rng.choice(2**40, d.n, replace=False)])
    d.tables["note"]["person_id"] = other[d.owner["note"]]


@broken("replaced", "identifiers")
def _two_persons_share_a_pseudonym(d: Delivery) -> None:
    d.pseudonyms[1] = d.pseudonyms[0]
    for table in ("person", "visit", "condition", "note"):
        released = d.tables[table]
        released["person_id"] = d.pseudonyms[d.owner[table][released.index]]


@broken("replaced", "identifiers")
def _two_persons_swapped_in_one_table(d: Delivery) -> None:
    swapped = d.pseudonyms.copy()
    swapped[:2] = swapped[[1, 0]]
    visit = d.tables["visit"]
    visit["person_id"] = swapped[d.owner["visit"][visit.index]]


@broken("replaced", "elsewhere")
def _identifiers_in_notes(d: Delivery) -> None:
    note, few = d.tables["note"], d.few("note")
    note.loc[few, "text"] = d.originals["note"]["person_id"][few] + " " + note["text"][few]


@broken("replaced", "elsewhere")
def _identifiers_in_another_column(d: Delivery) -> None:
    visit = d.tables["visit"]
    visit["kind"] = visit["kind"].where(~d.few("visit"), d.originals["visit"]["person_id"][visit.index])


@broken("replaced", "elsewhere")
def _identifier_in_the_name_of_a_file(d: Delivery) -> None:
    d.files["note"] = f"note_{d.originals['person']['person_id'][0]}.csv"


@broken("replaced", "elsewhere")
def _pseudonyms_that_hold_identifiers(d: Delivery) -> None:
    d.pseudonyms = ("X" + d.originals["person"]["person_id"] + "Q").to_numpy()
    for table in ("person", "visit", "condition", "note"):
        released = d.tables[table]
        released["person_id"] = d.pseudonyms[d.owner[table][released.index]]


@broken("replaced", "elsewhere")
def _identifiers_without_their_letter(d: Delivery) -> None:
    d.originals["person"]["person_id"] = d.originals["person"]["person_id"]
    note = d.tables["note"]
    note["reference"] = d.originals["note"]["person_id"].str.lower()


@broken("replaced", "identifiers")
def _visit_numbers_kept(d: Delivery) -> None:
    visit = d.tables["visit"]
    visit["visit_id"] = d.originals["visit"]["visit_id"][visit.index]
    released = d.tables["measurement"]
    released["visit_id"] = d.originals["measurement"]["visit_id"][released.index]


# --- columns


@broken("emptied", "columns")
def _names_left(d: Delivery) -> None:
    d.tables["person"]["name"] = d.originals["person"]["name"]


@broken("emptied", "cells")
def _a_few_comments_left(d: Delivery) -> None:
    visit = d.tables["visit"]
    visit.loc[d.few("visit"), "comment"] = "seen by Ana"


@broken("grouped", "columns")
def _ages_above_left(d: Delivery) -> None:
    d.tables["person"]["age"] = d.originals["person"]["age"]


@broken("grouped", "cells")
def _one_age_left(d: Delivery) -> None:
    old = np.flatnonzero(d.originals["person"]["age"].to_numpy() > 89)[:1]
    d.tables["person"].loc[old, "age"] = d.originals["person"]["age"][old]


@broken("grouped", "columns")
def _ages_from_89_grouped(d: Delivery) -> None:
    ages = d.originals["person"]["age"]
    d.tables["person"]["age"] = ["90+" if each > 84 else each for each in ages]


@broken("grouped", "columns")
def _rare_states_left(d: Delivery) -> None:
    d.tables["person"]["state"] = d.originals["person"]["state"]


@broken("grouped", "cells")
def _some_codes_left_whole(d: Delivery) -> None:
    few = d.few("condition")
    d.tables["condition"].loc[few, "code"] = d.originals["condition"]["code"][few]


@broken("grouped", "columns")
def _births_as_whole_dates(d: Delivery) -> None:
    d.tables["person"]["birth_year"] = d.originals["person"]["birth_year"]


@broken("kept", "columns")
def _sex_of_a_few_changed(d: Delivery) -> None:
    d.tables["person"].loc[:9, "sex"] = "X"


@broken("kept", "cells")
def _values_rounded(d: Delivery) -> None:
    d.tables["measurement"]["value"] = d.tables["measurement"]["value"].round(0)


# --- records


@broken("removed", "records")
def _test_visits_left(d: Delivery) -> None:
    old = d.originals["visit"]
    more = old[old["kind"] == "test"].head(5).copy()
    more["person_id"] = d.pseudonyms[d.owner["visit"][more.index]]
    more["visit_id"] += 70_000_000
    more["comment"] = None
    days = pd.to_timedelta(d.shifts[d.owner["visit"][more.index]], unit="D")
    for column in ("start_date", "end_date"):
        more[column] = (pd.to_datetime(more[column], format=d.form) + days).dt.strftime(d.form)
    d.tables["visit"] = pd.concat([d.tables["visit"], more])


@broken("rows", "records")
def _records_lost(d: Delivery) -> None:
    d.tables["condition"] = d.tables["condition"].iloc[12:]


@broken("rows", "records")
def _records_twice(d: Delivery) -> None:
    condition = d.tables["condition"]
    d.tables["condition"] = pd.concat([condition, condition.head(7)])


@broken("refers", "records")
def _visits_of_nobody(d: Delivery) -> None:
    d.tables["person"] = d.tables["person"].iloc[3:]


@broken("refers", "records")
def _measurements_of_no_visit(d: Delivery) -> None:
    d.tables["visit"] = d.tables["visit"].iloc[20:]


# --- right ones


@right("delivery")
def _as_declared(d: Delivery) -> None:
    assert d.n


@right("delivery")
def _with_a_table_of_shifts(d: Delivery) -> None:
    d.with_shifts = True


@right("delivery")
def _without_a_table_of_shifts(d: Delivery) -> None:
    d.with_shifts = False


@right("shifts")
def _forward_shifts(d: Delivery) -> None:
    d.rules = d.rules.replace("least = -364\nmost = -7", "least = 7\nmost = 364")
    _shift_all(d, 7 * d.rng.integers(1, 53, d.n))


@right("shifts")
def _shifts_of_any_days(d: Delivery) -> None:
    d.rules = d.rules.replace("whole_weeks = true\n", "")
    _shift_all(d, -d.rng.integers(7, 365, d.n))


@right("shifts")
def _no_range_declared(d: Delivery) -> None:
    d.rules = d.rules.replace("least = -364\nmost = -7\n", "")


@right("shifts")
def _one_shift_for_all_as_declared(d: Delivery) -> None:
    d.rules = d.rules.replace("whole_weeks = true", "whole_weeks = true\none_for_all = true")
    _shift_all(d, np.full(d.n, -70))


@right("columns")
def _emptied_columns_not_there(d: Delivery) -> None:
    d.tables["person"] = d.tables["person"].drop(columns="name")
    d.tables["visit"] = d.tables["visit"].drop(columns="comment")


@right("columns")
def _columns_in_another_order(d: Delivery) -> None:
    d.tables = {name: table[[*reversed(table.columns)]] for name, table in d.tables.items()}


@right("columns")
def _headers_in_capitals(d: Delivery) -> None:
    d.originals = {name: each.rename(columns=str.upper) for name, each in d.originals.items()}
    d.rules = d.rules.replace('person = "person.person_id"', 'person = "person.PERSON_ID"')


@right("identifiers")
def _persons_of_other_names(d: Delivery) -> None:
    for tables in (d.originals, d.tables):
        tables["person"] = tables["person"].rename(columns={"person_id": "id"})
        tables["visit"] = tables["visit"].rename(columns={"person_id": "patient"})
    d.rules = d.rules.replace('"person.person_id"', '"person.id"').replace(
        '"visit.person_id"', '"visit.patient"'
    )
    d.rules = d.rules.replace('["*.person_id"]', '["*.person_id", "person.id", "visit.patient"]')


@right("columns")
def _dates_some_never_had(d: Delivery) -> None:
    some = d.rng.random(len(d.tables["condition"])) < 0.3
    for tables in (d.originals, d.tables):
        tables["condition"].loc[some, "onset_date"] = None


@right("columns")
def _notes_without_dates_too(d: Delivery) -> None:
    some = d.rng.random(len(d.tables["note"])) < 0.5
    for tables in (d.originals, d.tables):
        tables["note"].loc[some, "text"] = "Nothing new."


@right("columns")
def _numbers_written_otherwise(d: Delivery) -> None:
    d.tables["measurement"]["value"] = [f"{each:.3f}" for each in d.tables["measurement"]["value"]]


@right("tables")
def _a_table_less(d: Delivery) -> None:
    del d.tables["condition"]
    d.rules = d.rules.replace('[[grouped]]\ncolumns = ["condition.code"]\ncodes', "#")
    d.rules = d.rules.replace(', "condition.person_id"', "")


@right("tables")
def _files_of_other_names(d: Delivery) -> None:
    d.files |= {name: f"{name}_deid.csv" for name in d.tables}


@right("identifiers")
def _numbers_for_persons(d: Delivery) -> None:
    d.pseudonyms = (d.rng.permutation(9 * d.n)[: d.n] + 30_000_000).astype(str)
    for table in ("person", "visit", "condition", "note"):
        released = d.tables[table]
        released["person_id"] = d.pseudonyms[d.owner[table][released.index]]


@right("identifiers")
def _short_original_numbers(d: Delivery) -> None:
    short = np.arange(1, d.n + 1).astype(str)
    for table in ("person", "visit", "condition", "note"):
        d.originals[table]["person_id"] = short[d.owner[table]]


@right("identifiers")
def _persons_in_another_column_too(d: Delivery) -> None:
    partner = d.rng.permutation(d.n)
    d.originals["person"]["partner_id"] = d.originals["person"]["person_id"].to_numpy()[partner]
    d.tables["person"]["partner_id"] = d.pseudonyms[partner]
    d.rules = d.rules.replace('columns = ["*.person_id"]', 'columns = ["*.person_id", "person.partner_id"]')


@right("records")
def _no_test_visits(d: Delivery) -> None:
    kept = d.tables["visit"].index
    d.originals["visit"] = d.originals["visit"].loc[kept]
    d.originals["measurement"] = d.originals["measurement"].loc[d.tables["measurement"].index]
    d.owner = {name: d.owner[name][each.index] for name, each in d.originals.items()}
