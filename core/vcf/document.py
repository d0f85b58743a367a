"""A run of the VCF verifier as one JSON document."""

from collections.abc import Sequence

from core.settings_form import option_words, settings_document
from core.vcf.donor.document import donor_document
from core.vcf.files import VcfFile
from core.vcf.judging import VcfAudit
from core.vcf.outcomes import PairOutcome, findings_of, run_verdict
from core.vcf.pairing import pair_files
from core.vcf.settings import VcfSettings

ORIGINALS, ANONYMIZED = "originals", "anonymized"  # folders of the files where a run is repeated


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
        "findings": [
            finding.of_file(one.pair.anonymized.name).document()
            for one in outcomes
            if one.audit is not None
            for finding in findings_of(one.audit, one.donors)
        ],
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


def vcf_arguments(
    outcomes: Sequence[PairOutcome],
    settings: VcfSettings,
    *,
    unmatched: Sequence[str] = (),
    panel: str = "",
) -> tuple[str, ...]:
    """Return the words that repeat the run on folders of the original and of the anonymized files.

    Pairs that were made by hand are named. `panel`: the path of a panel, where one was given.
    """
    pairs = [outcome.pair for outcome in outcomes]
    originals = {pair.original.name: pair.original for pair in pairs}
    anonymized = {pair.anonymized.name: pair.anonymized for pair in pairs}
    by_name = pair_files(list(originals.values()), list(anonymized.values())).pairs
    looked = [one.pair.anonymized.name for one in outcomes if one.donors is not None or one.donor_problems]
    words = ["-o", ORIGINALS, "-a", ANONYMIZED]
    if pairs != [*by_name]:
        words += [
            word
            for pair in pairs
            for word in (
                "--pair",
                _in(ORIGINALS, pair.original),
                _in(ANONYMIZED, pair.anonymized),
                pair.level,
            )
        ]
    words += [word for name in unmatched for word in ("--not-paired", name)]
    if looked:
        words += ["--panel", panel] if panel else ["--donors"]
        words += ["--donors-of", *looked] if len(looked) < len(pairs) else []
    return (*words, *option_words(settings))


def _in(folder: str, file: VcfFile) -> str:
    return f"{folder}/{file.name}"
