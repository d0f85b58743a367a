"""What the second opinion can be asked to do, and the limits it judges by."""

from __future__ import annotations

from dataclasses import dataclass, fields

from core.errors import AuditInputError


@dataclass(frozen=True, kw_only=True)
class SecondOpinionSettings:
    """How the second opinion measures; a change means measuring again.

    Attributes
    ----------
    quasi_identifiers
        Anonymized columns that others may know; None takes those of the log.
    over_share
        In (0, 1): the smallest set of columns is one that re-links more than this share of records.
    largest_set
        1 to 3: how many columns that set may have.
    search_budget
        Records read while searching that set exhaustively; beyond, the search is greedy.
    sample_size
        Records, or values, that each pair of columns is compared on when looking for disguises.
    seed
        Of that sample.
    """

    quasi_identifiers: tuple[str, ...] | None = None
    over_share: float = 0.5
    largest_set: int = 3
    search_budget: int = 60_000_000
    sample_size: int = 300
    seed: int = 0

    def __post_init__(self) -> None:
        problems = []
        if not 0 < self.over_share < 1:
            problems.append(f"over_share must be between 0 and 1, not {self.over_share}.")
        if self.largest_set not in {1, 2, 3}:
            problems.append(f"largest_set must be 1, 2 or 3, not {self.largest_set}.")
        for name in ("search_budget", "sample_size"):
            if getattr(self, name) < 1:
                problems.append(f"{name} must be at least 1, not {getattr(self, name)}.")
        if problems:
            raise AuditInputError(*problems)


@dataclass(frozen=True, kw_only=True)
class SecondOpinionThresholds:
    """The limits of the second opinion; all shares in [0, 1].

    Attributes
    ----------
    left_unchanged_share
        A column counts as left unchanged from this share of unchanged cells; 0.5 to 1.
    highly_distinct_share
        A column is highly distinct from this share of distinct values among non-blank cells.
    partly_unchanged_share
        A highly distinct column of which this share of cells is unchanged is worth a warning.
    relinkage_warn_share, relinkage_fail_share
        Share of anonymized records that match exactly one original record: a warning above the
        first, FAIL above the second.
    pseudonym_unchanged_share
        Share of pseudonyms equal to the original above which the column is FAIL; any is a warning.
    smallest_k
        Size that every equivalence class must have; at least 1.
    no_quasi_identifiers
        Whether a person confirmed that others know no column, for a log that names no quasi-identifier.
    """

    left_unchanged_share: float = 0.95
    highly_distinct_share: float = 0.50
    partly_unchanged_share: float = 0.10
    relinkage_warn_share: float = 0.05
    relinkage_fail_share: float = 0.20
    pseudonym_unchanged_share: float = 0.01
    smallest_k: int = 5
    no_quasi_identifiers: bool = False

    def __post_init__(self) -> None:
        problems = [
            f"{field.name} must be between 0 and 1, not {getattr(self, field.name)}."
            for field in fields(self)
            if field.name.endswith("_share") and not 0 <= getattr(self, field.name) <= 1
        ]
        if self.left_unchanged_share < LOWEST_UNCHANGED_SHARE:
            problems.append(
                f"left_unchanged_share must be at least {LOWEST_UNCHANGED_SHARE}, "
                f"not {self.left_unchanged_share}."
            )
        if self.smallest_k < 1:
            problems.append(f"smallest_k must be at least 1, not {self.smallest_k}.")
        if self.relinkage_warn_share > self.relinkage_fail_share:
            problems.append("relinkage_warn_share must not be above relinkage_fail_share.")
        if problems:
            raise AuditInputError(*problems)


LOWEST_UNCHANGED_SHARE = 0.5  # re-linkage is measured for every limit from here up
