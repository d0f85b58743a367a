"""``python -m core tabular``: verify anonymized tables against their logs."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, get_args

from core.commands.output import (
    add_evidence_option,
    add_text_options,
    print_evidence,
    print_json,
    print_lines,
    print_problems,
    with_evidence,
)
from core.commands.policies import judged, looks, policy_document, policy_lines
from core.commands.reading import add_reading_options, table_reader
from core.errors import AuditInputError
from core.free_text import ModelName, Reading, check_reading, read_cells
from core.policies.judging import Columns
from core.reports import ReportTable
from core.settings_form import add_options, from_options, given_options
from core.tables import Dataset
from core.tabular import (
    FilePair,
    LeftOutFile,
    Pairing,
    TabularAudit,
    TabularSettings,
    TabularThresholds,
    audit_tabular,
    pair_files,
    read_log,
)
from core.tabular.csv_report import class_shares, csv_report_header, csv_report_name, csv_report_row
from core.tabular.document import run_verdict, tabular_document
from core.tabular.log import Mode
from core.tabular.pairing import original_names
from core.tabular.second_opinion import SecondOpinionSettings, SecondOpinionThresholds
from core.tabular.views.evidence import evidence_tables
from core.verdict import Verdict, exit_code
from core.words import joined, own, percent, text
from core.writing import write_file


@dataclass(frozen=True, kw_only=True)
class _Done:
    """A verified pair and how long it took."""

    pair: FilePair
    audit: TabularAudit
    seconds: float
    evidence: tuple[ReportTable, ...] | None
    looks: Columns  # of the anonymized table


@dataclass(frozen=True, kw_only=True)
class _Limits:
    """What was asked, and what files are held against."""

    settings: TabularSettings
    quasi_identifiers: tuple[str, ...] | None
    rule: Mapping[Mode, TabularThresholds]
    opinion: SecondOpinionThresholds
    read: Mapping[str, Reading]
    text_model: ModelName
    read_table: Callable[[Path], Dataset]
    with_evidence: bool
    look: Callable[[Dataset], Columns]  # what the columns of a table look like, as far as a policy asks


FORMS = (TabularSettings, SecondOpinionSettings, TabularThresholds, SecondOpinionThresholds)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare originals, folders, limits and output."""
    parser.add_argument(
        "originals",
        nargs="+",
        type=Path,
        metavar="ORIGINAL",
        help="original tables, or folders of them; xxx.csv needs xxx_anonymized.csv and "
        "xxx_anonymized_log.json",
    )
    parser.add_argument(
        "--anonymized-dir",
        type=Path,
        metavar="DIR",
        help="where anonymized tables and logs are (default: where the original is)",
    )
    parser.add_argument(
        "--report-dir",
        type=Path,
        metavar="DIR",
        help="where to write the CSV report (default: the first original's folder; with --json no file is "
        "written unless this is given)",
    )
    parser.add_argument(
        "--headers", choices=("ko", "en"), default="ko", help="language of the CSV report's header"
    )
    for form in FORMS:
        add_options(parser, form)
    add_text_options(parser)
    add_reading_options(parser)
    add_evidence_option(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")


def run(arguments: argparse.Namespace) -> int:
    """Verify every pair, print as each is done, return the exit code."""
    limits = _limits(arguments)  # a wrong limit is said once, before any file is read
    by_file = _limits_by_file(arguments)
    if arguments.no_quasi_identifiers and arguments.quasi_identifier:
        raise AuditInputError(
            "--no-quasi-identifiers confirms that there are none, and --quasi-identifier names "
            "one. Give one of "
            "them."
        )
    pairing = _find_pairs(arguments.originals, arguments.anonymized_dir)
    report = _csv_report(arguments)
    done: list[_Done] = []
    skipped = list(pairing.skipped)
    for pair in pairing.pairs:
        try:
            result = _verify(pair, by_file.get(Path(pair.original).name, limits))
        except AuditInputError as error:
            skipped.append(LeftOutFile(name=pair.original, reason=joined(error.problems)))
            continue
        done.append(result)
        if report is not None:
            report.append(csv_report_row(result.audit, seconds=result.seconds))
        if not arguments.json:
            print_lines(_lines(result))
            print_evidence(result.evidence or ())
    if not skipped:
        texts = [one for each in done if (seen := each.audit.opinion_measurement) for one in seen.texts]
        check_reading(
            [], {name: each for name, each in limits.read.items() if name not in {t.column for t in texts}}
        )
    skipped = [LeftOutFile(name=Path(file.name).name, reason=file.reason) for file in skipped]
    message = "{file} was not verified. {reason}"
    print_problems(tuple(text(message, file=file.name, reason=own(file.reason)) for file in skipped))
    if report is not None:
        report.finish()
    overall = run_verdict([result.audit for result in done], n_skipped=len(skipped))
    _print_end(arguments, done, skipped)
    return exit_code(overall, incomplete=bool(skipped))


def _limits_by_file(arguments: argparse.Namespace) -> dict[str, _Limits]:
    """Return what a settings file asks otherwise of single files."""
    given = getattr(arguments, "by_file", {})
    return {name: _limits(argparse.Namespace(**vars(arguments) | other)) for name, other in given.items()}


def _print_end(arguments: argparse.Namespace, done: Sequence[_Done], skipped: Sequence[LeftOutFile]) -> None:
    """Print the document of the run, or what a policy makes of all files."""
    document = tabular_document([result.audit for result in done], skipped)
    looked = {f"{one.audit.name}: {name}": kinds for one in done for name, kinds in one.looks.items()}
    outcome = judged(arguments, document, looked)
    if arguments.json:
        print_json(_timed(document, done) | policy_document(outcome))
    else:
        print_lines(policy_lines(outcome))


def _timed(document: dict[str, Any], done: Sequence[_Done]) -> dict[str, Any]:
    """Return the document with how long each file took, and evidence where it was asked for."""
    for file, result in zip(document["files"], done, strict=True):
        file["seconds"] = round(result.seconds, 3)
        file.update(with_evidence(result.evidence))
    return document


def _find_pairs(originals: Sequence[Path], anonymized_dir: Path | None) -> Pairing:
    """Pair the files found; a folder stands for every original in it, and must leave nothing unmatched."""
    pairs: list[FilePair] = []
    skipped: list[LeftOutFile] = []
    if anonymized_dir is not None and not anonymized_dir.is_dir():
        raise AuditInputError(
            text(
                "--anonymized-dir {folder} is not a folder. Name an existing one.", folder=str(anonymized_dir)
            )
        )
    for path in dict.fromkeys(originals):
        if not path.exists():
            skipped.append(LeftOutFile(name=str(path), reason="There is no such file or folder."))
            continue
        folder = path if path.is_dir() else path.parent
        names = [str(path)] if path.is_file() else _files(path)
        others = [name for name in _files(anonymized_dir or folder) if name not in names]
        ours = [name for name in original_names([*names, *others]) if name in names]
        found = pair_files([*names, *others], originals=ours if path.is_dir() else names)
        pairs.extend(found.pairs)
        skipped.extend(found.skipped)
        if path.is_dir():
            skipped.extend(file for file in found.unused if _is_partner(file.name))
    return Pairing(pairs=tuple(dict.fromkeys(pairs)), skipped=tuple(dict.fromkeys(skipped)))


def _files(folder: Path) -> list[str]:
    """Return the files of a folder by name; hidden files and written reports are none of ours."""
    return sorted(
        str(path)
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith((".", "anonymization_report_"))
    )


def _is_partner(name: str) -> bool:
    """Return whether a file without an original is by its name an anonymized table or a log."""
    return Path(name).stem.casefold().endswith(("_anonymized", "_anonymized_log"))


class _CsvReport:
    """The CSV report: it grows under another name and gets its own when every file is done."""

    def __init__(self, path: Path, header: str) -> None:
        self._path, self._text = path, header
        self._unfinished = path.with_name(f"{path.name}.part")
        self._try(lambda: path.parent.mkdir(parents=True, exist_ok=True))
        self.append("")

    def append(self, line: str) -> None:
        """Add a line."""
        self._text += line
        self._try(lambda: write_file(self._unfinished, self._text.encode(), replace=True))

    def finish(self) -> None:
        """Give the report its name."""
        self._try(lambda: self._unfinished.replace(self._path))

    def _try(self, write: Callable[[], object]) -> None:
        try:
            write()
        except OSError:
            with suppress(OSError):
                self._unfinished.unlink(missing_ok=True)
            folder = self._path.parent
            raise AuditInputError(
                text(
                    "The report cannot be written into {folder}. Name another folder with --report-dir.",
                    folder=str(folder),
                )
            ) from None


def _csv_report(arguments: argparse.Namespace) -> _CsvReport | None:
    """Begin the CSV report; None where none is asked for."""
    folder: Path | None = arguments.report_dir
    if folder is None:
        if arguments.json:
            return None
        first: Path = arguments.originals[0]
        folder = first if first.is_dir() else first.parent
    name = csv_report_name(datetime.now().astimezone())
    return _CsvReport(folder / name, csv_report_header(arguments.headers))


def _limits(arguments: argparse.Namespace) -> _Limits:
    given = given_options(TabularThresholds, arguments)
    return _Limits(
        settings=from_options(TabularSettings, arguments),
        quasi_identifiers=from_options(SecondOpinionSettings, arguments).quasi_identifiers,
        rule={mode: replace(TabularThresholds.for_mode(mode), **given) for mode in get_args(Mode)},
        opinion=from_options(SecondOpinionThresholds, arguments),
        read=read_cells(arguments.read),
        text_model=arguments.text_model,
        read_table=table_reader(arguments),
        with_evidence=arguments.evidence == "masked",
        look=partial(looks, arguments),
    )


def _verify(pair: FilePair, limits: _Limits) -> _Done:
    """Read and verify a pair."""
    started = time.perf_counter()
    try:
        original = limits.read_table(Path(pair.original))
        anonymized = limits.read_table(Path(pair.anonymized))
        log = read_log(Path(pair.log))
    except OSError as error:
        name = Path(error.filename or pair.original).name
        raise AuditInputError(
            text("{file}: the file cannot be opened. Check that you may read it.", file=name)
        ) from None
    audit = audit_tabular(
        original,
        anonymized,
        log,
        settings=limits.settings,
        quasi_identifiers=limits.quasi_identifiers,
        thresholds=limits.rule[log.mode],
        opinion_thresholds=limits.opinion,
        read=limits.read,
        text_model=limits.text_model,
    )
    k = limits.opinion.smallest_k
    evidence = evidence_tables(audit, original, anonymized, k=k) if limits.with_evidence else None
    seconds = time.perf_counter() - started
    return _Done(pair=pair, audit=audit, seconds=seconds, evidence=evidence, looks=limits.look(anonymized))


def _lines(result: _Done) -> list[str]:
    """Return what a person reads of a file: verdicts, figures, and everything that is not PASS."""
    audit, measured = result.audit, result.audit.measurement
    title = "{file} (high mode): {verdict}" if measured.log.mode == "high" else "{file} (low mode): {verdict}"
    message = "published rule {rule}, second opinion {opinion}"
    details = [
        text(message, rule=own(audit.verdict.word), opinion=own(audit.second_opinion_verdict.word)),
        text(
            "policy consistency {consistency}, pattern residual {residual}, high-risk handling {handling}",
            consistency=percent(measured.policy_consistency),
            residual=percent(measured.pattern_residual),
            handling=percent(measured.high_risk_handling),
        ),
        text(
            "column checks: {passed} PASS, {warned} WARN, {failed} FAIL",
            passed=measured.n_messages(Verdict.PASS),
            warned=measured.n_messages(Verdict.WARN),
            failed=measured.n_messages(Verdict.FAIL),
        ),
        _class_text(audit),
        *(
            text("{verdict}: {finding}", verdict=own(finding.verdict.word), finding=own(finding.message))
            for finding in audit.all_findings
            if finding.verdict is not Verdict.PASS
        ),
    ]
    first = text(title, file=audit.name, verdict=own(audit.overall.word))
    return [first, *(text("  {line}", line=own(one)) for one in details)]


def _class_text(audit: TabularAudit) -> str:
    classes = audit.classes
    if classes is None:
        return "smallest class: not assessed"
    if classes.k is None:
        return "smallest class not assessed: every record is blank in all quasi-identifiers"
    below_2, below_5 = class_shares(audit)
    return text(
        "smallest class {k} over {columns}; {below_2} of the records with k < 2, {below_5} with k < 5",
        k=classes.k,
        columns=", ".join(classes.quasi_identifiers),
        below_2=percent(below_2),
        below_5=percent(below_5),
    )
