"""Proper releases: what reasonable people do to a table so that nobody is found in it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.tabular.leaks_files import workbook
from benchmarks.quality.tabular.releases import (
    ALL_SCHEMAS,
    BORN,
    NAMED,
    ONE_ROW_EACH,
    SMALLEST_CLASS,
    Change,
    Release,
    banded,
    csv_of,
    dates,
    fine,
    floored,
    numbers,
    small_classes,
    tokens,
    with_sex_alone,
)

_LARGER = (200, 1000, 5000, 20_000)
_LARGE = (1000, 5000, 20_000)
_SECRET = b"\x8f\x02 kept in a safe, 32 bytes \xd1\x7f\x99\x01"
_DIRECT = ("name", "national", "phone", "email", "address")


def _blanked(mark: str, *kinds: str, action: str = "drop") -> Change:
    """Return a change that keeps columns with every cell blank, or with a mark in every cell."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        for column in release.schema.of_kind(*kinds):
            release = release.having(column, [mark] * len(release.rows), action=action)
        return release

    return change


def _marked_sensitive(mark: str, action: str = "suppress") -> Change:
    """Return a change that writes a mark into categories and numbers that were not to be kept."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        for column in release.schema.of_kind("category", "text", "number"):
            if column not in release.released and release.semantic(column) == "other":
                release = release.having(column, [mark] * len(release.rows), action=action)
        return release

    return change


def _marked_small(mark: str) -> Change:
    """Return a change that writes a mark where suppression blanked quasi-identifiers."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        released = release.released.copy()
        for column in released:
            if release.semantic(column) in {"gender", "address", "age", "race", "marital_status"}:
                released[column] = released[column].replace("", mark)
        return replace(release, released=released)

    return change


def dropping_kinds() -> Iterator[Kind]:
    """Yield columns dropped, blanked or marked."""
    yield fine("direct identifiers blank in every row", "dropped", _blanked("", *_DIRECT))
    yield fine("everything but sex and one column dropped", "dropped", lambda r, _: with_sex_alone(r))
    yield fine(
        "postcodes and addresses blank", "dropped", _blanked("", "zip", "address"), schemas=ONE_ROW_EACH
    )
    yield fine("names marked ***, log says drop", "marks", _blanked("***", "name"), schemas=NAMED)
    for mark in ("[REDACTED]", "비공개", "-", "n/a", "*"):
        yield fine(f"categories marked {mark}", "marks", _marked_sensitive(mark))
    for mark in ("[suppressed]", "unknown"):
        yield fine(f"small classes marked {mark}", "marks", _marked_small(mark))


def _pseudonyms(
    make: Callable[[str, np.random.Generator], str], *kinds: str, action: str = "pseudonymize"
) -> Change:
    """Return a change that gives each distinct value a pseudonym that is random, or keyed by a real secret."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        for column in release.schema.of_kind(*(kinds or ("id",))):
            values = release.truth(column)
            made = {value: make(value, rng) for value in pd.unique(values)}
            release = release.having(column, values.map(made), action=action)
        return release

    return change


def _keyed(value: str, _rng: np.random.Generator) -> str:
    return hmac.new(_SECRET, value.encode(), "sha256").hexdigest()


def pseudonym_kinds() -> Iterator[Kind]:
    """Yield pseudonyms that nobody can compute."""
    for name, make in (
        ("random UUIDs", lambda _v, rng: str(uuid.UUID(bytes=rng.bytes(16), version=4))),
        ("random 32 hexadecimal digits", lambda _v, rng: rng.bytes(16).hex()),
        ("random digits", lambda _v, rng: f"{rng.integers(10**11, 10**12)}"),
        ("random web-safe Base64", lambda _v, rng: base64.urlsafe_b64encode(rng.bytes(12)).decode()),
        ("keyed SHA-256 cut to 16", lambda v, _rng: _keyed(v, _rng)[:16]),
        (
            "keyed BLAKE2b",
            lambda v, _rng: hashlib.blake2b(v.encode(), key=_SECRET, digest_size=12).hexdigest(),
        ),
    ):
        yield fine(f"ids as {name}", "pseudonyms", _pseudonyms(make))
    yield fine(
        "names and e-mails as random tokens",
        "pseudonyms",
        _pseudonyms(lambda _v, rng: rng.bytes(8).hex(), "id", "name", "email"),
    )
    yield fine("ids dropped", "pseudonyms", lambda r, _: r.without(r.first("id")), schemas=ONE_ROW_EACH)
    yield fine("a token for each row, not for each person", "pseudonyms", _row_tokens)
    yield fine(
        "e-mails as surrogates", "surrogates", _surrogate("email"), schemas=("english_insurance", "survey")
    )
    yield fine(
        "telephones as surrogates",
        "surrogates",
        _surrogate("phone"),
        schemas=("korean_hospital", "us_claims"),
    )


def _row_tokens(release: Release, rng: np.random.Generator) -> Release:
    return release.having(
        release.first("id"), [rng.bytes(8).hex() for _ in release.rows], action="pseudonymize"
    )


def _surrogate(kind: str) -> Change:
    """Return a change that fills a column with made-up values of the same form, as test data makers do."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first(kind)
        return release.having(column, release.strangers()[column], action="pseudonymize", semantic="other")

    return change


def _regroup(
    release: Release, columns: dict[str, tuple[Sequence[str] | pd.Series, str, str]], *, mark: str = ""
) -> Release:
    """Return the release with these quasi-identifiers in place of its own, small classes blanked or marked."""
    release = with_sex_alone(release)
    sex = next((name for name in release.released if release.semantic(name) == "gender"), None)
    table = pd.DataFrame({name: pd.Series(list(values)) for name, (values, _, _) in columns.items()})
    if sex is not None:
        table[sex] = release.truth(sex)
    blanked = small_classes(table, release.truth(release.first("id")))
    for name in table:
        _, semantic, action = columns.get(name, (None, "gender", "keep"))
        release = release.having(name, table[name].mask(blanked, mark), semantic=semantic, action=action)
    return _without_alike(release, list(table))


def _without_alike(release: Release, keys: list[str]) -> Release:
    """Drop the sensitive columns that are alike inside a class."""
    for name in [name for name in release.released if release.semantic(name) == "other"]:
        if release.released.groupby(keys, dropna=False)[name].nunique().min() < 2:
            release = release.without(name)
    return release


def _ages(release: Release) -> np.ndarray:
    if "age" in release.schema.columns:
        return release.truth("age").astype(int).to_numpy()
    return 2026 - dates(release.truth(release.first("birth"))).dt.year.to_numpy()


def _age_column(release: Release) -> str:
    return "age" if "age" in release.schema.columns else release.first("birth")


def _age_bands(width: int, form: str) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        first = np.minimum(_ages(release), 79) // width * width
        bands = [form.format(low, low + width - 1, low + width) for low in first]
        return _regroup(release, {_age_column(release): (bands, "age", "generalize")})

    return change


def _top_coded(release: Release, _rng: np.random.Generator) -> Release:
    ages = _ages(release) // 20 * 20
    top = ["80+" if low >= 80 else f"{low}-{low + 19}" for low in ages]
    return _regroup(release, {_age_column(release): (top, "age", "topcode")})


def _zip_area(n_kept: int, fill: str) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first("zip")
        areas = release.truth(column).map(lambda text: text[:n_kept] + fill * (len(text) - n_kept))
        return _regroup(release, {column: (areas, "zipcode", "mask_zip_leading")})

    return change


def _regions(release: Release, _rng: np.random.Generator) -> Release:
    town = release.first("region")
    return _regroup(
        release, {town: (release.truth(town).map(release.schema.regions), "address", "region_generalize")}
    )


def _towns(release: Release, _rng: np.random.Generator) -> Release:
    town = release.first("region")
    release = release.without(*release.kept())
    return _regroup(release, {town: (release.truth(town), "region", "keep")})


def _years(release: Release, _rng: np.random.Generator) -> Release:
    birth = release.first("birth")
    return _regroup(release, {birth: (floored(release.truth(birth), 1), "birthdate", "date_floor_year")})


def _microaggregated_ages(release: Release, _rng: np.random.Generator) -> Release:
    """Give each age the mean of a group of ten persons next to each other in age."""
    ages = _ages(release)
    order = ages.argsort(kind="stable")
    groups = np.minimum(np.arange(len(ages)) // 10, max(len(ages) // 10 - 1, 0))
    means = pd.Series(ages[order]).groupby(groups).transform("mean").round().astype(int)
    made = pd.Series(0, index=range(len(ages)))
    made.iloc[order] = means.to_numpy()
    return _regroup(release, {_age_column(release): (made.astype(str), "age", "generalize")})


def generalizing_kinds() -> Iterator[Kind]:
    """Yield quasi-identifiers made coarse, with small classes suppressed."""
    yield fine("ages in bands of ten", "generalized", _age_bands(10, "{0}-{1}"))
    yield fine("ages with a top code", "generalized", _top_coded)
    yield fine("years of birth", "generalized", _years, schemas=BORN, sizes=_LARGE)
    yield fine("larger regions", "generalized", _regions)
    yield fine("towns where they are large", "generalized", _towns, sizes=_LARGER)
    yield fine(
        "postcodes of two digits with stars",
        "generalized",
        _zip_area(2, "*"),
        schemas=("korean_hospital", "us_claims", "survey"),
        sizes=_LARGE,
    )
    yield fine("ages as means of ten persons", "generalized", _microaggregated_ages, sizes=_LARGER)
    yield fine("rare sexes merged into one word", "generalized", _merged, schemas=("survey",), sizes=_LARGER)


def _merged(release: Release, _rng: np.random.Generator) -> Release:
    sex = "gender"
    return with_sex_alone(release).having(
        sex, release.truth(sex).replace({"other": "not said", "man": "not said"})
    )


def _numbers_as(
    make: Callable[[np.ndarray, np.random.Generator], Sequence[str] | np.ndarray], action: str
) -> Change:
    """Return a change that perturbs every number that is sensitive, and keeps those that differ inside classes."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        keys = [name for name in release.released if release.semantic(name) not in {"other", "patient_id"}]
        for column in release.schema.of_kind("number"):
            if column in release.released and release.semantic(column) == "other":
                release = release.having(column, make(numbers(release.truth(column)), rng), action=action)
        return _without_alike(release, keys) if keys else release

    return change


def _text(values: np.ndarray, digits: int) -> list[str]:
    return [f"{value:.{digits}f}" for value in values]


def _step(values: np.ndarray) -> float:
    """Return a round step of about half a standard deviation, by which values are rounded."""
    rough = np.std(values) / 2
    power = 10.0 ** np.floor(np.log10(rough))
    return float(power * (5 if rough / power >= 5 else 2 if rough / power >= 2 else 1))


def _rounded(values: np.ndarray, _rng: np.random.Generator) -> list[str]:
    step = _step(values)
    low, high = np.quantile(values, [0.1, 0.9])
    return _text(np.round(np.clip(values, low, high) / step) * step, 1)


def _noisy(share: float) -> Callable[[np.ndarray, np.random.Generator], list[str]]:
    """Return noise of about one standard deviation: nobody's own value is near any more."""

    def make(values: np.ndarray, rng: np.random.Generator) -> list[str]:
        low, high = np.quantile(values, [0.05, 0.95])
        noisy = np.clip(values, low, high) + rng.normal(0, share * np.std(values), len(values))
        return _text(np.round(noisy, 1), 1)

    return make


def _microaggregated(values: np.ndarray, _rng: np.random.Generator) -> list[str]:
    order = values.argsort()
    size = max(len(values) // 10, SMALLEST_CLASS)
    groups = np.minimum(np.arange(len(values)) // size, max(len(values) // size - 1, 0))
    made = np.empty(len(values))
    made[order] = pd.Series(values[order]).groupby(groups).transform("mean")
    return _text(made, 1)


def _swapped(values: np.ndarray, rng: np.random.Generator) -> list[str]:
    """Swap rounded values among all records."""
    return [_rounded(values, rng)[i] for i in rng.permutation(len(values))]


def number_kinds() -> Iterator[Kind]:
    """Yield numbers that were made coarse, noisy or new."""
    some = (
        "korean_hospital",
        "slovenian_registry",
        "english_insurance",
        "us_claims",
        "survey",
        "process_log",
    )
    for name, make, action in (
        ("in quartile bands", lambda v, _: banded(v, 4), "bin"),
        ("with large noise", _noisy(1.0), "noise"),
        ("as means of groups", _microaggregated, "microaggregate"),
        ("rounded and swapped", _swapped, "swap"),
    ):
        yield fine(
            f"numbers {name}",
            "numbers",
            _numbers_as(make, action),
            schemas=some,
            sizes=_LARGER if "noise" in name or "drawn" in name else (30, *_LARGER),
        )


def sample_kinds() -> Iterator[Kind]:
    """Yield releases of some rows only, of other rows, and of invented ones."""
    yield fine("a random half of the records", "rows", _sampled(0.5), sizes=_LARGE)
    yield fine(
        "synthetic records, columns drawn on their own",
        "synthetic",
        _independent,
        sizes=_LARGE,
        schemas=ONE_ROW_EACH,
    )
    yield fine("records sorted by released values", "rows", _sorted)
    yield fine(
        "columns in another order",
        "rows",
        lambda r, rng: replace(r, released=r.released[rng.permutation(list(r.released))]),
    )


def _sampled(share: float) -> Change:
    def change(release: Release, rng: np.random.Generator) -> Release:
        return _classes_of_five(release.selected(rng.random(len(release.rows)) < share))

    return change


def _classes_of_five(release: Release) -> Release:
    """Blank what is in small classes now."""
    known = [name for name in release.released if release.semantic(name) not in {"other", "patient_id"}]
    blanked = small_classes(release.released[known], release.truth(release.first("id")))
    released = release.released.copy()
    for name in known:
        released[name] = released[name].mask(blanked, "")
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


def _with_categories(**columns: Sequence[str]) -> Change:
    """Return a change: the table has categories with words that are also names, and keeps them."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        release = with_sex_alone(release)
        release = release.without(*release.kept())
        for name, words in columns.items():
            values = np.array(words)[rng.integers(0, len(words), len(release.original))]
            original = release.original.assign(**{name: values})
            release = replace(release, original=original).having(name, original[name].iloc[release.rows])
        return release

    return change


def category_kinds() -> Iterator[Kind]:
    """Yield categories that were kept, by words that may look like something else."""
    for name, columns in (
        ("drugs by name", {"drug": ("aspirin", "metformin", "ramipril", "insulin glargine")}),
        ("codes of procedures", {"code": ("0016070", "0JH60", "A40.1", "99213")}),
        ("short scores", {"score": ("1", "2", "3", "4", "5")}),
        (
            "ICD codes under a heading with name",
            {"disease_name": ("asthma", "diabetes", "migraine", "eczema")},
        ),
        ("Slovenian words", {"oddelek": ("interna", "kirurgija", "pediatrija", "nevrologija")}),
    ):
        yield fine(f"categories kept: {name}", "categories kept", _with_categories(**columns), sizes=_LARGER)
    yield fine("no quasi-identifier at all, confirmed", "categories kept", _no_quasi)
    yield fine("columns of random numbers added", "columns added", _random_column)
    yield fine(
        "a constant column added", "columns added", lambda r, _: r.having("release", ["2026-1"] * len(r.rows))
    )


def _no_quasi(release: Release, _rng: np.random.Generator) -> Release:
    release = with_sex_alone(release)
    sex = [name for name in release.released if release.semantic(name) == "gender"]
    return replace(release.without(*sex), nothing_known=True)


def _random_column(release: Release, rng: np.random.Generator) -> Release:
    return release.having("draw", _text(rng.random(len(release.rows)), 6))


def _written(**form: object) -> Change:
    """Return a change of the file's form: delimiter, encoding, quotes."""
    return lambda release, _rng: replace(
        release, write=lambda done: ("x_anonymized.csv", csv_of(done.released, **form))
    )


def _headings(respell: Callable[[str], str]) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        return replace(release, released=release.released.rename(columns=respell))

    return change


def _logged(words: dict[str, str]) -> Change:
    """Return a change that says the published actions in other words."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        for column, entry in release.log.items():
            release = release.logged(column, action=words.get(entry["action"], entry["action"]))
        return release

    return change


def form_kinds() -> Iterator[Kind]:
    """Yield the same proper release as other files and with other words in its log."""
    yield fine("semicolons", "files", _written(sep=";"))
    yield fine("UTF-16", "files", _written(encoding="utf-16"))
    yield fine("CP949", "files", _written(encoding="cp949"), schemas=("korean_hospital",))
    yield fine("Windows-1250", "files", _written(encoding="cp1250"), schemas=("slovenian_registry",))
    yield fine("a workbook", "files", workbook(), sizes=(30, 200, 1000, 5000))
    yield fine(
        "headings in capitals",
        "files",
        _headings(str.upper),
        schemas=tuple(name for name in ALL_SCHEMAS if name != "korean_hospital"),
    )
    yield fine(
        "log in capitals",
        "log words",
        _logged({"drop": "DROP", "keep": "Keep", "pseudonymize": "Pseudonymize", "round": "ROUND"}),
    )
    yield fine("log says noise and swap", "log words", _logged({"round": "swap", "generalize": "bin"}))


KINDS = (
    *dropping_kinds(),
    *pseudonym_kinds(),
    *generalizing_kinds(),
    *number_kinds(),
    *sample_kinds(),
    *category_kinds(),
    *form_kinds(),
)
