"""Names and numbers of people that a mask hides in part only: how many records fit what it leaves."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.people.roles import Role
from core.people.roles.vocabulary import match_name
from core.tabular.columns import is_high_risk
from core.tabular.second_opinion.pair import CodedPair, LoggedTables
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.verdict import Finding, Verdict
from core.words import share_of

_MASK = re.compile(r"[*#•●○◯_?]+|[xX]{2,}|(?<=[가-힣])[OoXx]+")
_N_CELLS, _N_ORIGINALS = 60, 3_000  # sampled, to hold one against the other
_MOST = 0.8  # share of cells that must be masked, and of those that must fit an original
_COARSE = re.compile(r"zip|post|address|birth|date|dob|age|region|city|town")


@dataclass(frozen=True, kw_only=True)
class MaskedColumn:
    """A column of masked names or numbers, and how many originals fit what is left."""

    original: str  # column names
    anonymized: str
    # sampled cells that fit an original, their own where rows can be compared, and all sampled
    n_fitting: int
    n_compared: int
    n_candidates: float  # mean number of records that fit a cell


def measure_masked(tables: LoggedTables, settings: SecondOpinionSettings) -> tuple[MaskedColumn, ...]:
    """Compare masked cells of people's names and numbers with the originals, on a seeded sample."""
    found = (_masked(pair, tables, settings) for pair in tables.coded if _is_about_people(pair))
    return tuple(one for one in found if one is not None)


def _is_about_people(pair: CodedPair) -> bool:
    """Whether log or name call a column a direct identifier that is no place or date."""
    semantic, name = pair.pair.semantic, match_name(pair.pair.original)
    named = (
        name is not None and name.rule.role is Role.DIRECT_IDENTIFIER and name.rule.kind != "postal address"
    )
    return (named or is_high_risk(semantic)) and not _COARSE.search(semantic)


def _masked(pair: CodedPair, tables: LoggedTables, settings: SecondOpinionSettings) -> MaskedColumn | None:
    filled = np.flatnonzero(pair.anonymized >= 0)
    rng = np.random.default_rng(settings.seed)
    rows = rng.permutation(filled)[:_N_CELLS]
    cells = _trimmed(tables.anonymized[pair.pair.anonymized], rows)
    patterns = [(int(row), _pattern(cell or "")) for row, cell in zip(rows, cells, strict=True)]
    masked = [(row, pattern) for row, pattern in patterns if pattern is not None]
    if not masked or len(masked) < _MOST * len(rows):
        return None
    originals = tables.original[pair.pair.original]
    some = rng.permutation(np.flatnonzero(pair.original >= 0))[:_N_ORIGINALS]
    known = [_plain(text or "") for text in _trimmed(originals, some)]
    own_rows = [row for row, _ in masked]
    own = dict(zip(own_rows, _trimmed(originals, own_rows), strict=True)) if tables.in_order else None
    n_of_all = int(np.count_nonzero(pair.original >= 0))
    fits = [sum(pattern.fullmatch(text) is not None for text in known) for _, pattern in masked]
    if own is None:
        n_fitting = sum(n > 0 for n in fits)
    else:
        n_fitting = sum(pattern.fullmatch(_plain(own[row] or "")) is not None for row, pattern in masked)
    if not known or n_fitting < _MOST * len(masked) or np.mean(fits) >= _MOST * len(known):
        return None
    return MaskedColumn(
        original=pair.pair.original,
        anonymized=pair.pair.anonymized,
        n_fitting=n_fitting,
        n_compared=len(masked),
        n_candidates=max(1.0, float(np.mean(fits)) / len(known) * n_of_all),
    )


def _trimmed(column: pa.ChunkedArray, rows: npt.ArrayLike) -> list[str | None]:
    return cast(
        "list[str | None]", pc.utf8_trim_whitespace(column.take(pa.array(rows, pa.int64()))).to_pylist()
    )


def _plain(text: str) -> str:
    return text.casefold()


def _pattern(cell: str) -> re.Pattern[str] | None:
    """Return what fits a masked cell, None for a cell without a mask or with nothing left beside it."""
    parts = [_plain(part) for part in _MASK.split(cell)]
    if len(parts) < 2 or not any(character.isalnum() for part in parts for character in part):
        return None
    first, *middle, last = map(re.escape, parts)
    # the first place of a part is as good as any later one, so none is tried again
    between = "".join(f"(?>.*?{part})" for part in middle)
    return re.compile(f"{first}{between}.*{last}", re.DOTALL)


def judge_masked(measured: Sequence[MaskedColumn], thresholds: SecondOpinionThresholds) -> list[Finding]:
    """Return a finding per masked column: FAIL where fewer records fit a cell than a class must have."""
    return [_finding(one, thresholds) for one in measured]


def _finding(one: MaskedColumn, thresholds: SecondOpinionThresholds) -> Finding:
    return Finding.of(
        "masked_in_part",
        Verdict.FAIL if one.n_candidates < thresholds.smallest_k else Verdict.WARN,
        column=one.anonymized,
        n_affected=one.n_fitting,
    )(
        "`{column}` hides its originals in part only: {found} sampled cells fit them, and about {n} record "
        "fits a cell.",
        "`{column}` hides its originals in part only: {found} sampled cells fit them, and about {n} records "
        "fit a cell.",
        n=round(one.n_candidates),
        found=share_of(one.n_fitting, one.n_compared),
    )
