"""Kinds for the tabular verifier: what people leak in a table they took for anonymous, and what they do properly."""

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.tabular import (
    leaks_derived,
    leaks_files,
    leaks_finer,
    leaks_groups,
    leaks_left,
    leaks_pieces,
    leaks_pseudonyms,
    leaks_text,
    proper,
)

KINDS: tuple[Kind, ...] = (
    *leaks_left.KINDS,
    *leaks_text.KINDS,
    *leaks_derived.KINDS,
    *leaks_pseudonyms.KINDS,
    *leaks_groups.KINDS,
    *leaks_files.KINDS,
    *leaks_finer.KINDS,
    *leaks_pieces.KINDS,
    *proper.KINDS,
)
