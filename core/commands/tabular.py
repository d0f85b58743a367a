"""``python -m core tabular``: verify anonymized tables against their logs."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import get_args

from core import tabular
from core.cluster import OUT_OF_MEMORY, Task, settings_digest, stamps
from core.commands.audited import Audited, memory_asked_for, print_evidence
from core.commands.batches import Batch, arguments_that_matter
from core.commands.folders import tell_passed_over
from core.commands.output import (
    DEFAULT_REPORT_DIR,
    check_new_files,
    print_json,
    print_lines,
    write_new_files,
)
from core.commands.reading import table_reader
from core.errors import AuditInputError
from core.files import named_files
from core.people.free_text import check_reading, read_cells
from core.policies.of_report import looks
from core.processes.unforeseen import UNEXPECTED, pair_ended_by
from core.reports import Report
from core.reports.as_text import lines_of
from core.settings.asked import Asked
from core.settings.form import from_options, given_options
from core.settings.options import place
from core.tabular.csv_report import csv_report_name, csv_report_row, write_csv_report
from core.tabular.log import Mode
from core.tabular.measured_pair import (
    MeasuredPair,
    PairSettings,
    VerifiedPair,
    judge_pair,
    measure_pair,
)
from core.tabular.pairing import original_names
from core.tabular.proposed_log import ACTIONS, log_document, propose_log
from core.tabular.report import tabular_report
from core.tabular.result import file_result, ranked, run_result, run_verdict
from core.tabular.second_opinion import (
    SecondOpinionSettings,
    SecondOpinionThresholds,
)
from core.words import input_error, joined, own, text


def run(arguments: Asked) -> int:
    """Verify every pair, print as each is done, return the exit code; or write a proposed log."""
    if arguments.propose_log is not None:
        return _propose_log(arguments)
    path: Path | None = None
    rows: list[str] = []

    def begin() -> None:
        nonlocal path
        path = _new_csv_report(arguments)

    def tell(result: VerifiedPair) -> None:
        rows.append(csv_report_row(result.audit, seconds=result.found.seconds))
        if not arguments.json:
            print_lines(lines_of(file_result(result.audit)))
            print_evidence(result.found.evidence)

    audited = audit(arguments, begin=begin, tell=tell)
    if path is not None:
        with _said_of(path):
            written = write_csv_report(path, rows, headers=arguments.headers)
        if not arguments.json:
            print_lines([text("Report: {file}", file=str(written))])
    return audited.show(arguments)


def audit(
    *runs: Asked, begin: Callable[[], object] = bool, tell: Callable[[VerifiedPair], object] = bool
) -> Audited:
    """Verify every pair of one run, or of several of different options.

    `begin` is called once the files are paired, `tell` with each pair as it is done.
    """
    done: list[VerifiedPair] = []
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
    places = named_files.places()
    done.sort(key=lambda each: places.get(each.pair.original, 0))  # those of one run are in order

    def report(created_at: datetime) -> Report:
        files = [each.verified() for each in done]
        made = tabular_report(files, skipped=skipped, created_at=created_at)
        is_masked = any(arguments.evidence == "masked" for arguments in runs)
        return made.with_evidence(one for each in done for one in each.found.evidence) if is_masked else made

    looked = {f"{one.audit.name}: {name}": kinds for one in done for name, kinds in one.found.looks.items()}
    message = "{file} was not verified. {reason}"
    seconds = {id(each.audit): each.found.seconds for each in done}
    return Audited(
        verdict=run_verdict([result.audit for result in done], n_skipped=len(skipped)),
        n_audited=len(done),
        report=report,
        result=lambda: run_result([each.verified() for each in done], skipped),
        is_told=True,
        seconds=[seconds[id(audit)] for audit in ranked([each.audit for each in done])],
        looks=lambda _: looked,
        problems=tuple(text(message, file=file.name, reason=own(file.reason)) for file in skipped),
        problem_files=tuple(file.name for file in skipped),
    )


def _verify_all(
    pairing: tabular.Pairing, arguments: Asked, limits: PairSettings, tell: Callable[[VerifiedPair], object]
) -> tuple[list[VerifiedPair], list[tabular.LeftOutFile]]:
    """Verify the pairs of a run; a file that cannot be verified never stops the others."""
    given = getattr(arguments, "by_file", {})
    by_file = {name: _limits(Asked(**vars(arguments) | other)) for name, other in given.items()}
    of_pair = [(pair, by_file.get(Path(pair.original).name, limits)) for pair in pairing.pairs]
    batch = Batch(
        tool="tabular",
        tasks=[_task(pair, of_file, arguments) for pair, of_file in of_pair],
        kind=MeasuredPair,
        here=lambda numbers: (_measure_here(*of_pair[number], arguments) for number in numbers),
        judge=lambda number, found: judge_pair(*of_pair[number], found),
    )
    done: dict[int, VerifiedPair] = {}
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


def _task(pair: tabular.FilePair, limits: PairSettings, arguments: Asked) -> Task:
    there = tabular.FilePair(**{part: str(Path(path).absolute()) for part, path in vars(pair).items()})
    return Task(
        name=Path(pair.original).name,
        files=stamps([Path(pair.original), Path(pair.anonymized), Path(pair.log)]),
        settings=limits.asked,
        measure=partial(measure_pair, there, limits),
        memory=memory_asked_for(arguments),
    )


def _measure_here(
    pair: tabular.FilePair, limits: PairSettings, arguments: Asked
) -> MeasuredPair | AuditInputError:
    try:
        return measure_pair(pair, limits)
    except AuditInputError as error:
        return error
    except MemoryError:
        return input_error(OUT_OF_MEMORY, pair=Path(pair.original).name)
    except UNEXPECTED as error:
        if getattr(arguments, "debug", False):
            raise
        return pair_ended_by(error, file=Path(pair.original).name)


def _propose_log(arguments: Asked) -> int:
    """Write what seems to have been done to each column as a log to correct, and print it."""
    path: Path = arguments.propose_log
    if len(arguments.originals) != 2 or arguments.pair or arguments.log is not None:
        raise AuditInputError(
            "--propose-log compares two tables: name the original and the anonymized one, and no log."
        )
    check_new_files("--propose-log", path)
    read = table_reader(arguments)
    original, anonymized = (read(Path(each)) for each in arguments.originals)
    entries = propose_log(original, anonymized)
    data = log_document(entries, original_name=original.name, anonymized_name=anonymized.name)
    write_new_files("--propose-log", {path: data})
    if arguments.json:
        print_json(json.loads(data))
        return 0
    said = "{column}: {action}. {reason}"
    print_lines(
        text(said, column=each.column, action=own(ACTIONS[each.action]), reason=own(each.reason))
        for each in entries
    )
    print_lines([text("Proposed log: {file}. Correct it, and give it with --log.", file=str(path))])
    return 0


def _find_pairs(arguments: Asked) -> tabular.Pairing:
    """Pair the files found; a folder stands for every original in it, and must leave nothing unmatched."""
    originals, anonymized_dir = arguments.originals, arguments.anonymized_dir
    pairs: list[tabular.FilePair] = []
    skipped: list[tabular.LeftOutFile] = []
    if not originals and not arguments.pair:
        raise AuditInputError("Name an original table, a folder of them, or three files with --pair.")
    if anonymized_dir is not None and not named_files.is_folder(anonymized_dir):
        raise input_error(
            "--anonymized-dir {folder} is not a folder. Name an existing one.", folder=str(anonymized_dir)
        )
    named = [*originals, *(file for pair in arguments.pair for file in pair)]
    if in_engines := [str(each) for each in named if isinstance(place(str(each)), str)]:
        raise input_error(_IN_AN_ENGINE, table=in_engines[0])
    if arguments.log is not None:
        return tabular.Pairing(pairs=(_pair_with_log(arguments),))
    for path in dict.fromkeys(originals):
        if not named_files.is_file(path) and not named_files.is_folder(path):
            skipped.append(tabular.LeftOutFile(name=str(path), reason="There is no such file or folder."))
            continue
        is_folder = named_files.is_folder(path)
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
    if len(skipped) == len(originals) == 2 and all(map(named_files.is_file, originals)):
        last = skipped.pop()
        skipped.append(replace(last, reason=joined([own(last.reason), own(_WITHOUT_LOG)])))
    return tabular.Pairing(pairs=tuple(dict.fromkeys(pairs)), skipped=tuple(dict.fromkeys(skipped)))


_WITHOUT_LOG = text(
    "Files of any names are an original, its anonymized table and --log with the log; --propose-log makes a "
    "log from both tables."
)
_IN_AN_ENGINE = (
    "{table} is an address in an engine, which gives counts alone; the tabular verifier compares "
    "records. Write both tables to files, such as Parquet or CSV, and name these."
)


def _pair_with_log(arguments: Asked) -> tabular.FilePair:
    """Return the two tables that are named with a log."""
    if len(arguments.originals) != 2 or arguments.pair:
        raise AuditInputError("--log belongs to two tables: name the original and the anonymized one alone.")
    original, anonymized = map(str, arguments.originals)
    return tabular.FilePair(original=original, anonymized=anonymized, log=arguments.log)


def _files(folder: Path) -> list[str]:
    """Return the files of a folder by name; hidden files are none of ours."""
    return [str(path) for path in named_files.files_in(folder) if not path.name.startswith(".")]


def _is_partner(name: str) -> bool:
    """Return whether a file without an original is by its name an anonymized table or a log."""
    return Path(name).stem.casefold().endswith(("_anonymized", "_anonymized_log"))


def _new_csv_report(arguments: Asked) -> Path | None:
    """Return where the CSV report goes, in a folder that is there; None where it is not asked for."""
    if arguments.report_dir is None and arguments.json:
        return None
    now = datetime.now().astimezone()
    path: Path = (arguments.report_dir or DEFAULT_REPORT_DIR) / csv_report_name(now)
    with _said_of(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def _said_of(path: Path) -> Iterator[None]:
    """Say of a CSV report that cannot be written what helps."""
    try:
        yield
    except OSError:
        cannot = "The report cannot be written into {folder}. Name another folder with --report-dir."
        raise input_error(cannot, folder=str(path.parent)) from None


def _limits(arguments: Asked) -> PairSettings:
    given = given_options(tabular.TabularThresholds, arguments)
    return PairSettings(
        settings=from_options(tabular.TabularSettings, arguments),
        quasi_identifiers=from_options(SecondOpinionSettings, arguments).quasi_identifiers,
        rule={mode: replace(tabular.TabularThresholds.for_mode(mode), **given) for mode in get_args(Mode)},
        opinion=from_options(SecondOpinionThresholds, arguments),
        read=read_cells(arguments.read),
        text_model=arguments.text_model,
        read_table=table_reader(arguments),
        with_evidence=arguments.evidence == "masked",
        with_proof=arguments.json or arguments.report is not None or bool(named_files.places()),
        asked=settings_digest(arguments_that_matter(arguments)),
        look=partial(looks, arguments.policy),
    )
