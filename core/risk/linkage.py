"""Record linkage by distance: how many released records have their own original as the nearest one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.spatial import cKDTree

from core.cells import as_numbers
from core.coding import IntArray
from core.risk.settings import RiskSettings
from core.risk.unchosen import unchosen_columns
from core.tables import Dataset

FloatArray = npt.NDArray[np.float64]

_N_LOOKED_AT = 5_000  # released records drawn where there are more
_MOST_COLUMNS = 10


@dataclass(frozen=True, kw_only=True)
class Linkage:
    """Released records whose nearest original, by numbers, is their own."""

    columns: tuple[str, ...]  # numbers in both tables: quasi-identifiers, and columns nobody chose
    n_records: int  # released records looked at; drawn at random (seeded) where there are more than 5,000
    n_originals: int  # originals they were compared with
    # expected records linked rightly: where m originals share the nearest place and one of them is a record's
    # own, it counts 1 / m
    n_linked: float

    @property
    def share(self) -> float:
        """Return `n_linked` / `n_records`, in [0, 1]."""
        return self.n_linked / self.n_records

    def is_above(self, risk: float) -> bool:
        """Return whether more are linked than that risk explains, with a chance below 0.001."""
        return bool(stats.binom.sf(np.floor(self.n_linked) - 1, self.n_records, min(risk, 1.0)) < 0.001)


def link_records(dataset: Dataset, original: Dataset, settings: RiskSettings) -> Linkage | None:
    """Link released records to originals by their numbers; None without numbers in both, or rows in common.

    Each column is divided by its standard deviation in the original; records with a missing number are
    passed over. Of more than ten columns the ten with the most values are taken.

    References
    ----------
    Domingo-Ferrer and Torra, A quantitative comparison of disclosure control methods for microdata,
    Confidentiality, Disclosure and Data Access, 2001 (distance-based record linkage).
    """
    if dataset.n_records != original.n_records or not dataset.n_records:
        return None
    names = [
        name
        for name in (*settings.quasi_identifiers, *unchosen_columns(settings, dataset.columns))
        if name in original.columns
    ]
    found = _numbers(dataset, original, names)
    if not found:
        return None
    released = np.column_stack([each[1] for each in found])
    originals = np.column_stack([each[2] for each in found])
    complete = np.flatnonzero(~(np.isnan(released) | np.isnan(originals)).any(axis=1))
    if len(complete) < 2:
        return None
    looked_at = complete
    if len(complete) > _N_LOOKED_AT:
        looked_at = np.random.default_rng(0).choice(complete, _N_LOOKED_AT, replace=False)
    scale = originals[complete].std(axis=0)
    return Linkage(
        columns=tuple(each[0] for each in found),
        n_records=len(looked_at),
        n_originals=len(complete),
        n_linked=_n_linked(released / scale, originals / scale, complete, looked_at),
    )


def _numbers(
    dataset: Dataset, original: Dataset, names: Sequence[str]
) -> list[tuple[str, FloatArray, FloatArray]]:
    """Return name, released and original numbers of the columns that are numbers in both and vary."""
    found = []
    for name in names:
        after = as_numbers(dataset.table[name])
        before = as_numbers(original.table[name]) if after is not None else None
        if after is None or before is None:
            continue
        known = before[~np.isnan(before)]
        if len(known) and known.min() < known.max():
            found.append((len(np.unique(known)), name, after, before))
    found.sort(key=lambda each: -each[0])
    return [each[1:] for each in found[:_MOST_COLUMNS]]


def _n_linked(
    released: FloatArray,
    originals: FloatArray,
    complete: IntArray,
    looked_at: IntArray,
) -> float:
    places, place_of, n_at = np.unique(originals[complete], axis=0, return_inverse=True, return_counts=True)
    own = np.full(len(originals), -1, dtype=np.int64)
    own[complete] = place_of.ravel()
    nearest, place = cKDTree(places).query(released[looked_at])
    to_own = np.linalg.norm(released[looked_at] - places[own[looked_at]], axis=1)
    right = to_own <= nearest * (1 + 1e-9) + 1e-12
    at = np.where(right, own[looked_at], place)
    return float((right / n_at[at]).sum())
