"""The report of a run of the VCF verifier."""

from collections.abc import Sequence
from datetime import datetime

from core.reports import InputFacts, Report, report_of
from core.vcf.document import ANONYMIZED, ORIGINALS, vcf_arguments, vcf_document
from core.vcf.files import VcfFile
from core.vcf.outcomes import PairOutcome
from core.vcf.proof import vcf_proof
from core.vcf.result import run_result
from core.vcf.tool import TOOL
from core.words import own


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
    result = run_result(outcomes, dict.fromkeys(unmatched, ""))
    settings = next((outcome.audit.settings for outcome in outcomes if outcome.audit is not None), None)
    path = inputs[-1].path if panel else ""
    report = report_of(
        TOOL,
        result,
        inputs=inputs,
        created_at=created_at,
        document=vcf_document(outcomes, unmatched, settings) if settings else {},
        arguments=(vcf_arguments(outcomes, settings, unmatched=unmatched, panel=path),) if settings else (),
    )
    return report.with_tables(vcf_proof(outcomes))


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
