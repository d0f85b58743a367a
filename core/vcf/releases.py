"""Several releases of one original in a run: what one masks, another may still name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from core.vcf.candidates import Mark
from core.vcf.exposure import found
from core.vcf.judging import VcfAudit
from core.vcf.outcomes import PairOutcome
from core.verdict import Verdict


def beside_each_other(
    outcomes: Sequence[PairOutcome], severities: Mapping[str, Verdict]
) -> list[PairOutcome]:
    """Return outcomes, in their order, with what other releases of their originals name that they mask."""
    told = list(outcomes)
    of_original: dict[str, list[int]] = {}
    for number, one in enumerate(told):
        if one.audit is not None and one.audit.scan.original_key:
            of_original.setdefault(one.audit.scan.original_key, []).append(number)
    for numbers in of_original.values():
        for number, other in permutations(numbers, 2):
            audit, beside = told[number].audit, told[other].audit
            if audit is not None and beside is not None:
                told[number] = replace(told[number], audit=_named_in(audit, beside, severities))
    return told


def _named_in(audit: VcfAudit, other: VcfAudit, severities: Mapping[str, Verdict]) -> VcfAudit:
    mine, theirs = audit.scan.candidates, other.scan.candidates
    if not np.array_equal(mine.positions, theirs.positions):  # of an original that is not sorted
        return audit
    is_masked = mine.marked(Mark.ALT_CHANGED) & ~mine.marked(Mark.NAMED)
    is_named = is_masked & ~theirs.marked(Mark.ALT_CHANGED) & ~theirs.marked(Mark.MISSING)
    which = np.flatnonzero(is_named)
    exposures = found(
        "named_in_another_release",
        len(which),
        int(is_masked.sum()),
        mine.places(which),
        severities,
        file=other.scan.anonymized_name,
    )
    every = sorted((*audit.exposure, *exposures), key=lambda one: -one.verdict.severity)
    return replace(audit, exposure=tuple(every))
