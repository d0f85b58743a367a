"""Figures, findings and the report of the VCF verifier."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from core.reports import (
    Figure,
    InputFacts,
    Report,
    ReportChart,
    ReportSection,
    ReportTable,
    current_versions,
    figures_of,
    findings_of,
)
from core.settings_form import described, report_lines
from core.vcf import ALL_CHECKS, REPORT_NAME, PairOutcome, VcfAudit, VcfFile, VcfSettings
from core.vcf.document import ANONYMIZED, ORIGINALS, vcf_arguments, vcf_document
from core.vcf.donor import DonorAudit
from core.vcf.donor.document import donor_findings
from core.vcf.exposure import Exposure
from core.vcf.outcomes import rule_findings, run_verdict
from core.vcf.pairing import SUFFIXES
from core.vcf.views.donors import DONOR_LIMITS, donor_figures, donor_tables
from core.vcf.views.frequencies import maf_chart
from core.vcf.views.positions import density_chart
from core.vcf.views.proof import vcf_proof
from core.vcf.views.tables import MAX_PLACES, exposure_table, files_table, motif_table, unmasked_table
from core.vcf.views.words import LIMITS, QUESTION, TITLE, counts_sentence, run_headline
from core.verdict import Finding, Verdict, worst
from core.words import own, percent, text

MAX_ROWS = 1_000


def figures(audit: VcfAudit) -> tuple[Figure, ...]:
    """Return the headline figures of one file."""
    header = Verdict.PASS if audit.metadata_masked == audit.metadata_targets else Verdict.FAIL
    variants = Verdict.PASS if audit.n_variant_masked == audit.n_variant_targets else Verdict.FAIL
    share = audit.masked_share if audit.n_targets else None
    return (
        Figure(
            measure="vcf_masked_share",
            value=share,
            threshold=text("at least {least}", least=percent(1)),
            verdict=audit.verdict,
        ),
        Figure(
            measure="n_metadata_masked",
            value=audit.metadata_masked,
            threshold=text("all {total}", total=audit.metadata_targets),
            verdict=header,
        ),
        Figure(
            measure="n_variant_masked",
            value=audit.n_variant_masked,
            threshold=text("all {total}", total=audit.n_variant_targets),
            verdict=variants,
        ),
        Figure(
            measure="n_missing_sites",
            value=len(audit.missing),
            threshold="none allowed",
            verdict=Verdict.FAIL if len(audit.missing) else Verdict.PASS,
        ),
    )


def findings(exposures: Iterable[Exposure], *, steps: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Return exposures as findings with their first places and remedies; shorter where a step says those."""
    return tuple(one.beside(steps) for one in exposures)


def vcf_report(
    outcomes: Sequence[PairOutcome],
    *,
    unmatched: Sequence[str] = (),
    panel: VcfFile | None = None,
    created_at: datetime,
) -> Report:
    """Return the report of a run, with what was found out about the donors where it was asked for.

    It holds counts, positions and header keys; no allele, genotype, sample name or header value.
    """
    inputs = _inputs(outcomes, panel)
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    donors = [outcome.donors for outcome in outcomes if outcome.donors is not None]
    ranked = sorted(outcomes, key=lambda outcome: -outcome.overall.severity)
    sections = tuple(_section(outcome, outcome.audit) for outcome in ranked if outcome.audit)
    return Report(
        tool="vcf",
        title=TITLE,
        question=QUESTION,
        verdict=worst([run_verdict(outcomes, n_unmatched=len(unmatched)), Verdict.PASS]),
        headline=run_headline(outcomes, n_unmatched=len(unmatched)),
        inputs=inputs,
        settings=_settings(audits),
        figures=figures_of(sections),
        findings=(*_trouble(outcomes, unmatched), *findings_of(sections)),
        tables=_tables(outcomes, sections),
        charts=tuple(chart for section in sections for chart in section.charts),
        limits=(*LIMITS, *(DONOR_LIMITS if donors else ())),
        created_at=created_at,
        versions=current_versions(),
        verdicts={
            "Published rule": worst(audit.verdict for audit in audits),
            "Exposure": worst(audit.exposure_verdict for audit in audits),
            **({"Donors": worst(donor.verdict for donor in donors)} if donors else {}),
        },
        sections=sections,
        result=vcf_document(outcomes, unmatched, audits[0].settings) if audits else {},
        arguments=(
            vcf_arguments(
                outcomes, audits[0].settings, unmatched=unmatched, panel=inputs[-1].path if panel else ""
            ),
        )
        if audits
        else (),
    )


def _inputs(outcomes: Sequence[PairOutcome], panel: VcfFile | None) -> tuple[InputFacts, ...]:
    """Return what the report says of the files, each once, in the folders where a run is repeated."""
    sides = {
        f"{folder}/{file.name}": (role, file)
        for outcome in outcomes
        for role, folder, file in (
            (own("original"), ORIGINALS, outcome.pair.original),
            (own("anonymized"), ANONYMIZED, outcome.pair.anonymized),
        )
    }
    sides |= {} if panel is None else {f"panel/{panel.name}": (own("panel"), panel)}
    return tuple(
        InputFacts(role=role, name=file.name, n_bytes=file.n_bytes, sha256=file.sha256(), path=path)
        for path, (role, file) in sides.items()
    )


def _section(outcome: PairOutcome, audit: VcfAudit) -> ReportSection:
    donors = outcome.donors
    original = outcome.pair.original.name
    stem = original[: len(original) - len(next(filter(original.lower().endswith, SUFFIXES), ""))]
    file = f"{audit.scan.level} {stem}"  # short: a sheet's name has 31 letters
    return ReportSection(
        name=audit.scan.anonymized_name,
        verdict=outcome.overall,
        headline=counts_sentence(audit, donors),
        figures=(*figures(audit), *(donor_figures(donors) if donors else ())),
        # places and remedies stand in the table of findings
        findings=(
            *(one.told(short=counts_sentence(audit, donors)) for one in rule_findings(audit)),
            *findings(audit.exposure, steps=[one.remedy for one in audit.exposure]),
            *(donor_findings(donors) if donors else ()),
        ),
        charts=tuple(file_charts(audit)),
        details=(*_details(audit, file), *(_donor_tables(donors, file) if donors else ())),
    )


def file_charts(audit: VcfAudit) -> list[ReportChart]:
    """Return the charts of one file; none at low level, which masks no variant."""
    return [maf_chart(audit), density_chart(audit)] if audit.n_variant_targets else []


def _settings(audits: Sequence[VcfAudit]) -> dict[str, object]:
    if not audits:
        return {}
    settings = audits[0].settings
    changed = {ALL_CHECKS[name].label: verdict.value for name, verdict in settings.severities.items()}
    return report_lines(settings) | {described(VcfSettings)["severities"].label: changed}


def _trouble(outcomes: Sequence[PairOutcome], unmatched: Sequence[str]) -> list[Finding]:
    problems = [problem for one in outcomes for problem in (*one.problems, *one.donor_problems)]
    without = [text("{file} has no partner and was not verified.", file=name) for name in unmatched]
    return [
        *(Finding(check="pair_error", verdict=Verdict.NOT_ASSESSED, message=problem) for problem in problems),
        *(Finding(check="unmatched_file", verdict=Verdict.NOT_ASSESSED, message=one) for one in without),
    ]


def _tables(outcomes: Sequence[PairOutcome], sections: Sequence[ReportSection]) -> tuple[ReportTable, ...]:
    of_files = (each for one in sections for each in (*one.tables, *one.details))
    return (_files(outcomes), *of_files, *vcf_proof(outcomes))


def _files(outcomes: Sequence[PairOutcome]) -> ReportTable:
    return ReportTable(name="files", title="Files", frame=files_table(outcomes).drop(columns="seconds"))


def _details(audit: VcfAudit, file: str) -> list[ReportTable]:
    name, rows = audit.scan.anonymized_name, unmasked_table(audit, limit=MAX_ROWS)
    total = audit.n_variant_targets - audit.n_variant_masked
    tables = [
        ReportTable(
            name=text("Findings {file}", file=file),
            title=text("Findings of {file}", file=name),
            frame=exposure_table(audit.exposure),
            note=text(
                "Up to {most} places each; {table} holds all.",
                most=MAX_PLACES,
                table=f"{REPORT_NAME}_findings.csv",
            ),
        ),
        ReportTable(
            name=text("Motifs {file}", file=file),
            title=text("Repeat motifs of {file}", file=name),
            frame=motif_table(audit),
        ),
        ReportTable(
            name=text("Unmasked {file}", file=file),
            title=text("Sites of {file} that are not masked", file=name),
            frame=rows,
            note=text("The first {shown} of {total}, in file order.", shown=len(rows), total=total)
            if total > len(rows)
            else "",
        ),
    ]
    return [table for table in tables if len(table.frame)]


def _donor_tables(donor: DonorAudit, file: str) -> list[ReportTable]:
    tables = []
    for table in donor_tables(donor):
        shown = table.frame.head(MAX_ROWS)
        note = text("The first {shown} of {total}.", shown=len(shown), total=len(table.frame))
        tables.append(
            ReportTable(
                name=f"{table.key.capitalize()} {file}",
                title=text(table.title, file=donor.measurement.name),
                frame=shown,
                note=note if len(table.frame) > len(shown) else "",
            )
        )
    return tables
