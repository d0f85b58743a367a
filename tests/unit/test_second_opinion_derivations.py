"""Originals under other names and in other units, and what only looks like them."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from core.verdict import Finding, Verdict
from tests.second_opinion_examples import Columns, derived_in, log_of

N = 240
RNG = np.random.default_rng(3)
DAYS = np.datetime64("1950-01-01") + RNG.integers(0, 20_000, N)
PAY = np.round(np.exp(RNG.normal(10, 0.5, N)), 2)
GROUP = RNG.choice(["x", "y", "z"], N).tolist()
SYLLABLES = ("ka", "lo", "mi", "tre", "bo", "ven", "sar", "di", "nu", "pel", "go", "rit")
NAMES = ["".join(RNG.choice(SYLLABLES, 4)).title() for _ in range(N)]
ORIGINAL: Columns = {
    "birth": DAYS.astype(str).tolist(),
    "pay": [f"{pay:.2f}" for pay in PAY],
    "name": NAMES,
    "group": GROUP,
}
LOG = log_of(
    birth=("birthdate", "drop"), pay=("other", "drop"), name=("name", "drop"), group=("other", "keep")
)


def derived(added: Columns, *, reordered: bool = False, original: Columns = ORIGINAL) -> list[Finding]:
    """Return what is found disguised or derived in a table that keeps the groups and has columns added."""
    released = {"group": original["group"], **added}
    if reordered:
        order = np.random.default_rng(5).permutation(len(GROUP))
        released = {name: [values[i] for i in order] for name, values in released.items()}
    log = log_of(**{name: (entry.semantic, entry.action) for name, entry in LOG.entries.items()})
    found = derived_in(original, released, log).findings
    return [finding for finding in found if finding.check.startswith(("derived_", "disguise_"))]


def texts(values: Sequence[object] | np.ndarray) -> list[str]:
    return [str(value) for value in values]


@pytest.mark.slow
def test_derivations__reads_numbers_in_scientific_form_in_any_order() -> None:
    sales = np.random.default_rng(8).integers(10**6, 10**9, N)
    original = {**ORIGINAL, "pay": texts(sales)}
    for write in (lambda number: f"{2.54 * number:.6g}", lambda number: f"{number:.4E}"):
        for reordered in (False, True):
            (finding,) = derived(
                {"level": [write(each) for each in sales]}, reordered=reordered, original=original
            )
            assert (finding.column, finding.verdict) == ("level", Verdict.FAIL)
    others = np.random.default_rng(9).integers(10**6, 10**9, N)
    for reordered in (False, True):
        assert not derived(
            {"level": [f"{each:.4E}" for each in others]}, reordered=reordered, original=original
        )


# --- columns that show an original


@pytest.mark.one_of(12)
@pytest.mark.parametrize("reordered", [False, True])
@pytest.mark.parametrize(
    "values",
    [
        pytest.param(texts(np.round(PAY * 1.01, 2)), id="times a constant"),
        pytest.param(texts(np.round(PAY * 0.3 + 70, 4)), id="scaled and moved"),
        pytest.param([f"€ {pay:,.2f}" for pay in PAY], id="with a currency"),
        pytest.param([f"{70_000 - pay:.2f}" for pay in PAY], id="taken from a constant"),
        pytest.param(texts(DAYS.astype(int) + 25_569), id="serial day numbers"),
        pytest.param(texts(DAYS.astype(int) * 86_400), id="seconds"),
        pytest.param([f"{d[2:4]}{d[5:7]}{d[8:]}" for d in DAYS.astype(str)], id="yymmdd"),
        pytest.param([f"{d[8:]}{d[5:7]}{d[:4]}" for d in DAYS.astype(str)], id="ddmmyyyy"),
        pytest.param(texts(DAYS + 31), id="shifted dates"),
        pytest.param(texts((np.datetime64("2026-01-01") - DAYS).astype(int)), id="age in days"),
    ],
)
def test_derivations__sees_numbers_and_dates_in_any_column(values: list[str], reordered: bool) -> None:
    (finding,) = derived({"x7": values}, reordered=reordered)
    assert (finding.verdict, finding.column) == (Verdict.FAIL, "x7")


@pytest.mark.slow
def test_derivations__sees_columns_that_keep_the_order_month_and_day_or_nearest_texts() -> None:
    (finding,) = derived({"x7": [f"{np.log(pay):.9f}" for pay in PAY]})
    assert finding.message == (
        "The values of `x7` stand one for one for those of the original column `pay`: 240 of 240 (100 %) "
        "compared. Whoever knows one side knows the other."
    )
    days = DAYS.astype(str)
    found = derived({"a": [d[5:7] + d[8:] for d in days], "b": [d[2:4] for d in days]})
    assert Verdict.FAIL in [finding.verdict for finding in found]
    (finding,) = derived({"ref": [f"{name[:3]}x{name[4:]}" for name in NAMES]})
    assert (finding.check, finding.column, finding.verdict) == ("derived_near_text", "ref", Verdict.FAIL)


@pytest.mark.parametrize("reordered", [False, True])
def test_derivations__sees_a_date_in_parts(reordered: bool) -> None:
    days = DAYS.astype(str)
    parts = {"a": [d[:4] for d in days], "b": [str(int(d[5:7])) for d in days], "c": [d[8:] for d in days]}
    (finding,) = derived(parts, reordered=reordered)
    assert (finding.check, finding.verdict, finding.column) == ("derived_parts", Verdict.FAIL, None)
    assert finding.message.startswith(
        "The values of `a`, `b` and `c` are the parts of the dates of the original column `birth`: 240 of 240"
    )


@pytest.mark.parametrize("reordered", [False, True])
@pytest.mark.parametrize("day_of_year", [False, True])
def test_derivations__sees_a_date_in_two_parts(day_of_year: bool, reordered: bool) -> None:
    days = DAYS.astype(str)
    of_year = (DAYS - DAYS.astype("datetime64[Y]")).astype(int) + 1
    two = {"a": [d[:4] for d in days], "b": texts(of_year)}
    parts = two if day_of_year else {"a": [d[:7] for d in days], "b": [d[8:] for d in days]}
    assert [one.verdict for one in derived(parts, reordered=reordered)] == [Verdict.FAIL]


def test_derivations__warns_where_the_order_of_the_records_shows_the_same() -> None:
    order = np.argsort(PAY)
    sorted_by_pay = {name: [values[i] for i in order] for name, values in ORIGINAL.items()}
    (finding,) = derived({"no": texts(range(N))}, original=sorted_by_pay)
    assert finding.verdict is Verdict.WARN
    assert finding.message.endswith("The order of the records shows the same: sort them anew.")


@pytest.mark.parametrize(
    ("noise", "check", "verdict"),
    [(0.002, "derived_all_but_in_order", Verdict.FAIL), (0.02, "derived_nearly_in_order", Verdict.WARN)],
)
def test_derivations__sees_too_little_noise(noise: float, check: str, verdict: Verdict) -> None:
    added = np.random.default_rng(1).normal(0, noise, N)
    (finding,) = derived({"x7": [f"{np.log(pay) + e:.6f}" for pay, e in zip(PAY, added, strict=True)]})
    assert (finding.check, finding.verdict) == (check, verdict)


@pytest.mark.parametrize(("spread", "found"), [(0.01, [Verdict.FAIL]), (0.04, [Verdict.WARN]), (0.2, [])])
def test_derivations__sees_noise_that_leaves_the_nearest_of_a_class_its_own(
    spread: float, found: list[Verdict]
) -> None:
    rng, n = np.random.default_rng(2), 2000
    pay, region = np.exp(rng.normal(10, 0.5, n)), texts(rng.integers(0, n // 8, n))
    noisy = pay * (1 + rng.normal(0, spread, n))
    original: Columns = {"region": region, "pay": [f"{one:.2f}" for one in pay]}
    released: Columns = {"region": region, "pay": [f"{one:.2f}" for one in noisy]}
    log = log_of(region=("address", "keep"), pay=("other", "noise"))
    nearest = [one for one in derived_in(original, released, log).findings if one.check == "derived_nearest"]
    assert [one.verdict for one in nearest] == found
    of_all = log_of(region=("other", "keep"), pay=("other", "noise"))  # nobody knows the region
    assert not any(one.check == "derived_nearest" for one in derived_in(original, released, of_all).findings)


@pytest.mark.slow
def test_derivations__ages_in_years_are_coarser_than_the_days_they_follow() -> None:
    rng, n = np.random.default_rng(2), 1000
    births = np.datetime64("1940-01-01") + rng.integers(0, 25_000, n)
    seen = np.datetime64("2024-01-01") + rng.integers(0, 300, n)
    original: Columns = {"birth": texts(births), "seen": texts(seen)}
    days = (seen - births).astype(int)

    def found(ages: np.ndarray) -> list[str]:
        log = log_of(birth=("birthdate", "generalize"), seen=("visit_date", "drop"))
        return [
            one.check
            for one in derived_in(original, {"birth": texts(ages)}, log).findings
            if one.column == "birth"
        ]

    assert not [check for check in found(np.minimum(days // 365, 85)) if check.startswith("derived_")]
    assert any(check.startswith("derived_") for check in found(days))


# --- near misses


@pytest.mark.one_of(4)
@pytest.mark.parametrize("reordered", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda rng: texts(np.round(PAY + rng.normal(0, 0.1 * PAY.std(), N), 2)), id="noise"),
        pytest.param(lambda _: texts(np.round(PAY, -4)), id="rounded"),
        pytest.param(lambda _: texts(np.minimum(PAY, np.quantile(PAY, 0.1))), id="coded at the top"),
        pytest.param(lambda _: texts(DAYS.astype("datetime64[Y]").astype("datetime64[D]")), id="years"),
        pytest.param(lambda rng: texts(DAYS + rng.integers(-1500, 1500, N)), id="dates moved at random"),
        pytest.param(lambda rng: texts(np.exp(rng.normal(10, 0.5, N)).round(2)), id="other people's"),
        pytest.param(lambda rng: texts(rng.permutation(N)), id="random numbers"),
        pytest.param(lambda rng: [rng.bytes(6).hex() for _ in range(N)], id="random tokens"),
        pytest.param(
            lambda rng: ["".join(rng.choice(SYLLABLES, 4)).title() for _ in range(N)],
            id="other people's names",
        ),
        pytest.param(lambda _: [name[0] for name in NAMES], id="first letters"),
    ],
)
def test_derivations__lets_what_shows_nobody_pass(
    make: Callable[[np.random.Generator], list[str]], reordered: bool
) -> None:
    assert derived({"x7": make(np.random.default_rng(8))}, reordered=reordered) == []


def test_derivations__of_related_originals_and_consecutive_numbers_only_what_goes_beyond_counts() -> None:
    related = {**ORIGINAL, "tax": texts(np.round(PAY * 0.2, 2))}
    coarse = [f"{pay * 0.2 // 800 * 800:.0f}" for pay in PAY]
    assert derived({"tax": coarse}, original=related) == []
    numbered = {**ORIGINAL, "pay": texts(range(500, 500 + N))}
    added = {"no": texts(np.random.default_rng(2).permutation(N))}
    assert derived(added, original=numbered) == []
    assert derived(added, original=numbered, reordered=True) == []
