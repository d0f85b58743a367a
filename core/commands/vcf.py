"""``python -m core vcf``: verify folders of VCF files."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.commands.output import print_json, print_line, print_problems, print_warning
from core.errors import AuditInputError
from core.settings_form import add_options, from_options
from core.vcf import (
    ALL_CHECKS,
    Exposure,
    Pairing,
    PairOutcome,
    VcfAudit,
    VcfFile,
    VcfSettings,
    check_severities,
    default_jobs,
    look_for_donors,
    pair_folders,
    run_pairs,
    write_reports,
)
from core.vcf.document import ended, vcf_document
from core.vcf.outcomes import run_verdict
from core.verdict import Verdict, exit_code
from core.words import Text, Written, own, text

DEFAULT_REPORT_DIR = Path("reports")
FORMS = (VcfSettings,)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("-o", "--origin", type=Path, required=True, help="folder of the original files")
    parser.add_argument("-a", "--anony", type=Path, required=True, help="folder of the anonymized files")
    add_options(parser, VcfSettings)
    parser.add_argument(
        "--report-dir",
        type=Path,
        help="where the CSV report goes (default: reports; with --json no file unless given)",
    )
    parser.add_argument(
        "--donors",
        action="store_true",
        help="tell besides what the variants that remain say of the donors; reads the anonymized files again",
    )
    parser.add_argument(
        "--panel",
        type=Path,
        metavar="FILE",
        help="another VCF file with genotypes: are the donors, or their relatives, in it? (implies --donors)",
    )
    parser.add_argument("--jobs", type=int, default=None, help="large pairs at once (default: one per core)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Verify all pairs, print the result, return the exit code."""
    settings = _settings(arguments)
    pairing = pair_folders(arguments.origin, arguments.anony)
    if not pairing.pairs and not pairing.unmatched:
        raise AuditInputError(
            text(
                "Neither {origin} nor {anony} holds files that end in .vcf.gz, .vcf.bgz, .vcf or .bcf.",
                origin=str(arguments.origin),
                anony=str(arguments.anony),
            )
        )
    started = time.perf_counter()
    outcomes = list(_verify(pairing, settings, arguments))
    seconds = time.perf_counter() - started
    report = _write(outcomes, pairing, arguments)
    if arguments.json:
        print_json(_timed(vcf_document(outcomes, pairing.unmatched, settings), outcomes))
    else:
        _print_summary(outcomes, pairing, report, seconds)
        _print_severities(settings)
    _print_trouble(outcomes, pairing)
    incomplete = bool(pairing.unmatched) or bool(ended(outcomes))
    return exit_code(run_verdict(outcomes), incomplete=incomplete)


def _settings(arguments: argparse.Namespace) -> VcfSettings:
    if arguments.jobs is not None and arguments.jobs < 1:
        raise AuditInputError(text("--jobs must be at least 1; received {given}.", given=arguments.jobs))
    return from_options(VcfSettings, arguments, severities=_severities(arguments.severity or ()))


def _severities(given: Sequence[str]) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for pair in given:
        check, separator, verdict = pair.partition("=")
        if not separator or verdict.upper() not in Verdict.__members__:
            raise AuditInputError(
                text(
                    "--severity needs CHECK=VERDICT with one of {verdicts}; received {given}.",
                    verdicts=", ".join(Verdict),
                    given=pair,
                )
            )
        if check in found:
            raise AuditInputError(text("--severity names {check} twice; give it one verdict.", check=check))
        found[check] = Verdict[verdict.upper()]
    check_severities(found)
    return found


def _verify(pairing: Pairing, settings: VcfSettings, arguments: argparse.Namespace) -> Iterator[PairOutcome]:
    """Verify all pairs, and look for their donors where that was asked for."""
    n_jobs = arguments.jobs or default_jobs()
    panel: Path | None = arguments.panel
    file = None if panel is None else VcfFile(name=panel.name, path=panel)
    for outcome in run_pairs(pairing.pairs, settings, n_jobs=n_jobs):
        if not arguments.json:
            print_line(
                text(
                    "[CHECK] origin={origin}, anony={anony}",
                    origin=outcome.pair.original.name,
                    anony=outcome.pair.anonymized.name,
                ),
                flush=True,
            )
        is_asked_for = arguments.donors or panel is not None
        yield look_for_donors(outcome, settings, panel=file) if is_asked_for else outcome


def _write(outcomes: Sequence[PairOutcome], pairing: Pairing, arguments: argparse.Namespace) -> Path | None:
    folder: Path | None = arguments.report_dir
    if folder is None:
        if arguments.json:
            return None
        folder = DEFAULT_REPORT_DIR
    try:
        return write_reports(outcomes, folder, unmatched=pairing.unmatched)
    except OSError as error:
        reason = error.strerror or own("unknown reason")
        raise AuditInputError(
            text("The report cannot be written to {folder} ({reason}).", folder=str(folder), reason=reason)
        ) from None


def _timed(document: dict[str, Any], outcomes: Sequence[PairOutcome]) -> dict[str, Any]:
    """Return the document with how long each pair took."""
    for pair, outcome in zip(document["pairs"], (one for one in outcomes if one.audit), strict=True):
        pair["seconds"] = round(outcome.n_seconds, 3)
    return document


def _print_summary(
    outcomes: Sequence[PairOutcome], pairing: Pairing, report: Path | None, seconds: float
) -> None:
    looked = any(one.donors for one in outcomes)
    overall = (
        "Overall, exposure and donors included: {verdict}"
        if looked
        else "Overall, exposure included: {verdict}"
    )
    verdict = run_verdict(outcomes, n_unmatched=len(pairing.unmatched))
    print_line(text(overall, verdict=verdict.word))
    n_checked = sum(outcome.audit is not None for outcome in outcomes)
    print_line(text("Pairs checked: {checked} of {total}", checked=n_checked, total=len(outcomes)))
    if n_alone := len(pairing.unmatched):
        print_line(text("Files without a partner: {count}", count=n_alone))
    n_again = sum(one.is_to_anonymize_again for one in outcomes)
    print_line(text("Files to anonymize again: {count}", count=n_again))
    print_line(text("Time: {seconds} s", seconds=Written(f"{seconds:.1f}")))
    print_line(text("Report: {file}", file=str(report)))
    if report is not None:
        findings, summary = (str(report.with_stem(f"{report.stem}_{one}")) for one in ("findings", "summary"))
        print_line(text("All findings with all places: {file}", file=findings))
        print_line(text("All pairs: {file}", file=summary))
    for outcome in outcomes:
        if outcome.audit is None:
            print_line(text("{file}: not verified", file=outcome.pair.anonymized.name))
        else:
            _print_pair(outcome, outcome.audit)


def _print_pair(outcome: PairOutcome, audit: VcfAudit) -> None:
    row: dict[str, Any] = {key: str(value) for key, value in audit.report_row().items()}
    print_line(
        text(
            "{filename}: {verification_result}  {anonymization_rate}  (meta "
            "{metadata_masked}/{metadata_targets}, variant {variant_masked}/{variant_targets})",
            **row,
        )
    )
    donors = outcome.donors
    verdicts = "overall {overall}: published rule {rule}, exposure {exposure}"
    if donors is not None:
        verdicts = "overall {overall}: published rule {rule}, exposure {exposure}, donors {donors}"
    _print_below(
        text(
            verdicts,
            overall=outcome.overall.word,
            rule=audit.verdict.word,
            exposure=audit.exposure_verdict.word,
            donors=own(donors.verdict.word if donors else ""),
        )
    )
    _print_exposure(audit.exposure)
    if donors is not None:
        _print_below(text("donors {verdict}", verdict=donors.verdict.word))
        _print_exposure(donors.exposure)


def _print_exposure(found: Sequence[Exposure]) -> None:
    for exposure in found:
        _print_below(text("{verdict}: {sentence}", verdict=exposure.verdict.word, sentence=exposure.sentence))


def _print_below(line: Text) -> None:
    print_line(text("  {line}", line=line))


def _print_severities(settings: VcfSettings) -> None:
    for check, verdict in settings.severities.items():
        print_line(
            text(
                "Severity changed: {check} {default} → {verdict}",
                check=check,
                default=ALL_CHECKS[check].default.word,
                verdict=verdict.word,
            )
        )


def _print_trouble(outcomes: Sequence[PairOutcome], pairing: Pairing) -> None:
    print_problems(tuple(problem for _, problems in ended(outcomes) for problem in problems))
    for name in pairing.unmatched:
        print_warning(
            text(
                "{file}: no partner; an anonymized file is named <level>_…anony_<original's name>.", file=name
            )
        )
