"""Several releases of one original in a run: what one masks, another may still name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.vcf.candidates import Mark
from core.vcf.exposure import found
from core.vcf.judging import VcfAudit
from core.vcf.outcomes import PairOutcome
from core.verdict import Verdict


def beside_each_other(
    outcomes: Sequence[PairOutcome], severities: Mapping[str, Verdict]
) -> list[PairOutcome]:
    """Return outcomes, in their order, with what they name that other releases of their originals mask."""
    told = list(outcomes)
    of_original: dict[str, list[int]] = {}
    for number, one in enumerate(told):
        if one.audit is not None and one.audit.scan.original_key:
            of_original.setdefault(one.audit.scan.original_key, []).append(number)
    for numbers in of_original.values():
        audits = [audit for number in numbers if (audit := outcomes[number].audit) is not None]
        for number, audit in zip(numbers, audits, strict=True):
            told[number] = replace(told[number], audit=_named_in(audit, audits, severities))
    return told


def _named_in(audit: VcfAudit, audits: Sequence[VcfAudit], severities: Mapping[str, Verdict]) -> VcfAudit:
    mine = audit.scan.candidates
    is_named = ~mine.marked(Mark.ALT_CHANGED) & ~mine.marked(Mark.MISSING)
    is_masked, files = np.zeros(len(is_named), dtype=np.bool_), []
    for other in (one for one in audits if one is not audit):
        theirs = other.scan.candidates
        if np.array_equal(mine.positions, theirs.positions):  # else the original is not sorted
            there = theirs.marked(Mark.ALT_CHANGED) & ~theirs.marked(Mark.NAMED)
            is_masked |= there
            files += [other.scan.anonymized_name] * bool(np.any(there & is_named))
    which = np.flatnonzero(is_named & is_masked)
    name, of, places = "masked_in_another_release", int(is_masked.sum()), mine.places(which)
    exposures = found(name, len(which), of, places, severities, files=", ".join(files))
    every = sorted((*audit.exposure, *exposures), key=lambda one: -one.verdict.severity)
    return replace(audit, exposure=tuple(every))
