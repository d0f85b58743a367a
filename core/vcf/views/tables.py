"""Tables of the VCF verifier, and the unmasked sites as BED and CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.measures.measure import Unit
from core.reports import csv_bytes
from core.vcf import ALL_CHECKS, Exposure, Mark, PairOutcome, VcfAudit
from core.verdict import Verdict

MAX_PLACES = 1_000  # of one finding in a table
FILE_UNITS: Mapping[str, Unit] = {"Masked": "share"}


def files_table(outcomes: Sequence[PairOutcome]) -> pd.DataFrame:
    """Return a row per pair: verdicts, share masked, counts; pairs in error say so."""
    return pd.DataFrame([_file_row(outcome) for outcome in outcomes])


def _file_row(outcome: PairOutcome) -> dict[str, object]:
    audit = outcome.audit
    row: dict[str, object] = {
        "Anonymized file": outcome.pair.anonymized.name,
        "Original": outcome.pair.original.name,
        "Level": outcome.pair.level,
        "Overall": _state(outcome),
        **dict.fromkeys(("Published rule", "Exposure"), "–"),
        "Masked": None,
        **dict.fromkeys(("Header", "Sites"), "–"),
        "Missing": None,
    }
    if audit is not None:
        row |= {
            "Published rule": audit.verdict.value,
            "Exposure": audit.exposure_verdict.value,
            "Masked": audit.masked_share if audit.n_targets else None,
            "Header": f"{audit.metadata_masked}/{audit.metadata_targets}",
            "Sites": f"{audit.n_variant_masked:,}/{audit.n_variant_targets:,}",
            "Missing": len(audit.missing),
        }
    if outcome.donors is not None:
        row["Donors"] = outcome.donors.verdict.value
    return row | {"Seconds": round(outcome.n_seconds, 2)}


def _state(outcome: PairOutcome) -> str:
    if outcome.audit is not None:
        return outcome.overall.value
    return "not read" if outcome.was_stopped else "error"


def unmasked_table(audit: VcfAudit, *, limit: int | None = None) -> pd.DataFrame:
    """Return a row per target site that does not count as masked, in file order, with the reason."""
    candidates = audit.scan.candidates
    which = np.flatnonzero(~audit.targets.is_masked)[:limit]
    places = audit.targets.candidates[which]
    repeats = audit.targets.is_repeat[which]
    mafs = candidates.mafs[places]
    return pd.DataFrame(
        {
            "Contig": [candidates.contig_names[contig] for contig in candidates.contigs[places].tolist()],
            "Position": candidates.positions[places],
            "Target": np.where(repeats, "short tandem repeat", "rare variant"),
            "Motif": [candidates.motif_names[motif] for motif in candidates.motifs[places].tolist()],
            "Site MAF": np.where(np.isfinite(mafs), mafs, np.nan),
            "Why it is not masked": _reasons(candidates.marks[places], repeats),
        }
    )


def _reasons(marks: npt.NDArray[np.uint64], repeats: npt.NDArray[np.bool_]) -> npt.NDArray[np.str_]:
    changed = (marks & Mark.ALT_CHANGED) != 0
    return np.select(
        [(marks & Mark.MISSING) != 0, repeats & changed, repeats, changed],
        [
            "no record at this site in the anonymized file",
            "ALT was changed, but holds no N",
            "ALT is unchanged",
            "ALT was changed, but is not empty, and the frequency in INFO is still rare",
        ],
        "ALT and the rare frequency are unchanged",
    )


def bed_of_unmasked(audit: VcfAudit) -> bytes:
    """Return the unmasked sites as BED: contig, start counted from 0, end, what the target is."""
    rows = unmasked_table(audit)
    lines = (
        f"{contig}\t{max(position - 1, 0)}\t{max(position, 1)}\t{target}\n"
        for contig, position, target in zip(rows["Contig"], rows["Position"], rows["Target"], strict=True)
    )
    return "".join(lines).encode()


def csv_of_unmasked(audit: VcfAudit) -> bytes:
    """Return the unmasked sites as CSV, with the reason for each."""
    return csv_bytes(unmasked_table(audit))


def motif_table(audit: VcfAudit) -> pd.DataFrame:
    """Return a row per repeat motif: target sites, masked, not masked; most sites first."""
    candidates, targets = audit.scan.candidates, audit.targets
    motifs = candidates.motifs[targets.candidates[targets.is_repeat]]
    masked = targets.is_masked[targets.is_repeat]
    n_motifs = len(candidates.motif_names)
    sites = np.bincount(motifs, minlength=n_motifs)
    done = np.bincount(motifs[masked], minlength=n_motifs)
    frame = pd.DataFrame(
        {
            "Motif": candidates.motif_names,
            "Length (bases)": [len(name) for name in candidates.motif_names],
            "Sites": sites,
            "Masked": done,
            "Not masked": sites - done,
        }
    )
    return frame[frame["Sites"] > 0].sort_values(["Sites", "Motif"], ascending=[False, True])


def exposure_table(found: Sequence[Exposure]) -> pd.DataFrame:
    """Return a row per finding, in the order given: what, what to do, and where, up to 1,000 places."""
    return pd.DataFrame(
        [
            {
                "Verdict": exposure.verdict.value,
                "Check": ALL_CHECKS[exposure.check].label,
                "Found": exposure.n_affected,
                "What it means": exposure.message,
                "What to do": exposure.remedy,
                "Places": _places(exposure),
            }
            for exposure in found
        ],
        columns=["Verdict", "Check", "Found", "What it means", "What to do", "Places"],
    )


def _places(exposure: Exposure) -> str:
    shown = ", ".join(exposure.places[:MAX_PLACES])
    left = len(exposure.places) - MAX_PLACES
    return f"{shown} and {left:,} more" if left > 0 else shown


def severity_table(severities: Mapping[str, Verdict]) -> pd.DataFrame:
    """Return a row per exposure check with the verdict it leads to when it finds something."""
    return pd.DataFrame(
        {
            "Check": [check.label for check in ALL_CHECKS.values()],
            "Severity": [severities.get(name, check.default).value for name, check in ALL_CHECKS.items()],
        },
        index=list(ALL_CHECKS),
    )
