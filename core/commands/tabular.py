"""``python -m core tabular``: verify anonymized tables against their logs."""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np

from core import at_hand, tabular
from core.asked import Asked
from core.at_hand import give_name, write_file
from core.cluster import OUT_OF_MEMORY, Task, settings_digest, stamps
from core.commands import engines as in_engine
from core.commands.audited import Audited, memory_asked_for, print_evidence
from core.commands.batches import Batch, arguments_that_matter
from core.commands.folders import tell_passed_over
from core.commands.output import (
    DEFAULT_REPORT_DIR,
    print_lines,
)
from core.commands.policies import judged, looks
from core.commands.reading import read_options, table_reader
from core.engines import refused_in_engine
from core.equivalence import EquivalenceClasses
from core.errors import AuditInputError
from core.free_text import ModelName, Reading, check_reading, read_cells
from core.options import place
from core.patterns import CATALOGUE
from core.policies.judging import Columns
from core.reports import InputFacts, PlainTable, Report, ReportTable, origin_facts
from core.reports.as_text import lines_of
from core.settings_form import from_options, given_options
from core.tables import Dataset, ReadOptions
from core.tabular.csv_report import csv_report_header, csv_report_name, csv_report_row
from core.tabular.evidence import evidence_tables
from core.tabular.in_engine import measure_in_engine
from core.tabular.log import Mode
from core.tabular.pairing import original_names
from core.tabular.proof import tabular_proof
from core.tabular.report import tabular_report
from core.tabular.result import file_result, ranked, run_result, run_verdict
from core.tabular.second_opinion import (
    SecondOpinionMeasurement,
    SecondOpinionSettings,
    SecondOpinionThresholds,
)
from core.tabular.verified import VerifiedFile, log_facts, verified_file
from core.words import input_error, joined, own, text


@dataclass(frozen=True, kw_only=True, eq=False)
class _Measured:
    """What was found in a pair, before limits judge it, as it is sent by a worker or kept."""

    measurement: tabular.TabularMeasurement
    classes: EquivalenceClasses | None
    opinion: SecondOpinionMeasurement | None
    inputs: tuple[InputFacts, ...]
    evidence: tuple[PlainTable, ...] | None
    proof: tuple[PlainTable, ...]
    looks: Mapping[str, frozenset[str]]  # of the anonymized table's columns
    seconds: float
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Done:
    """A verified pair and how long it took."""

    pair: tabular.FilePair
    audit: tabular.TabularAudit
    found: _Measured
    evidence: tuple[ReportTable, ...] | None

    def verified(self) -> VerifiedFile:
        """Return the pair as a report needs it; tables in an engine are not there to repeat it."""
        return VerifiedFile(
            audit=self.audit,
            inputs=self.found.inputs,
            prove=self.proof,
            is_repeatable=not _is_in_engine(self.pair),
        )

    def proof(self) -> tuple[ReportTable, ...]:
        """Return the steps by which anybody finds the same, or the attacks tried."""
        return tuple(each.table for each in self.found.proof)


@dataclass(frozen=True, kw_only=True)
class _Limits:
    """What was asked, and what files are held against."""

    settings: tabular.TabularSettings
    quasi_identifiers: tuple[str, ...] | None
    rule: Mapping[Mode, tabular.TabularThresholds]
    opinion: SecondOpinionThresholds
    read: Mapping[str, Reading]
    text_model: ModelName
    read_table: Callable[[Path], Dataset]
    with_evidence: bool
    with_proof: bool
    asked: str  # a digest of all of it
    key: str | None  # of tables in an engine, as those that follow
    options: ReadOptions
    memory: str | None
    look: Callable[[Dataset], Columns]  # what the columns of a table look like, as far as a policy asks


def run(arguments: Asked) -> int:
    """Verify every pair, print as each is done, return the exit code."""
    report: list[_CsvReport] = []

    def begin() -> None:
        report.extend(_csv_report(arguments))

    def tell(result: _Done) -> None:
        for file in report:
            file.append(csv_report_row(result.audit, seconds=result.found.seconds))
        if not arguments.json:
            print_lines(lines_of(file_result(result.audit)))
            print_evidence(result.evidence or ())

    audited = audit(arguments, begin=begin, tell=tell)
    for file in report:
        file.finish()
        if not arguments.json:
            print_lines([text("Report: {file}", file=str(file.path))])
    return audited.show(arguments)


def audit(
    *runs: Asked, begin: Callable[[], object] = bool, tell: Callable[[_Done], object] = bool
) -> Audited:
    """Verify every pair of one run, or of several of different options.

    `begin` is called once the files are paired, `tell` with each pair as it is done.
    """
    done: list[_Done] = []
    skipped: list[tabular.LeftOutFile] = []
    for arguments in runs:
        limits = _limits(arguments)  # a wrong limit is said once, before any file is read
        if arguments.no_quasi_identifiers and arguments.quasi_identifier:
            raise AuditInputError(
                "--no-quasi-identifiers confirms that there are none, and --quasi-identifier names one. Give "
                "one of them."
            )
        pairing = _find_pairs(arguments)
        if pairing.pairs:
            begin()
        of_run = _verify_all(pairing, arguments, limits, tell)
        done += of_run[0]
        skipped += of_run[1]
    places = at_hand.places()
    done.sort(key=lambda each: places.get(each.pair.original, 0))  # those of one run are in order

    def report(created_at: datetime) -> Report:
        files = [each.verified() for each in done]
        made = tabular_report(files, skipped=skipped, created_at=created_at)
        is_masked = any(arguments.evidence == "masked" for arguments in runs)
        return made.with_evidence(one for each in done for one in each.evidence or ()) if is_masked else made

    looked = {f"{one.audit.name}: {name}": kinds for one in done for name, kinds in one.found.looks.items()}
    in_engines = any(_is_in_engine(each.pair) for each in done)
    message = "{file} was not verified. {reason}"
    seconds = {id(each.audit): each.found.seconds for each in done}
    return Audited(
        verdict=run_verdict([result.audit for result in done], n_skipped=len(skipped)),
        n_audited=len(done),
        report=report,
        result=lambda: run_result([each.verified() for each in done], skipped),
        is_told=True,
        seconds=[seconds[id(audit)] for audit in ranked([each.audit for each in done])],
        policy=lambda report: judged(runs[0], report, None if in_engines else looked),
        problems=(
            *(text(message, file=file.name, reason=own(file.reason)) for file in skipped),
            *(problem for each in done for problem in each.audit.measurement.unanswered),
        ),
        problem_files=tuple(file.name for file in skipped),
    )


def _verify_all(
    pairing: tabular.Pairing, arguments: Asked, limits: _Limits, tell: Callable[[_Done], object]
) -> tuple[list[_Done], list[tabular.LeftOutFile]]:
    """Verify the pairs of a run; a file that cannot be verified never stops the others."""
    given = getattr(arguments, "by_file", {})
    by_file = {name: _limits(Asked(**vars(arguments) | other)) for name, other in given.items()}
    of_pair = [(pair, by_file.get(Path(pair.original).name, limits)) for pair in pairing.pairs]
    batch = Batch(
        tool="tabular",
        tasks=[_task(pair, of_file, arguments) for pair, of_file in of_pair],
        kind=_Measured,
        here=lambda numbers: (_measure_here(*of_pair[number]) for number in numbers),
        judge=lambda number, found: _judge(*of_pair[number], found),
    )
    done: dict[int, _Done] = {}
    errors: dict[int, tabular.LeftOutFile] = {}
    for number, outcome in batch.outcomes(arguments):
        if isinstance(outcome, AuditInputError):
            name = pairing.pairs[number].original
            errors[number] = tabular.LeftOutFile(name=name, reason=joined(outcome.problems))
        else:
            done[number] = outcome
            tell(outcome)
    skipped = [*pairing.skipped, *(errors[number] for number in sorted(errors))]
    if not skipped:
        texts = [one for each in done.values() if (seen := each.found.opinion) for one in seen.texts]
        check_reading(
            [], {name: each for name, each in limits.read.items() if name not in {t.column for t in texts}}
        )
    left_out = [tabular.LeftOutFile(name=Path(file.name).name, reason=file.reason) for file in skipped]
    return [done[number] for number in sorted(done)], left_out


def _task(pair: tabular.FilePair, limits: _Limits, arguments: Asked) -> Task:
    there = tabular.FilePair(**{part: str(Path(path).absolute()) for part, path in vars(pair).items()})
    return Task(
        name=Path(pair.original).name,
        files=stamps([Path(pair.original), Path(pair.anonymized), Path(pair.log)]),
        settings=limits.asked,
        measure=partial(_measure, there, limits),
        memory=memory_asked_for(arguments),
    )


def _measure_here(pair: tabular.FilePair, limits: _Limits) -> _Measured | AuditInputError:
    try:
        return _measure(pair, limits)
    except AuditInputError as error:
        return error
    except MemoryError:
        return input_error(OUT_OF_MEMORY, pair=Path(pair.original).name)


def _find_pairs(arguments: Asked) -> tabular.Pairing:
    """Pair the files found; a folder stands for every original in it, and must leave nothing unmatched."""
    originals, anonymized_dir = arguments.originals, arguments.anonymized_dir
    pairs: list[tabular.FilePair] = []
    skipped: list[tabular.LeftOutFile] = []
    if not originals and not arguments.pair:
        raise AuditInputError("Name an original table, a folder of them, or three files with --pair.")
    if anonymized_dir is not None and not at_hand.is_folder(anonymized_dir):
        raise input_error(
            "--anonymized-dir {folder} is not a folder. Name an existing one.", folder=str(anonymized_dir)
        )
    if arguments.log is not None:
        return tabular.Pairing(pairs=(_pair_with_log(arguments),))
    named = [*originals, *(file for pair in arguments.pair for file in pair)]
    if any(isinstance(place(str(each)), str) for each in named):
        raise AuditInputError(_TWO_AND_A_LOG)
    if arguments.key is not None:
        raise AuditInputError(_KEY_IN_ENGINE)
    for path in dict.fromkeys(originals):
        if not at_hand.is_file(path) and not at_hand.is_folder(path):
            skipped.append(tabular.LeftOutFile(name=str(path), reason="There is no such file or folder."))
            continue
        is_folder = at_hand.is_folder(path)
        folder = path if is_folder else path.parent
        names = _files(path) if is_folder else [str(path)]
        others = [name for name in _files(anonymized_dir or folder) if name not in names]
        ours = [name for name in original_names([*names, *others]) if name in names]
        found = tabular.pair_files([*names, *others], originals=ours if is_folder else names)
        pairs.extend(found.pairs)
        skipped.extend(found.skipped)
        if is_folder:
            skipped.extend(file for file in found.unused if _is_partner(file.name))
            aside = {file.name for file in found.unused if not _is_partner(file.name)}
            for each in dict.fromkeys((folder, anonymized_dir or folder)):
                tell_passed_over(
                    each, {Path(name) for name in (*names, *others)} - {Path(name) for name in aside}
                )
    pairs += [tabular.FilePair(original=a, anonymized=b, log=c) for a, b, c in arguments.pair]
    skipped += [tabular.LeftOutFile(name=name, reason=own(reason)) for name, reason in arguments.not_verified]
    return tabular.Pairing(pairs=tuple(dict.fromkeys(pairs)), skipped=tuple(dict.fromkeys(skipped)))


_TWO_AND_A_LOG = (
    "Tables in an engine are named with their log: the original, the anonymized table, and --log LOG."
)


_KEY_IN_ENGINE = "--key pairs the rows of tables in an engine; rows of files belong together by their order."


def _pair_with_log(arguments: Asked) -> tabular.FilePair:
    """Return the two tables that are named with a log."""
    if len(arguments.originals) != 2 or arguments.pair:
        raise AuditInputError("--log belongs to two tables: name the original and the anonymized one alone.")
    original, anonymized = map(str, arguments.originals)
    pair = tabular.FilePair(original=original, anonymized=anonymized, log=arguments.log)
    if _is_in_engine(pair) and (asked := [*_asked_of_records(arguments)]):
        raise refused_in_engine(asked)
    if arguments.key is not None and not _is_in_engine(pair):
        raise AuditInputError(_KEY_IN_ENGINE)
    return pair


def _is_in_engine(pair: tabular.FilePair) -> bool:
    return any(isinstance(place(each), str) for each in (pair.original, pair.anonymized))


def _files(folder: Path) -> list[str]:
    """Return the files of a folder by name; hidden files are none of ours."""
    return [str(path) for path in at_hand.files_in(folder) if not path.name.startswith(".")]


def _is_partner(name: str) -> bool:
    """Return whether a file without an original is by its name an anonymized table or a log."""
    return Path(name).stem.casefold().endswith(("_anonymized", "_anonymized_log"))


class _CsvReport:
    """The CSV report: it grows under another name and gets its own when every file is done."""

    def __init__(self, path: Path, header: str) -> None:
        self.path, self._text = path, header
        self._unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
        self._try(lambda: path.parent.mkdir(parents=True, exist_ok=True))
        self.append("")

    def append(self, line: str) -> None:
        """Add a line."""
        self._text += line
        self._try(lambda: write_file(self._unfinished, self._text.encode(), replace=True))

    def finish(self) -> None:
        """Give the report its name, with a number where another run of the same second has that."""
        self._try(self._give_name)

    def _give_name(self) -> None:
        first, number = self.path, 1
        while True:
            with suppress(FileExistsError):
                give_name(self._unfinished, self.path, replace=False)
                break
            number += 1
            self.path = first.with_stem(f"{first.stem}_{number}")
        self._unfinished.unlink(missing_ok=True)  # the report has a name of its own

    def _try(self, write: Callable[[], object]) -> None:
        try:
            write()
        except OSError:
            with suppress(OSError):
                self._unfinished.unlink(missing_ok=True)
            folder = self.path.parent
            raise input_error(
                "The report cannot be written into {folder}. Name another folder with --report-dir.",
                folder=str(folder),
            ) from None


def _csv_report(arguments: Asked) -> list[_CsvReport]:
    """Begin the CSV report; none where it is not asked for."""
    if arguments.report_dir is None and arguments.json:
        return []
    name = csv_report_name(datetime.now().astimezone())
    path: Path = (arguments.report_dir or DEFAULT_REPORT_DIR) / name
    return [_CsvReport(path, csv_report_header(arguments.headers))]


def _limits(arguments: Asked) -> _Limits:
    given = given_options(tabular.TabularThresholds, arguments)
    return _Limits(
        settings=from_options(tabular.TabularSettings, arguments),
        quasi_identifiers=from_options(SecondOpinionSettings, arguments).quasi_identifiers,
        rule={mode: replace(tabular.TabularThresholds.for_mode(mode), **given) for mode in get_args(Mode)},
        opinion=from_options(SecondOpinionThresholds, arguments),
        read=read_cells(arguments.read),
        text_model=arguments.text_model,
        read_table=table_reader(arguments),
        with_evidence=arguments.evidence == "masked",
        with_proof=arguments.json or arguments.report is not None or bool(at_hand.places()),
        asked=settings_digest(arguments_that_matter(arguments)),
        key=arguments.key,
        options=read_options(arguments),
        memory=arguments.memory_limit,
        look=partial(looks, arguments),
    )


def _asked_of_records(arguments: Asked) -> Iterator[str]:
    """Yield the options given that need the records themselves."""
    yield from in_engine.asked_of_records(arguments, "read", "scheduler", "resume")
    chosen = from_options(tabular.TabularSettings, arguments).patterns
    yield from (f"--pattern {key}" for key in chosen if not CATALOGUE[key].rule)


def _measure(pair: tabular.FilePair, limits: _Limits) -> _Measured:
    """Read and measure a pair."""
    if _is_in_engine(pair):
        return _measure_in_engine(pair, limits)
    started = time.perf_counter()
    try:
        original = limits.read_table(Path(pair.original))
        anonymized = limits.read_table(Path(pair.anonymized))
        log = tabular.read_log(Path(pair.log))
    except OSError as error:
        raise _cannot_be_opened(error.filename or pair.original) from None
    audit = tabular.audit_tabular(
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
    proof = tabular_proof(audit, original, anonymized) if limits.with_proof else ()
    classes, opinion = audit.classes, audit.opinion_measurement
    if classes is not None:  # which record is in which class is nobody's business from here on
        classes = replace(classes, class_of_record=np.sort(classes.class_of_record))
    if opinion is not None:
        opinion = replace(opinion, classes=replace(opinion.classes, persons=None))
    return _Measured(
        measurement=audit.measurement,
        classes=classes,
        opinion=opinion,
        inputs=verified_file(audit, original, anonymized).inputs,
        evidence=None if evidence is None else tuple(map(PlainTable.of, evidence)),
        proof=tuple(map(PlainTable.of, proof)),
        looks={name: frozenset(kinds) for name, kinds in limits.look(anonymized).items()},
        seconds=time.perf_counter() - started,
    )


def _measure_in_engine(pair: tabular.FilePair, limits: _Limits) -> _Measured:
    """Measure a pair where its tables are."""
    started = time.perf_counter()
    (original, _), (anonymized, _) = (
        in_engine.address_given(place(each)) for each in (pair.original, pair.anonymized)
    )
    try:
        log = tabular.read_log(Path(pair.log))
    except OSError:
        raise _cannot_be_opened(pair.log) from None
    found = in_engine.in_thread(
        lambda is_stopped: measure_in_engine(
            original,
            anonymized,
            log,
            settings=limits.settings,
            quasi_identifiers=limits.quasi_identifiers,
            key=limits.key,
            options=limits.options,
            memory=limits.memory,
            is_stopped=is_stopped,
        )
    )
    facts = map(origin_facts, found.origins, ("original", "anonymized"))
    return _Measured(
        measurement=found.measurement,
        classes=found.classes,
        opinion=None,
        inputs=(*facts, log_facts(log)),
        evidence=None,
        proof=(),
        looks={},
        seconds=time.perf_counter() - started,
    )


def _cannot_be_opened(file: str) -> AuditInputError:
    return input_error("{file}: the file cannot be opened. Check that you may read it.", file=Path(file).name)


def _judge(pair: tabular.FilePair, limits: _Limits, found: _Measured) -> _Done:
    """Hold what was found in a pair against the limits."""
    audit = tabular.judge_tabular(
        found.measurement,
        classes=found.classes,
        opinion=found.opinion,
        thresholds=limits.rule[found.measurement.log.mode],
        opinion_thresholds=limits.opinion,
        read=limits.read,
    )
    evidence = None if found.evidence is None else tuple(each.table for each in found.evidence)
    return _Done(pair=pair, audit=audit, found=found, evidence=evidence)
