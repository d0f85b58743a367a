"""Tables of the VCF verifier, and the unmasked sites as BED and CSV."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.reports import csv_bytes
from core.reports.model import Column, Table, table_by, table_of
from core.vcf import ALL_CHECKS, Exposure, Mark, PairOutcome, VcfAudit
from core.vcf.candidates import Candidates, Offsets
from core.vcf.exposure import places_text
from core.vcf.outcomes import gravest
from core.verdict import Verdict
from core.words import own, text

MAX_PLACES = 1_000  # of one finding in a table
FILE_COLUMNS = (
    Column("anonymized", "Anonymized file"),
    Column("original", "Original"),
    Column("level", "Level", kind="words"),
    Column("overall", "Overall", kind="words"),
    Column("published_rule", "Published rule", kind="words"),
    Column("exposure", "Exposure", kind="words"),
    Column("masked_share", "Masked", "share"),
    Column("header", "Header"),
    Column("sites", "Sites"),
    Column("n_missing", "Missing"),
    Column("donors", "Donors", kind="words"),
    Column("seconds", "Seconds"),
)
RUN_COLUMNS = (
    Column("overall", "Overall", kind="words"),
    Column("file", "Anonymized file"),
    Column("why", "Why", kind="words"),
    Column("published_rule", "Published rule", kind="words"),
    Column("exposure", "Exposure", kind="words"),
    Column("donors", "Donors", kind="words"),
)


FINDING_COLUMNS = (
    Column("verdict", "Verdict", kind="words"),
    Column("check", "Check", kind="words"),
    Column("n_affected", "Found"),
    Column("message", "What it means", kind="words"),
    Column("remedy", "What to do", kind="words"),
    Column("places", "Places", kind="words"),
)


def files_table(outcomes: Sequence[PairOutcome]) -> pd.DataFrame:
    """Return a row per pair: verdicts, share masked, counts; pairs in error say so."""
    rows = [_file_row(outcome) for outcome in outcomes]
    return table_of([[row[column.key] for column in FILE_COLUMNS] for row in rows], FILE_COLUMNS)


def run_table(outcomes: Sequence[PairOutcome], unmatched: Mapping[str, str]) -> pd.DataFrame:
    """Return a row per pair, the worst first, with the gravest reason, and per file without a partner.

    `unmatched` are the latter, with what is wrong with them, empty where only the partner is missing.
    """
    alone = text("It has no partner among these files.")
    rows: list[tuple[Verdict, str, str, str, str, str]] = [
        (Verdict.NOT_ASSESSED, name, why or alone, "–", "–", "–") for name, why in unmatched.items()
    ]
    for outcome in outcomes:
        audit, donors = outcome.audit, outcome.donors
        rows.append(
            (
                outcome.overall,
                outcome.pair.anonymized.name,
                gravest(outcome, is_short=True),
                audit.verdict if audit else "–",
                audit.exposure_verdict if audit else "–",
                donors.verdict if donors else "–",
            )
        )
    rows.sort(key=lambda row: -row[0].severity)
    return table_of(rows, RUN_COLUMNS)


def _file_row(outcome: PairOutcome) -> dict[str, object]:
    audit = outcome.audit
    row: dict[str, object] = {
        "anonymized": outcome.pair.anonymized.name,
        "original": outcome.pair.original.name,
        "level": outcome.pair.level,
        "overall": _state(outcome),
        **dict.fromkeys(("published_rule", "exposure"), "–"),
        "masked_share": None,
        **dict.fromkeys(("header", "sites"), "–"),
        "n_missing": None,
        "donors": "–" if outcome.donors is None else outcome.donors.verdict.value,
        "seconds": round(outcome.n_seconds, 2),
    }
    if audit is not None:
        row |= {
            "published_rule": audit.verdict.value,
            "exposure": audit.exposure_verdict.value,
            "masked_share": audit.masked_share if audit.n_targets else None,
            "header": f"{audit.metadata_masked}/{audit.metadata_targets}",
            "sites": f"{audit.n_variant_masked:,}/{audit.n_variant_targets:,}",
            "n_missing": len(audit.missing),
        }
    return row


def _state(outcome: PairOutcome) -> str:
    if outcome.audit is not None:
        return outcome.overall.value
    return "not read" if outcome.was_stopped else own("error")


def unmasked_table(audit: VcfAudit, *, limit: int | None = None) -> Table:
    """Return a row per target site that does not count as masked, in file order, with the reason."""
    candidates = audit.scan.candidates
    which = np.flatnonzero(~audit.targets.is_masked)[:limit]
    places = audit.targets.candidates[which]
    repeats = audit.targets.is_repeat[which]
    mafs = candidates.mafs[places]
    return table_by(
        {
            Column("contig", "Contig"): [
                candidates.contig_names[contig] for contig in candidates.contigs[places].tolist()
            ],
            Column("position", "Position"): candidates.positions[places],
            Column("target", "Target", kind="words"): np.where(
                repeats, "short tandem repeat", "rare variant"
            ),
            Column("motif", "Motif"): [
                candidates.motif_names[motif] for motif in candidates.motifs[places].tolist()
            ],
            Column("maf", "Site MAF"): np.where(np.isfinite(mafs), mafs, np.nan),
            Column("reason", "Why it is not masked", kind="words"): _reasons(candidates, places, repeats),
        }
    )


def _reasons(candidates: Candidates, places: Offsets, repeats: npt.NDArray[np.bool_]) -> npt.NDArray[np.str_]:
    changed = candidates.marked(Mark.ALT_CHANGED, places)
    return np.select(
        [candidates.marked(Mark.MISSING, places), repeats & changed, repeats, changed],
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
        for contig, position, target in zip(rows["contig"], rows["position"], rows["target"], strict=True)
    )
    return "".join(lines).encode()


def csv_of_unmasked(audit: VcfAudit) -> bytes:
    """Return the unmasked sites as CSV in English, with the reason for each."""
    table = unmasked_table(audit)
    return csv_bytes(table.set_axis([column.label for column in table.described], axis=1))


def motif_table(audit: VcfAudit) -> Table:
    """Return a row per repeat motif: target sites, masked, not masked; most sites first."""
    candidates, targets = audit.scan.candidates, audit.targets
    motifs = candidates.motifs[targets.candidates[targets.is_repeat]]
    masked = targets.is_masked[targets.is_repeat]
    n_motifs = len(candidates.motif_names)
    sites = np.bincount(motifs, minlength=n_motifs)
    done = np.bincount(motifs[masked], minlength=n_motifs)
    frame = table_by(
        {
            Column("motif", "Motif"): candidates.motif_names,
            Column("n_bases", "Length (bases)"): [len(name) for name in candidates.motif_names],
            Column("n_sites", "Sites"): sites,
            Column("n_masked", "Masked"): done,
            Column("n_left", "Not masked"): sites - done,
        }
    )
    return frame[frame["n_sites"] > 0].sort_values(["n_sites", "motif"], ascending=[False, True])


def exposure_table(found: Sequence[Exposure]) -> pd.DataFrame:
    """Return a row per finding, in the order given: what, what to do, and where, up to 1,000 places."""
    return table_of(
        [
            (
                exposure.verdict.value,
                ALL_CHECKS[exposure.check].label,
                exposure.n_affected,
                exposure.message,
                exposure.remedy,
                places_text(exposure.places, at_most=MAX_PLACES) if exposure.places else "",
            )
            for exposure in found
        ],
        FINDING_COLUMNS,
    )


def severity_table(severities: Mapping[str, Verdict]) -> pd.DataFrame:
    """Return a row per exposure check with the verdict it leads to when it finds something."""
    return pd.DataFrame(
        {
            "check": list(ALL_CHECKS),
            "severity": [severities.get(name, check.default).value for name, check in ALL_CHECKS.items()],
        }
    )
