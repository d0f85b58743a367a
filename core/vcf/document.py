"""A run of the VCF verifier as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence

from core.settings_form import command_line, option_words, settings_document
from core.vcf.donor.document import donor_document
from core.vcf.judging import VcfAudit
from core.vcf.outcomes import PairOutcome, run_verdict
from core.vcf.settings import VcfSettings


def ended(outcomes: Sequence[PairOutcome]) -> list[tuple[str, tuple[str, ...]]]:
    """Return what ended in an error or was stopped: the file, and why."""
    every = [(one.pair.anonymized.name, (*one.problems, *one.donor_problems)) for one in outcomes]
    return [(name, problems) for name, problems in every if problems]


def vcf_document(
    outcomes: Sequence[PairOutcome], unmatched: Sequence[str], settings: VcfSettings
) -> dict[str, object]:
    """Return the run as plain values for JSON; changed severities are part of it only where there are any."""
    document: dict[str, object] = {
        "tool": "vcf",
        "verdict": run_verdict(outcomes, n_unmatched=len(unmatched)).value,
        "pairs": [_pair(outcome, outcome.audit) for outcome in outcomes if outcome.audit is not None],
        "errors": [{"filename": name, "message": " ".join(problems)} for name, problems in ended(outcomes)],
        "unmatched": list(unmatched),
        "settings": settings_document(settings),
    }
    if settings.severities:
        document["severities"] = {check: verdict.value for check, verdict in settings.severities.items()}
    return document


_OF_EXPOSURE = ("check", "n_affected", "verdict", "message", "remedy")


def _pair(outcome: PairOutcome, audit: VcfAudit) -> dict[str, object]:
    entry: dict[str, object] = {
        **audit.report_row(),
        "origin": outcome.pair.original.name,
        "verdict": audit.verdict.value,
        "exposure_verdict": audit.exposure_verdict.value,
        "overall": outcome.overall.value,
        "exposure": [
            {key: getattr(exposure, key) for key in _OF_EXPOSURE} | {"examples": list(exposure.examples)}
            for exposure in audit.exposure
        ],
        "missing_sites": len(audit.missing),
    }
    if outcome.donors is not None:
        entry["donors"] = donor_document(outcome.donors)
    return entry


def vcf_command(outcomes: Sequence[PairOutcome], settings: VcfSettings) -> str:
    """Return the command that repeats the run on folders of the original and of the anonymized files."""
    looked = [outcome.donors.measurement for outcome in outcomes if outcome.donors is not None]
    panels = [one.kinship.panel_name for one in looked if one.kinship is not None]
    donors = ["--panel", panels[0]] if panels else ["--donors"] if looked else []
    return command_line("vcf", [], ["-o", "originals", "-a", "anonymized", *donors, *option_words(settings)])
