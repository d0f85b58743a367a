"""The CSV files that other programs read: the published report, a row a finding, a row a pair."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from core.files.named_files import write_file
from core.files.own_reports import VCF_COLUMNS, VCF_FINDING_COLUMNS, VCF_SUMMARY_COLUMNS
from core.files.plain_text import BYTE_ORDER_MARK, defused, starts_like_formula
from core.languages import ENGLISH
from core.reports import csv_bytes
from core.result import Col, Table
from core.vcf.candidates import Mark
from core.vcf.donor import DonorAudit
from core.vcf.judging import VcfAudit
from core.vcf.outcomes import PairOutcome
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


_MARK = BYTE_ORDER_MARK.encode()  # of what has no published form
REPORT_NAME = "VCF_anonymization_verification_report"

Row = Mapping[str, object]


def render_report(audits: Iterable[VcfAudit]) -> bytes:
    """Render the published report as CSV, with exactly its ten columns, a row per anonymized file, UTF-8.

    A file name that a spreadsheet would run as a formula is written with a leading apostrophe.
    """
    return _csv(VCF_COLUMNS, (audit.report_row() for audit in audits), guarded=("filename",))


def render_findings(outcomes: Iterable[PairOutcome]) -> bytes:
    """Render every finding beside the published rule as CSV: a row each, with all its places and remedy."""
    rows = (row for outcome in outcomes for row in _finding_rows(outcome))
    return _MARK + _csv(VCF_FINDING_COLUMNS, rows, guarded=VCF_FINDING_COLUMNS)


def render_summary(outcomes: Iterable[PairOutcome], unmatched: Iterable[str] = ()) -> bytes:
    """Render a row per pair as CSV, those in error and files without a partner included."""
    rows = [
        *map(_summary_row, outcomes),
        *({"filename": name, "state": "without partner", "overall": "NOT_ASSESSED"} for name in unmatched),
    ]
    return _MARK + _csv(VCF_SUMMARY_COLUMNS, rows, guarded=VCF_SUMMARY_COLUMNS)


def _finding_rows(outcome: PairOutcome) -> Iterator[Row]:
    audits: tuple[VcfAudit | DonorAudit | None, ...] = (outcome.audit, outcome.donors)
    for exposure in (exposure for audit in audits if audit is not None for exposure in audit.exposure):
        yield {
            "filename": outcome.pair.anonymized.name,
            "origin": outcome.pair.original.name,
            "check": exposure.check,
            "verdict": exposure.verdict.value,
            "n_affected": exposure.n_affected,
            "message": exposure.message,
            "remedy": exposure.remedy,
            "places": ";".join(exposure.places) or "-",
        }


def _summary_row(outcome: PairOutcome) -> Row:
    audit = outcome.audit
    return {
        "filename": outcome.pair.anonymized.name,
        "origin": outcome.pair.original.name,
        "state": "verified" if audit else "not read" if outcome.was_stopped else "error",
        "overall": outcome.overall.value,
        "published_rule": audit.verdict.value if audit else "",
        "exposure": audit.exposure_verdict.value if audit else "",
        "donors": outcome.donors.verdict.value if outcome.donors else "",
        "anonymize_again": ("yes" if outcome.is_to_anonymize_again else "no") if audit else "",
        "problem": " ".join((*outcome.problems, *outcome.donor_problems)),
    }


def _csv(columns: Sequence[str], rows: Iterable[Row], *, guarded: Sequence[str]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=columns, restval="", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: _guarded(value) if key in guarded else value for key, value in row.items()})
    return text.getvalue().encode("utf-8", "backslashreplace")


def _guarded(value: object) -> object:
    """Return text that no spreadsheet runs as a formula."""
    text = str(value)
    return defused(text) if starts_like_formula(text) and text != "-" else value


def write_reports(outcomes: Sequence[PairOutcome], folder: Path, *, unmatched: Sequence[str] = ()) -> Path:
    """Write the published report, and its findings and summary beside it; return the published report's path.

    Names are the first that are free: no suffix, then ``_2``, ``_3`` and so on, with ``_findings`` and
    ``_summary`` after it. Nothing is ever replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    further: dict[str, Callable[[], bytes]] = {
        "_findings": lambda: render_findings(outcomes),
        "_summary": lambda: render_summary(outcomes, unmatched),
    }
    number = 1
    while True:
        stem = f"{REPORT_NAME}{f'_{number}' if number > 1 else ''}"
        number += 1
        if any((folder / f"{stem}{ending}.csv").exists() for ending in further):
            continue
        with suppress(FileExistsError):
            write_file(folder / f"{stem}.csv", render_report(audits))
            break
    for ending, render in further.items():
        write_file(folder / f"{stem}{ending}.csv", render())
    return folder / f"{stem}.csv"
