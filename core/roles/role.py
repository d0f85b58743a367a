"""The four roles a column can have, and a suggestion of one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a column does to the privacy of the people in a table, most revealing first."""

    DIRECT_IDENTIFIER = "direct identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE_ATTRIBUTE = "sensitive attribute"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class RoleSuggestion:
    """A suggested role of one column, for a person to confirm."""

    column: str  # the column's name
    role: Role  # the suggestion
    # what the column seems to hold, such as ``person's name`` or ``date of birth``; empty for no idea
    kind: str
    score: float  # in [0, 1], how sure the suggestion is; an ordering aid, not a probability
    reason: str  # A sentence in plain words, without cell values
    from_name: bool  # whether the column's name, or its values, gave the sign
    from_values: bool
    n_nonblank: int  # cells that hold something, and distinct values among them
    n_distinct: int

    @property
    def distinct_share(self) -> float | None:
        """Return distinct values / non-blank cells, in [0, 1]; None where all cells are blank."""
        return self.n_distinct / self.n_nonblank if self.n_nonblank else None
