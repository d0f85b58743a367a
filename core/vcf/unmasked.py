"""The target sites that do not count as masked: each with the reason, as rows, BED and CSV."""

from typing import Any

import numpy as np

from core.languages import ENGLISH
from core.reports import csv_bytes
from core.result import Col, Table
from core.vcf.judging import VcfAudit
from core.vcf.marks import Mark
from core.words import speaking

COLUMNS = (
    Col("contig", "Contig"),
    Col("position", "Position"),
    Col("target", "Target", kind="words"),
    Col("motif", "Motif"),
    Col("maf", "Site MAF"),
    Col("reason", "Why it is not masked", kind="words"),
)


def unmasked_rows(audit: VcfAudit, *, limit: int | None = None) -> list[tuple[Any, ...]]:
    """Return a row per target site that does not count as masked, in file order, with the reason."""
    candidates = audit.scan.candidates
    which = np.flatnonzero(~audit.targets.is_masked)[:limit]
    places, is_repeat = audit.targets.candidates[which], audit.targets.is_repeat[which]
    is_changed, mafs = candidates.marked(Mark.ALT_CHANGED, places), candidates.mafs[places]
    reasons = np.select(
        [candidates.marked(Mark.MISSING, places), is_repeat & is_changed, is_repeat, is_changed],
        [
            "no record at this site in the anonymized file",
            "ALT was changed, but holds no N",
            "ALT is unchanged",
            "ALT was changed, but is not empty, and the frequency in INFO is still rare",
        ],
        "ALT and the rare frequency are unchanged",
    )
    return list(
        zip(
            candidates.contigs_of(places),
            candidates.positions[places].tolist(),
            np.where(is_repeat, "short tandem repeat", "rare variant").tolist(),
            (candidates.motif_names[motif] for motif in candidates.motifs[places].tolist()),
            np.where(np.isfinite(mafs), mafs, np.nan).tolist(),
            reasons.tolist(),
            strict=True,
        )
    )


def bed_of_unmasked(audit: VcfAudit) -> bytes:
    """Return the unmasked sites as BED: contig, start counted from 0, end, what the target is."""
    lines = (
        f"{contig}\t{max(position - 1, 0)}\t{max(position, 1)}\t{target}\n"
        for contig, position, target, *_ in unmasked_rows(audit)
    )
    return "".join(lines).encode()


def csv_of_unmasked(audit: VcfAudit) -> bytes:
    """Return the unmasked sites as CSV in English, with the reason for each."""
    with speaking(ENGLISH):
        return csv_bytes(Table("", "", COLUMNS, unmasked_rows(audit)))
