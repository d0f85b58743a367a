"""What released columns that nobody chose do to the classes of the chosen ones: each, and all together."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.risk import RiskAudit
from core.verdict import Verdict
from tests.risk_examples import DISEASE, judged, measured, tells

RNG = np.random.default_rng(5)
N = 600
AGES = RNG.integers(20, 80, N)
PERSONS = np.repeat(np.arange(N // 4), 4)
CHOSEN = {
    "band": [f"{age // 20 * 20}+" for age in AGES],
    "sex": RNG.choice(["f", "m"], N),
    "disease": RNG.choice(["flu", "cold", "gout"], N),
}
NAMES = [
    f"{a} {b}" for a, b in zip(RNG.choice([*"राम सीता गीता मोहन".split()], N), RNG.choice(60, N), strict=True)
]


def _judged(further: dict[str, object], **chosen: object) -> RiskAudit:
    text = pd.DataFrame({**CHOSEN, **further}).to_csv(index=False)
    return judged(text, quasi="band,sex", **DISEASE, **chosen)


FINER = {
    "an exact age under another header": {"A01": AGES},
    "a postcode": {"PLZ": RNG.integers(10_000, 10_090, N)},
    "names of which one in three is said twice": {"x": NAMES},
    "a measurement with few values": {"size": RNG.normal(170, 9, N).round()},
    "an account of persons with several records": {
        "konto": [f"acc{each:04d}" for each in RNG.permutation(PERSONS)]
    },
}
HARMLESS = {
    "nothing further": {},
    "a constant": {"site": ["A"] * N},
    "the chosen column in other words": {"age group": [f"group {age // 20}" for age in AGES]},
    "two values in large groups": {"smoker": RNG.choice(["yes", "no"], N)},
}


@pytest.mark.parametrize("further", FINER.values(), ids=FINER)
def test_further_column__that_puts_many_into_small_classes_is_a_warning(further: dict[str, object]) -> None:
    audit = _judged(further)
    (name,) = further
    assert (audit.verdict, audit.overall) == (Verdict.PASS, Verdict.WARN)
    tells(audit, further_columns=f"WARN: Whoever knows `{name}` beside … down to fewer than 5 records, ")
    assert _judged(further, other=(name,)).figures.get("further_column_at_risk_share") is None
    tells(_judged(further, other=(name,)), further_columns=None)  # somebody said that it is harmless


@pytest.mark.parametrize("further", HARMLESS.values(), ids=HARMLESS)
def test_further_column__that_leaves_classes_large_is_none(further: dict[str, object]) -> None:
    tells(_judged(further), further_columns=None)


def test_further_columns__are_told_together_where_no_single_one_does_it() -> None:
    bits = {f"b{place}": RNG.integers(0, 2, N) for place in range(5)}
    tells(
        _judged(bits),
        further_columns="WARN: Whoever knows `b0`, `b1`, `b2`, `b3`, `b4` together beside … no single one",
    )
    tells(_judged({**bits, "A01": AGES}), further_columns="WARN: Whoever knows `A01` beside ")


def test_further_columns__name_the_worst_of_several() -> None:
    found = _judged({"A01": AGES, "PLZ": RNG.integers(10_000, 10_090, N)})
    tells(found, further_columns="WARN: Whoever knows one more of `PLZ`, `A01` beside … with `PLZ` ")
    assert found.figures["further_column_at_risk_share"] > 0.9


_ROWS = st.lists(
    st.tuples(
        st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from(["", "u", "v"]), st.sampled_from("pqr")
    ),
    min_size=1,
    max_size=25,
)


@given(rows=_ROWS, counts_persons=st.booleans())
def test_further_columns__are_the_classes_of_a_plain_grouping(
    rows: list[tuple[str, ...]], counts_persons: bool
) -> None:
    frame = pd.DataFrame(rows, columns=["q", "a", "b", "p"])
    chosen = {"person": "p"} if counts_persons else {"leave_out": ("p",)}
    found = measured(frame.to_csv(index=False), quasi="q", **chosen).further
    for each in found:
        groups = frame.groupby(["q", *each.columns])["p"]
        size = groups.transform("nunique" if counts_persons else "size")
        assert [each.n_below(k) for k in range(1, 9)] == [int((size < k).sum()) for k in range(1, 9)]
    several = [name for name in ("a", "b") if len({*frame[name]} - {""}) > 1]
    assert [each.columns for each in found][: len(several)] == [(name,) for name in several]
    assert len(found) == (3 if len(several) == 2 else len(several))
