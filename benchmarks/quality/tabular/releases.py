"""How a careful person anonymizes each schema's table, and what the auditor says of a release.

The careful person drops what names people, gives identifiers random tokens, floors dates to years or decades,
widens regions, and blanks what is left of small classes until every class holds five people. Of the rest they
keep as it was only what singles out hardly anybody, and numbers in bands.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality.schemas import SCHEMAS, Schema
from benchmarks.quality.scoreboard import Kind, Scenario
from core.tables import read_dataset
from core.tabular import TabularAudit, audit_tabular, read_log
from core.tabular.second_opinion import SecondOpinionThresholds
from core.verdict import Verdict

SMALLEST_CLASS = 5
_MOST_BLANKED = 0.10  # share of records whose quasi-identifiers may be blanked before a coarser plan is taken
_MOST_ALONE = 0.02  # share of records that the columns kept as they were may single out

_WIDELY_KNOWN = frozenset({"izobrazba", "occupation"})  # others see or know these
ASK = Verdict.WARN  # a careful person would ask, not refuse
EVERY = tuple(SCHEMAS)


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """An original table, its anonymized table and the log, before they are written as files.

    Attributes
    ----------
    schema, scenario
        What it was made from.
    original, released
        The two tables; every cell is text, blank where missing.
    rows
        Shape (n_released,): the original row that a released row was made from.
    log
        Column name to ``semantic`` and ``action``.
    meta
        What the log says of itself.
    nothing_known
        Whether the person confirmed that others know no column.
    write
        Makes a file of the anonymized table, given the release: its name and bytes.
    """

    schema: Schema
    scenario: Scenario
    original: pd.DataFrame
    released: pd.DataFrame
    rows: np.ndarray
    log: Mapping[str, Mapping[str, str]]
    meta: Mapping[str, object] = field(default_factory=dict)
    nothing_known: bool = False
    write: Callable[[Release], tuple[str, bytes]] = lambda release: (
        "x_anonymized.csv",
        csv_of(release.released),
    )

    def truth(self, column: str) -> pd.Series:
        """Return a column of the original, a value for each released row."""
        return self.original[column].iloc[self.rows].reset_index(drop=True)

    def of_strangers(self) -> Release:
        """Return this release with an original of other people, to take values from."""
        return replace(self, original=self.schema.make(len(self.original), self.scenario.rng("strangers")))

    def first(self, *kinds: str) -> str:
        """Return the original's first column of the first kind that it has."""
        return next(name for kind in kinds for name in self.schema.of_kind(kind))

    def having(
        self,
        column: str,
        values: Sequence[str] | pd.Series | np.ndarray,
        *,
        semantic: str = "",
        action: str = "keep",
    ) -> Release:
        """Return the release with a column set, at its place in the original or at the end, and logged so."""
        known = self.schema.columns.get(column)
        entry = {"semantic": semantic or (known.semantic if known else "other"), "action": action}
        released = self.released.assign(**{column: [str(value) for value in values]})
        order = [name for name in self.original.columns if name in released]
        released = released[[*order, *(name for name in released if name not in order)]]
        return replace(self, released=released, log={**self.log, column: entry})

    def without(self, *columns: str) -> Release:
        """Return the release with columns dropped, and logged so."""
        log = {**self.log}
        for column in columns:
            log[column] = {"semantic": self.semantic(column), "action": "drop"}
        return replace(
            self,
            released=self.released.drop(columns=[name for name in columns if name in self.released]),
            log=log,
        )

    def logged(self, column: str, **entry: str) -> Release:
        """Return the release with other words in the log's entry of a column."""
        return replace(self, log={**self.log, column: {**self.log.get(column, {}), **entry}})

    def semantic(self, column: str) -> str:
        """Return what a column is called in the log."""
        known = self.schema.columns.get(column)
        return self.log.get(column, {}).get("semantic", known.semantic if known else "other")

    def selected(self, mask: np.ndarray) -> Release:
        """Return the release with these released rows only."""
        return replace(self, released=self.released[mask].reset_index(drop=True), rows=self.rows[mask])

    def kept(self) -> list[str]:
        """Return the sensitive categories that were kept as they were."""
        return [name for name in self.schema.of_kind("category", "text") if self.is_sensitive(name)]

    def is_sensitive(self, column: str) -> bool:
        """Return whether a column is in the release and no quasi-identifier."""
        return column in self.released and self.semantic(column) == "other"


def proper(scenario: Scenario) -> Release:
    """Return the release of a careful person; the released rows stand as in the original."""
    schema = SCHEMAS[scenario.schema]
    return anonymized(schema, scenario, original_of(scenario))


def with_sex_alone(release: Release) -> Release:
    """Return the release without quasi-identifiers but sex, so that one column more keeps its classes large."""
    known = [name for name, entry in release.log.items() if entry["semantic"] not in {"gender", "other"}]
    return release.without(
        *(name for name in known if name in release.released and name != release.first("id"))
    )


def original_of(scenario: Scenario) -> pd.DataFrame:
    """Return the scenario's original table."""
    return SCHEMAS[scenario.schema].make(scenario.n_records, scenario.rng("original"))


def anonymized(schema: Schema, scenario: Scenario, original: pd.DataFrame) -> Release:
    """Anonymize a table as a careful person does."""
    plan, blanked = _plan(schema, original)
    released = pd.DataFrame(index=original.index)
    log: dict[str, dict[str, str]] = {}
    for name, column in schema.columns.items():
        if name in plan:
            released[name] = plan[name]
            log[name] = {"semantic": column.semantic, "action": _ACTIONS[column.kind]}
        elif column.kind == "id":
            released[name] = tokens(original[name], scenario.rng("tokens"))
            log[name] = {"semantic": column.semantic, "action": "pseudonymize"}
        else:
            log[name] = {"semantic": column.semantic, "action": "drop"}
    for name in plan:
        released[name] = released[name].mask(blanked, "")
    release = Release(
        schema=schema,
        scenario=scenario,
        original=original,
        released=released,
        rows=np.arange(len(original)),
        log=log,
        meta={"mode": "low", "allow_dx": False},
    )
    return _with_numbers(_with_categories(release, list(plan)), list(plan))


_ACTIONS = {
    "birth": "date_floor_year",
    "date": "date_floor_year",
    "region": "region_generalize",
    "category": "keep",
}
_PLANS: tuple[
    Mapping[str, int], ...
] = (  # years that a date stands for, or whether the column is there at all
    {"birth": 1, "date": 1, "region": 1, "other": 1, "sex": 1},
    {"birth": 1, "date": 1, "region": 1, "sex": 1},
    {"birth": 10, "date": 1, "region": 1, "sex": 1},
    {"birth": 10, "region": 1, "sex": 1},
    {"sex": 1},
)


def _plan(schema: Schema, original: pd.DataFrame) -> tuple[dict[str, pd.Series], np.ndarray]:
    """Return the quasi-identifiers, as fine as the number of people allows, and whose are to be blanked."""
    people = original[schema.of_kind("id")[0]]
    for plan in _PLANS:
        columns = _generalized(schema, original, plan)
        blanked = small_classes(pd.DataFrame(columns), people)
        n_blanked = people[blanked].nunique()
        if n_blanked <= max(_MOST_BLANKED * people.nunique(), SMALLEST_CLASS + 1):
            return columns, blanked
    return {}, np.zeros(len(original), dtype=bool)


def _generalized(schema: Schema, original: pd.DataFrame, plan: Mapping[str, int]) -> dict[str, pd.Series]:
    columns: dict[str, pd.Series] = {}
    for name, column in schema.columns.items():
        values = original[name]
        if column.kind == "birth" and plan.get("birth") in {1, 10}:
            columns[name] = floored(values, plan["birth"])
        elif column.kind == "date" and "date" in plan:
            columns[name] = floored(values, 1)
        elif column.kind == "region" and "region" in plan:
            columns[name] = values.map(schema.regions)
        elif column.semantic == "gender" or (column.semantic == "marital_status" and "other" in plan):
            columns[name] = values
    return columns


def small_classes(columns: pd.DataFrame, people: pd.Series) -> np.ndarray:
    """Return whose quasi-identifiers to blank so that every class, the blank one too, holds five people."""
    if columns.empty:
        return np.zeros(len(columns), dtype=bool)
    keys = [columns[name] for name in columns]
    sizes = people.groupby(keys).transform("nunique").to_numpy()
    blanked = sizes < SMALLEST_CLASS
    missing = SMALLEST_CLASS - people[blanked].nunique()
    if (
        0 < missing < SMALLEST_CLASS
    ):  # the blank class must be large enough too: people of the largest class join it
        joining = sizes == (
            sizes.max() if sizes.max() >= SMALLEST_CLASS + missing else sizes[~blanked].min(initial=0)
        )
        first = None if sizes.max() < SMALLEST_CLASS + missing else missing
        blanked |= joining & people.isin(pd.unique(people[joining])[:first]).to_numpy()
    return blanked


def dates(values: pd.Series) -> pd.Series:
    """Return the days or moments that a schema's column holds."""
    text = values.astype(str)
    for pattern, form in ((r"\d+\. ", "%d. %m. %Y"), (r"\d+/", "%d/%m/%Y")):
        if text.str.match(pattern).all():
            return pd.to_datetime(text, format=form)
    return pd.to_datetime(text, format="%Y-%m-%d")


def floored(values: pd.Series, n_years: int) -> pd.Series:
    """Return the first day of the year or decade, as the published words ask for it."""
    years = dates(values).dt.year // n_years * n_years
    return years.astype(str) + "-01-01"


def tokens(values: pd.Series, rng: np.random.Generator, *, n_bytes: int = 8) -> pd.Series:
    """Return a random hexadecimal token for each distinct value."""
    distinct = pd.unique(values)
    made = [rng.bytes(n_bytes).hex() for _ in distinct]
    return values.map(dict(zip(distinct, made, strict=True)))


def numbers(values: pd.Series) -> np.ndarray:
    """Return the numbers that a schema's column holds."""
    return values.astype(str).str.replace(",", ".").astype(float).to_numpy()


def banded(values: np.ndarray, n_bands: int) -> list[str]:
    """Return numbers as about equally filled bands with round edges, the ends open."""
    edges = np.quantile(values, np.linspace(0, 1, n_bands + 1)[1:-1])
    digits = 1 - int(np.floor(np.log10(max(np.ptp(values), 1e-9))))
    edges = np.unique(np.round(edges, digits))
    names = [f"{edge:.{max(digits, 0)}f}" for edge in edges]
    labels = [f"<{names[0]}", *(f"{a}-{b}" for a, b in pairwise(names)), f">={names[-1]}"]
    return [labels[i] for i in np.searchsorted(edges, values, side="right")]


def _with_categories(release: Release, plan: Sequence[str]) -> Release:
    """Keep the categories that strangers do not know, single out hardly anybody and differ inside every class."""
    for name in release.schema.of_kind("category", "text"):
        if release.semantic(name) != "other" or name in _WIDELY_KNOWN:
            continue
        tried = release.having(name, release.truth(name))
        as_it_was = [*(p for p in plan if release.schema.columns[p].kind == "category"), *tried.kept()]
        sizes = tried.released.groupby(as_it_was, dropna=False)[name].transform("size")
        if (sizes == 1).mean() <= _MOST_ALONE and _differs(tried.released, plan, name):
            release = tried
    return release


def _with_numbers(release: Release, plan: Sequence[str]) -> Release:
    """Keep numbers in bands that differ inside every class."""
    for name in release.schema.of_kind("number"):
        if release.semantic(name) != "other" or name in _WIDELY_KNOWN:
            continue
        bands = banded(numbers(release.truth(name)), 3 if len(release.released) < 500 else 6)
        tried = release.having(name, bands, action="round")
        if _differs(tried.released, plan, name):
            release = tried
    return release


def _differs(released: pd.DataFrame, plan: Sequence[str], name: str) -> bool:
    """Return whether every class holds two values of a column, and every value is one of five."""
    if released[name].value_counts().min() < SMALLEST_CLASS:
        return False
    return not plan or bool(released.groupby(list(plan), dropna=False)[name].nunique().min() > 1)


def csv_of(table: pd.DataFrame, **form: object) -> bytes:
    """Write a table as CSV bytes, UTF-8 unless told otherwise."""
    text = io.BytesIO()
    table.to_csv(text, index=False, **form)
    return text.getvalue()


def audit(release: Release) -> TabularAudit:
    """Write the files, read them as the command line does, and audit them."""
    name, data = release.write(release)
    original_name = name.replace("_anonymized", "")
    original_bytes = csv_of(release.original)
    meta = {"source_file": original_name, "output_file": name, **release.meta}
    log = json.dumps({"_meta": meta, "log_info": release.log}, ensure_ascii=False).encode()
    return audit_tabular(
        read_dataset(original_bytes, name=original_name),
        read_dataset(data, name=name),
        read_log(log, name="x_anonymized_log.json"),
        opinion_thresholds=SecondOpinionThresholds(no_quasi_identifiers=release.nothing_known),
    )


Change = Callable[[Release, np.random.Generator], Release]


def plain(release: Release, _rng: np.random.Generator) -> Release:
    """Return the release as it is."""
    return release


def released(scenario: Scenario, change: Change, *, base: Callable[[Scenario], Release] = proper) -> Release:
    """Return the release of a scenario after a change, its rows in another order where the scenario says so."""
    release = change(_based(scenario, base), scenario.rng("change"))
    if not scenario.reordered:
        return release
    order = scenario.rng("order").permutation(len(release.released))
    return replace(
        release, released=release.released.iloc[order].reset_index(drop=True), rows=release.rows[order]
    )


@lru_cache(maxsize=4)
def _based(scenario: Scenario, base: Callable[[Scenario], Release]) -> Release:
    return base(scenario)


def _judged(change: Change, base: Callable[[Scenario], Release]) -> Callable[[Scenario], Verdict]:
    return lambda scenario: audit(released(scenario, change, base=base)).overall


def leak(
    name: str,
    family: str,
    change: Change,
    *,
    control: Change = plain,
    base: Callable[[Scenario], Release] = proper,
    **how: Any,
) -> Kind:
    """Return a kind of leak: what was done to a proper release, and the same without the leak."""
    judge, without = _judged(change, base), _judged(control, base)
    how = {"schemas": EVERY, **how}
    return Kind(tool="tabular", name=name, family=family, leaky=True, judge=judge, control=without, **how)


def fine(name: str, family: str, change: Change = plain, **how: Any) -> Kind:
    """Return a proper kind: a careful release, done in another way."""
    how = {"schemas": EVERY, **how}
    return Kind(tool="tabular", name=name, family=family, leaky=False, judge=_judged(change, proper), **how)


Make = Callable[[pd.Series, np.random.Generator], Sequence[str] | pd.Series | np.ndarray]


def each(function: Callable[[str], str]) -> Make:
    """Return what makes each value by itself."""
    return lambda values, _rng: values.map(function)


def random_tokens(values: pd.Series, rng: np.random.Generator) -> pd.Series:
    """Return a random token for each distinct value: the control of whatever is computed."""
    return tokens(values, rng)


def written(
    kind: str,
    make: Make,
    *,
    action: str = "pseudonymize",
    semantic: str = "",
    heading: str | None = None,
    strangers: bool = False,
) -> Change:
    """Return a change that writes what is made of the first column of a kind into it, or under another heading.

    With `strangers` it is made of the same column of other people: the control.
    """

    def change(release: Release, rng: np.random.Generator) -> Release:
        column = release.first(*kind.split())
        made = make((release.of_strangers() if strangers else release).truth(column), rng)
        if heading is None:
            return release.having(column, made, action=action, semantic=semantic)
        return release.without(column).having(heading, made)

    return change


def added(heading: str, make: Callable[[Release, np.random.Generator], Sequence[str] | pd.Series]) -> Change:
    """Return a change that adds a column which the log calls other."""
    return lambda release, rng: release.having(heading, make(release, rng), semantic="other")
