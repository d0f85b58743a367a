"""Proper releases: what reasonable people do to a table so that nobody is found in it."""

from __future__ import annotations

import base64
import hmac
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.tabular.files import workbook
from benchmarks.quality.tabular.releases import (
    SMALLEST_CLASS,
    Change,
    Release,
    added,
    csv_of,
    dates,
    fine,
    floored,
    numbers,
    small_classes,
    tokens,
    with_sex_alone,
)

_LARGE = (1000,)
_SECRET = b"\x8f\x02 kept in a safe, 32 bytes \xd1\x7f\x99\x01"


def _blanked(mark: str, *kinds: str) -> Change:
    """Return a change that keeps columns with every cell blank, or with a mark in every cell."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        for column in release.schema.of_kind(*kinds):
            release = release.having(column, [mark] * len(release.rows), action="drop")
        return release

    return change


def _marked_sensitive(mark: str) -> Change:
    """Return a change that writes a mark into categories and numbers that were not to be kept."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        for column in release.schema.of_kind("category", "text", "number"):
            if column not in release.released and release.semantic(column) == "other":
                release = release.having(column, [mark] * len(release.rows), action="suppress")
        return release

    return change


def _marked_small(release: Release, _rng: np.random.Generator) -> Release:
    """Write a mark where suppression blanked quasi-identifiers."""
    known = [
        name for name in release.released if release.semantic(name) in {"gender", "address", "marital_status"}
    ]
    return replace(release, released=release.released.replace(dict.fromkeys(known, ""), "unknown"))


def _pseudonyms(make: Callable[[str, np.random.Generator], str], *kinds: str) -> Change:
    """Return a change that gives each distinct value a pseudonym that is random, or keyed by a real secret."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        for column in release.schema.of_kind(*kinds or ("id",)):
            values = release.truth(column)
            made = {value: make(value, rng) for value in pd.unique(values)}
            release = release.having(column, values.map(made), action="pseudonymize")
        return release

    return change


def _row_tokens(release: Release, rng: np.random.Generator) -> Release:
    drawn = [rng.bytes(8).hex() for _ in release.rows]
    return release.having(release.first("id"), drawn, action="pseudonymize")


def _surrogate(release: Release, _rng: np.random.Generator) -> Release:
    """Fill a column with made-up values of the same form, as test data makers do."""
    column = release.first("email")
    made = release.of_strangers().truth(column)
    return release.having(column, made, action="pseudonymize", semantic="other")


def _regrouped(
    column_of: Callable[[Release], str], make: Callable[[Release, str], pd.Series], semantic: str, action: str
) -> Change:
    """Return a change that puts one coarse quasi-identifier in the place of all but sex, small classes blanked."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = column_of(release)
        table = pd.DataFrame({column: make(release, column)})
        release = with_sex_alone(release)
        sex = next((name for name in release.released if release.semantic(name) == "gender"), None)
        if sex is not None:
            table[sex] = release.truth(sex)
        blanked = small_classes(table, release.truth(release.first("id")))
        for name, said in ((column, (semantic, action)), (sex, ("gender", "keep"))):
            if name is not None:
                release = release.having(
                    name, table[name].mask(blanked, ""), semantic=said[0], action=said[1]
                )
        return _without_alike(release, list(table))

    return change


def _without_alike(release: Release, keys: list[str]) -> Release:
    """Drop the sensitive columns that are alike inside a class."""
    for name in [name for name in release.released if release.semantic(name) == "other"]:
        if keys and release.released.groupby(keys, dropna=False)[name].nunique().min() < 2:
            release = release.without(name)
    return release


def _birth(release: Release) -> str:
    return release.first("birth")


def _ages_of_ten(release: Release, column: str) -> pd.Series:
    low = (2026 - dates(release.truth(column)).dt.year).clip(upper=79) // 10 * 10
    return low.astype(str) + "-" + (low + 9).astype(str)


def _regions(release: Release, column: str) -> pd.Series:
    return release.truth(column).map(release.schema.regions)


def _two_digits(release: Release, column: str) -> pd.Series:
    return release.truth(column).map(lambda text: text[:2] + "*" * (len(text) - 2))


def _numbers_as(make: Callable[[np.ndarray, np.random.Generator], np.ndarray], action: str) -> Change:
    """Return a change that perturbs every number that is sensitive, and keeps those that differ inside classes."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        keys = [name for name in release.released if release.semantic(name) not in {"other", "patient_id"}]
        for column in release.schema.of_kind("number"):
            if column in release.released:
                made = [f"{value:.1f}" for value in make(numbers(release.truth(column)), rng)]
                release = release.having(column, made, action=action)
        return _without_alike(release, keys)

    return change


def _noisy(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Add noise of about one standard deviation: nobody's own value is near any more."""
    return np.clip(values, *np.quantile(values, [0.05, 0.95])) + rng.normal(0, np.std(values), len(values))


def _microaggregated(values: np.ndarray, _rng: np.random.Generator) -> np.ndarray:
    order = values.argsort()
    size = max(len(values) // 10, SMALLEST_CLASS)
    groups = np.minimum(np.arange(len(values)) // size, max(len(values) // size - 1, 0))
    made = np.empty(len(values))
    made[order] = pd.Series(values[order]).groupby(groups).transform("mean")
    return made


def _swapped(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Swap values among all records, rounded to about half a standard deviation."""
    step = 10.0 ** np.floor(np.log10(np.std(values) / 2)) * 5
    return rng.permutation(np.round(np.clip(values, *np.quantile(values, [0.1, 0.9])) / step) * step)


def _half(release: Release, rng: np.random.Generator) -> Release:
    return _classes_of_five(release.selected(rng.random(len(release.rows)) < 0.5))


def _classes_of_five(release: Release) -> Release:
    """Blank what is in small classes now."""
    known = [name for name in release.released if release.semantic(name) not in {"other", "patient_id"}]
    blanked = small_classes(release.released[known], release.truth(release.first("id")))
    released = release.released.copy()
    released.loc[blanked, known] = ""
    return _without_alike(replace(release, released=released), known)


def _independent(release: Release, rng: np.random.Generator) -> Release:
    """Draw every column by itself from the released values, rare combinations and all pseudonyms anew."""
    released = release.released.apply(lambda column: rng.permutation(column.to_numpy()))
    who = release.first("id")
    released[who] = tokens(released[who], rng)
    return _classes_of_five(replace(release, released=released))


def _sorted(release: Release, _rng: np.random.Generator) -> Release:
    known = [name for name in release.released if name != release.first("id")]
    order = release.released.sort_values(known).index.to_numpy()
    return replace(
        release, released=release.released.iloc[order].reset_index(drop=True), rows=release.rows[order]
    )


def _columns_moved(release: Release, rng: np.random.Generator) -> Release:
    return replace(release, released=release.released[rng.permutation(list(release.released))])


def _with_category(name: str, *words: str) -> Change:
    """Return a change: the table has a category with words that may look like something else, and keeps it."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        release = with_sex_alone(release)
        values = np.array(words)[rng.integers(0, len(words), len(release.original))]
        release = replace(
            release.without(*release.kept()), original=release.original.assign(**{name: values})
        )
        return release.having(name, values[release.rows])

    return change


def _no_quasi(release: Release, _rng: np.random.Generator) -> Release:
    release = with_sex_alone(release)
    sex = [name for name in release.released if release.semantic(name) == "gender"]
    return replace(release.without(*sex), nothing_known=True)


def _written(**form: object) -> Change:
    """Return a change of the file's form: delimiter, encoding, quotes."""
    return lambda release, _rng: replace(
        release, write=lambda done: ("x_anonymized.csv", csv_of(done.released, **form))
    )


def _capitals(release: Release, _rng: np.random.Generator) -> Release:
    return replace(release, released=release.released.rename(columns=str.upper))


def _logged(words: dict[str, str]) -> Change:
    """Return a change that says the published actions in other words."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        for column, entry in release.log.items():
            release = release.logged(column, action=words.get(entry["action"], entry["action"]))
        return release

    return change


def _random_column(release: Release, rng: np.random.Generator) -> Sequence[str]:
    return [f"{value:.6f}" for value in rng.random(len(release.rows))]


# fmt: off
KINDS = (
    fine("direct identifiers blank in every row", "dropped", _blanked("", "name", "national", "phone", "email", "address")),
    fine("names marked ***, log says drop", "marks", _blanked("***", "name")),
    *(fine(f"categories marked {mark}", "marks", _marked_sensitive(mark)) for mark in ("[REDACTED]", "비공개", "n/a")),
    fine("small classes marked unknown", "marks", _marked_small),
    *(
        fine(f"ids as {name}", "pseudonyms", _pseudonyms(make))
        for name, make in (
            ("random UUIDs", lambda _v, rng: str(uuid.UUID(bytes=rng.bytes(16), version=4))),
            ("random digits", lambda _v, rng: f"{rng.integers(10**11, 10**12)}"),
            ("random web-safe Base64", lambda _v, rng: base64.urlsafe_b64encode(rng.bytes(12)).decode()),
            ("keyed SHA-256 cut to 16", lambda v, _rng: hmac.new(_SECRET, v.encode(), "sha256").hexdigest()[:16]),
        )
    ),
    fine("names and e-mails as random tokens", "pseudonyms", _pseudonyms(lambda _v, rng: rng.bytes(8).hex(), "id", "name", "email")),
    fine("a token for each row, not for each person", "pseudonyms", _row_tokens),
    fine("e-mails as surrogates", "surrogates", _surrogate, schemas=("english_insurance",)),
    fine("ages in bands of ten", "generalized", _regrouped(_birth, _ages_of_ten, "age", "generalize")),
    fine(
        "years of birth", "generalized", sizes=_LARGE,
        change=_regrouped(_birth, lambda r, column: floored(r.truth(column), 1), "birthdate", "date_floor_year"),
    ),
    fine("larger regions", "generalized", _regrouped(lambda r: r.first("region"), _regions, "address", "region_generalize")),
    fine(
        "postcodes of two digits with stars", "generalized", sizes=_LARGE, schemas=("korean_hospital",),
        change=_regrouped(lambda r: r.first("zip"), _two_digits, "zipcode", "mask_zip_leading"),
    ),
    fine("numbers with large noise", "numbers", _numbers_as(_noisy, "noise")),
    fine("numbers as means of groups", "numbers", _numbers_as(_microaggregated, "microaggregate")),
    fine("numbers rounded and swapped", "numbers", _numbers_as(_swapped, "swap")),
    fine("a random half of the records", "rows", _half, sizes=_LARGE),
    fine("records sorted by released values", "rows", _sorted),
    fine("columns in another order", "rows", _columns_moved),
    fine("synthetic records, columns drawn on their own", "synthetic", _independent, sizes=_LARGE),
    *(
        fine(f"categories kept: {name}", "categories kept", _with_category(*words))
        for name, words in (
            ("drugs by name", ("drug", "aspirin", "metformin", "ramipril", "insulin glargine")),
            ("ICD codes under a heading with name", ("disease_name", "asthma", "diabetes", "migraine", "eczema")),
            ("Slovenian words", ("oddelek", "interna", "kirurgija", "pediatrija", "nevrologija")),
        )
    ),
    fine("no quasi-identifier at all, confirmed", "categories kept", _no_quasi),
    fine("columns of random numbers added", "columns added", added("draw", _random_column)),
    fine("a constant column added", "columns added", added("release", lambda r, _: ["2026-1"] * len(r.rows))),
    fine("UTF-16", "files", _written(encoding="utf-16")),
    fine("CP949", "files", _written(encoding="cp949"), schemas=("korean_hospital",)),
    fine("a workbook", "files", workbook()),
    fine("headings in capitals", "files", _capitals, schemas=("slovenian_registry", "english_insurance")),
    fine("log in capitals", "log words", _logged({"drop": "DROP", "keep": "Keep", "pseudonymize": "Pseudonymize", "round": "ROUND"})),
    fine("log says noise and swap", "log words", _logged({"round": "swap", "generalize": "bin"})),
)
# fmt: on
