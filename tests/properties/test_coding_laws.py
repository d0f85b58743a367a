"""Laws of quick paths: they say what the literal definition says."""

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from core.chance import NO_ACCIDENT, binomial_tail, determines
from core.coding import value_codes
from core.comparing.digests import Compared, TokenShape
from core.declared.pairing import most_frequent

SMALL = st.integers(-1, 5)


@given(st.integers(0, 2**32), st.integers(4_097, 30_000), st.sampled_from([np.int32, np.int64]))
def test_codes_of_numbers__are_those_of_their_texts(seed: int, n_values: int, kind: type) -> None:
    numbers = np.random.default_rng(seed).integers(-3, n_values, n_values).astype(kind)
    numbers[0] = n_values
    expected = value_codes(pa.array(numbers.astype(str)))
    assert (value_codes(numbers) == expected).all()
    assert value_codes(numbers).dtype == np.int64


@given(st.lists(st.tuples(SMALL, SMALL), max_size=60), st.booleans())
def test_what_determines__is_what_nine_of_ten_alike_agree_in(
    pairs: list[tuple[int, int]], follows: bool
) -> None:
    codes = np.array([code for code, _ in pairs], dtype=np.int64)
    values = codes % 3 if follows else np.array([value for _, value in pairs], dtype=np.int64)
    known = [(a, b) for a, b in zip(codes.tolist(), values.tolist(), strict=True) if a >= 0 and b >= 0]
    groups = {code: Counter(b for a, b in known if a == code) for code, _ in known}
    n_alike = len(known) - len(groups)
    n_agreed = sum(max(each.values()) for each in groups.values()) - len(groups)
    usual = max(Counter(b for _, b in known).values(), default=0) / max(len(known), 1)
    expected = n_alike > 0 and n_agreed >= 0.9 * n_alike
    expected = expected and float(binomial_tail(n_agreed, n_alike, usual)) < NO_ACCIDENT
    assert determines(codes, values) == expected


@given(st.lists(st.tuples(SMALL, st.sampled_from([0.0, 1.0, -2.0, 0.5, np.nan])), max_size=30))
def test_most_frequent__is_so_of_each_owner_and_zero_only_alone(pairs: list[tuple[int, float]]) -> None:
    found = most_frequent(np.array([a for a, _ in pairs], dtype=np.int64), np.array([b for _, b in pairs]))
    for owner, value in enumerate(found.tolist()):
        counts = Counter(b for a, b in pairs if a == owner and not np.isnan(b))
        best = sorted(counts, key=lambda each: (each == 0, -counts[each], each))
        assert value == best[0] if best else np.isnan(value)


@given(
    st.lists(
        st.binary(min_size=12, max_size=20).map(lambda data: bytes(each & 17 for each in data)), max_size=5
    ),
    st.sets(st.text("01", min_size=6, max_size=6), max_size=20),
)
def test_digest_that_is_ruled_out__has_no_cut(digests: list[bytes], tokens: set[str]) -> None:
    for written in ("hex", "digits", "uuid"):
        shape = TokenShape(written=written, length=6)
        column = Compared(column="c", shape=shape, pairs=(), tokens=frozenset(tokens))
        for digest in digests:
            found = [*column.cuts(shape.texts(digest, few=True), "", few=True)]
            assert column.may_be()(digest) or not found
