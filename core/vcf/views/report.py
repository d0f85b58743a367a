"""Figures, findings and the report of the VCF verifier."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from core.reports import Figure, InputFacts, Report, ReportChart, ReportTable, current_versions
from core.vcf import CHECKS, PairOutcome, VcfAudit
from core.vcf.views.frequencies import maf_chart
from core.vcf.views.positions import density_chart
from core.vcf.views.tables import FILE_UNITS, files_table, motif_table, unmasked_table
from core.vcf.views.words import LIMITS, QUESTION, TITLE, run_headline, run_verdict
from core.verdict import Finding, Verdict, worst

MAX_ROWS = 1_000


def figures(audit: VcfAudit, *, of: str = "") -> tuple[Figure, ...]:
    """Return the headline figures of one file."""
    header = Verdict.PASS if audit.metadata_masked == audit.metadata_targets else Verdict.FAIL
    variants = Verdict.PASS if audit.n_variant_masked == audit.n_variant_targets else Verdict.FAIL
    share = audit.masked_share if audit.n_targets else None
    return (
        Figure(measure="vcf_masked_share", value=share, threshold="100 %", verdict=audit.verdict, of=of),
        Figure(
            measure="n_metadata_masked",
            value=audit.metadata_masked,
            threshold=f"all {audit.metadata_targets}",
            verdict=header,
            of=of,
        ),
        Figure(
            measure="n_variant_masked",
            value=audit.n_variant_masked,
            threshold=f"all {audit.n_variant_targets:,}",
            verdict=variants,
            of=of,
        ),
        Figure(
            measure="n_missing_sites",
            value=len(audit.missing),
            threshold="none",
            verdict=Verdict.FAIL if len(audit.missing) else Verdict.PASS,
            of=of,
        ),
    )


def findings(audit: VcfAudit) -> tuple[Finding, ...]:
    """Return the exposure as findings, each with its first positions."""
    return tuple(
        Finding(
            check=exposure.check,
            verdict=exposure.verdict,
            message=exposure.message
            + (f" First: {', '.join(exposure.examples)}." if exposure.examples else ""),
            n_affected=exposure.n_affected,
        )
        for exposure in audit.exposure
    )


def vcf_report(
    outcomes: Sequence[PairOutcome],
    *,
    unmatched: Sequence[str] = (),
    inputs: Sequence[InputFacts] = (),
    created_at: datetime,
) -> Report:
    """Return the report of a run.

    It holds counts, positions and header keys; no allele, genotype, sample name or header value.
    """
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    several = len(outcomes) > 1
    return Report(
        tool="vcf",
        title=TITLE,
        question=QUESTION,
        verdict=run_verdict(outcomes, n_unmatched=len(unmatched)),
        headline=run_headline(outcomes, audits, n_unmatched=len(unmatched)),
        inputs=tuple(inputs),
        settings=_settings(audits),
        figures=tuple(
            figure
            for audit in audits
            for figure in figures(audit, of=audit.scan.anonymized_name if several else "")
        ),
        findings=(
            *_trouble(outcomes, unmatched),
            *(finding for audit in audits for finding in _named(audit, several=several)),
        ),
        tables=_tables(outcomes, audits),
        charts=tuple(chart for audit in audits for chart in file_charts(audit)),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
        verdicts={
            "Published rule": worst(audit.verdict for audit in audits),
            "Exposure": worst(audit.exposure_verdict for audit in audits),
        },
    )


def file_charts(audit: VcfAudit) -> list[ReportChart]:
    """Return the charts of one file; none at low level, which masks no variant."""
    return [maf_chart(audit), density_chart(audit)] if audit.n_variant_targets else []


def _settings(audits: Sequence[VcfAudit]) -> dict[str, object]:
    if not audits:
        return {}
    first = audits[0]
    scanned = first.scan.settings
    return {
        "MAF threshold": first.settings.maf_threshold,
        "Repeat motif, bases": f"{scanned.min_motif} to {scanned.max_motif}",
        "Repeat copies, at least": scanned.min_repeat,
        "Severities changed": {
            CHECKS[name].label: verdict.value for name, verdict in first.settings.severities.items()
        },
    }


def _trouble(outcomes: Sequence[PairOutcome], unmatched: Sequence[str]) -> list[Finding]:
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    without = [f"{name} has no partner and was not verified." for name in unmatched]
    return [
        *(Finding(check="pair_error", verdict=Verdict.NOT_ASSESSED, message=problem) for problem in problems),
        *(Finding(check="unmatched_file", verdict=Verdict.NOT_ASSESSED, message=one) for one in without),
    ]


def _named(audit: VcfAudit, *, several: bool) -> tuple[Finding, ...]:
    """Return the findings of a file, with its name before them when there are several files."""
    if not several:
        return findings(audit)
    return tuple(finding.of_file(audit.scan.anonymized_name) for finding in findings(audit))


def _tables(outcomes: Sequence[PairOutcome], audits: Sequence[VcfAudit]) -> tuple[ReportTable, ...]:
    tables = [
        ReportTable(
            name="files", title="Files", frame=files_table(outcomes).drop(columns="Seconds"), units=FILE_UNITS
        )
    ]
    for number, audit in enumerate(audits, 1):
        name = audit.scan.anonymized_name
        if len(motifs := motif_table(audit)):
            tables.append(
                ReportTable(name=f"motifs_{number}", title=f"Repeat motifs of {name}", frame=motifs)
            )
        rows = unmasked_table(audit, limit=MAX_ROWS)
        if len(rows):
            total = audit.n_variant_targets - audit.n_variant_masked
            tables.append(
                ReportTable(
                    name=f"unmasked_{number}",
                    title=f"Sites of {name} that are not masked",
                    frame=rows,
                    note=f"The first {len(rows):,} of {total:,}, in file order." if total > len(rows) else "",
                )
            )
    return tuple(tables)
