"""Which columns single people out most: candidates for quasi-identifiers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from core.coding import IntArray, combined_codes, value_codes

_GREEDY_STEPS = 8


@dataclass(frozen=True, kw_only=True)
class SinglingOut:
    """How much one column singles out."""

    column: str  # its name
    n_values: int  # distinct values, missing being one
    unique_share: float  # share in [0, 1] of the records that this column alone singles out
    unique_share_with_former: float  # the same together with all columns ranked before it


def rank_by_singling_out(table: pa.Table, columns: Sequence[str]) -> tuple[SinglingOut, ...]:
    """Rank columns by how many records they single out, each next to those ranked before it.

    Greedy for the first eight: first the column that singles out most records alone, then the one
    that adds most, and so on; ties go to the column with more values, then to the earlier one. Once
    everybody is singled out, and after eight, the rest follow in the order of their own share.
    """
    codes = {name: value_codes(table[name]) for name in columns}
    alone = {name: _unique_share(each) for name, each in codes.items()}
    n_values = {name: int(each.max(initial=-1)) + 1 for name, each in codes.items()}
    ranked: list[SinglingOut] = []
    left = list(dict.fromkeys(columns))
    place = {name: number for number, name in enumerate(left)}
    former = np.zeros(table.num_rows, dtype=np.int64)
    while left and len(ranked) < _GREEDY_STEPS:
        together = {name: combined_codes([former, codes[name]], n_records=table.num_rows) for name in left}
        shares = {name: _unique_share(each) for name, each in together.items()}
        best = max(left, key=lambda name: (shares[name], alone[name], n_values[name], -place[name]))
        former = np.unique(together[best], return_inverse=True)[1].astype(np.int64)
        ranked.append(
            SinglingOut(
                column=best,
                n_values=n_values[best],
                unique_share=alone[best],
                unique_share_with_former=shares[best],
            )
        )
        left.remove(best)
        if shares[best] == 1.0:
            break
    rest = sorted(left, key=lambda name: (-alone[name], -n_values[name]))
    done = ranked[-1].unique_share_with_former if ranked else 0.0
    return (
        *ranked,
        *(
            SinglingOut(
                column=name, n_values=n_values[name], unique_share=alone[name], unique_share_with_former=done
            )
            for name in rest
        ),
    )


def _unique_share(codes: IntArray) -> float:
    _, counts = np.unique(codes, return_counts=True)
    return int((counts == 1).sum()) / len(codes)
