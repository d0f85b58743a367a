"""Kinds for the tabular verifier: what people leak in a table they took for anonymous, and what they do properly."""

from benchmarks.quality.tabular import files, leaks_groups, leaks_left, leaks_made, leaks_text, proper

KINDS = tuple(
    kind
    for module in (leaks_left, leaks_text, leaks_made, leaks_groups, files, proper)
    for kind in module.KINDS
)
