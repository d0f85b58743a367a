"""The report of a run of the VCF verifier."""

from collections.abc import Sequence
from datetime import datetime

from core.errors import AuditInputError
from core.reports import InputFacts, Report, report_of
from core.settings_form import option_words
from core.vcf.files import VcfFile
from core.vcf.outcomes import PairOutcome
from core.vcf.pairing import pair_files
from core.vcf.proof import vcf_proof
from core.vcf.result import run_result
from core.vcf.settings import VcfSettings
from core.vcf.tool import TOOL
from core.words import own

ORIGINALS, ANONYMIZED = "originals", "anonymized"  # folders of the files where a run is repeated


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
    path = f"panel/{panel.name}" if panel else ""
    report = report_of(
        TOOL,
        result,
        inputs=inputs,
        created_at=created_at,
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
    facts = (_facts(file, role, path) for path, (role, file) in sides.items())
    return tuple(each for each in facts if each is not None)


def _facts(file: VcfFile, role: str, path: str) -> InputFacts | None:
    """Return what the report says of a file; None of one that cannot be opened."""
    try:
        digest = file.sha256()
    except AuditInputError:
        return None
    return InputFacts(role=role, name=file.name, n_bytes=file.n_bytes, sha256=digest, path=path)


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
