"""Identifiers that were counted up on both sides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.second_opinion_examples import concerns, log_of, opinion_on

N = 400
LOG = log_of(patient=("patient_id", "pseudonymize"), sex=("sex", "keep"), age=("age", "keep"))
Write = Callable[[int], str]
HOSPITAL: Write = "P{:05d}".format


def _released(before: Write, after: Write, *, anew: bool, reordered: bool, kept: bool = True) -> set[str]:
    """Return the checks that speak against a column of counted identifiers, written anew or given anew."""
    rng = np.random.default_rng(5)
    numbers = rng.permutation(N)
    others = {
        "sex": rng.choice(["F", "M"], N).tolist(),
        "age": [f"{low}-{low + 9}" for low in (rng.integers(2, 8, N) * 10).tolist()],
    }
    given = rng.permutation(N) if anew else numbers
    released: dict[str, list[str]] = {"patient": [after(int(number)) for number in given], **others}
    if not kept:
        released |= {"age": rng.permutation(others["age"]).tolist(), "sex": ["?"] * N}
    order = rng.permutation(N) if reordered else np.arange(N)
    released = {name: [values[row] for row in order.tolist()] for name, values in released.items()}
    found = opinion_on({"patient": [before(int(one)) for one in numbers], **others}, released, LOG)
    return {check for check, message in concerns(found).items() if "`patient`" in message}


@pytest.mark.parametrize("reordered", [False, True])
@pytest.mark.parametrize("after", ["X{:05d}", "ANON-{:03d}", "{:06d}", "{}", "S{:04d}/24"])
def test_numbers__given_anew_tell_nobody_though_both_were_counted(after: str, *, reordered: bool) -> None:
    assert _released(HOSPITAL, after.format, anew=True, reordered=reordered) == set()


@pytest.mark.one_of(3)
@pytest.mark.parametrize("reordered", [False, True])
@pytest.mark.parametrize(
    "after",
    [
        pytest.param("X{:05d}".format, id="another letter"),
        pytest.param(lambda one: f"Q{one % 100 + 100:03d}", id="cut"),
        pytest.param(lambda one: f"X{one + 1:05d}", id="from one"),
        pytest.param(lambda one: f"A{one + 5000}", id="from elsewhere"),
        pytest.param(lambda one: f"X{N - one:05d}", id="backwards"),
        pytest.param("S{:04d}/24".format, id="beside a year"),
    ],
)
def test_numbers__of_the_same_record_are_found_in_whatever_order(after: Write, *, reordered: bool) -> None:
    assert _released(HOSPITAL, after, anew=False, reordered=reordered)


def test_numbers__are_suspect_where_nothing_that_was_kept_can_tell() -> None:
    found = _released(HOSPITAL, "X{:05d}".format, anew=True, reordered=True, kept=False)
    assert found <= {"disguise_cipher", "original_values_inside"}


@pytest.mark.parametrize("reordered", [False, True])
def test_numbers__given_anew_and_sorted_are_in_no_order_of_the_original(*, reordered: bool) -> None:
    rng = np.random.default_rng(9)
    sex, born = (
        rng.choice(["F", "M"], N),
        np.arange("1950", "1990", dtype="datetime64[Y]")[rng.integers(0, 40, N)],
    )
    given = rng.permutation(N)
    order = np.argsort(given) if reordered else np.arange(N)
    released = {
        "patient": [f"S{number:04d}" for number in given[order].tolist()],
        "sex": [str(int(one == "M")) for one in sex[order]],
        "born": [f"{str(year)[:3]}0s" for year in born[order]],
    }
    original = {
        "patient": [f"P{at:05d}" for at in range(N)],
        "sex": sex.tolist(),
        "born": born.astype(str).tolist(),
    }
    log = log_of(
        patient=("patient_id", "pseudonymize"), sex=("sex", "keep"), born=("birthdate", "generalize")
    )
    found = concerns(opinion_on(original, released, log))
    assert not {"disguise_order_kept", "in_the_original_order", "disguise_cipher"} & found.keys()
    in_order = {**released, "patient": [f"S{at * 3:04d}" for at in range(N)]}
    if not reordered:  # near miss: rows as they were, and numbers in their order
        assert "disguise_order_kept" in concerns(opinion_on(original, in_order, log))
