"""The report of a run of the tabular verifier."""

from collections.abc import Sequence
from datetime import datetime

from core.people.free_text import reading_words
from core.reports import Report, placed, report_of
from core.settings.form import option_words
from core.tabular import FilePair, LeftOutFile, TabularAudit
from core.tabular.pairing import pair_files
from core.tabular.result import run_result
from core.tabular.settings import TabularThresholds
from core.tabular.tool import TOOL
from core.tabular.verified import VerifiedFile

_FILES = ("original", "anonymized", "log")


def tabular_report(
    files: Sequence[VerifiedFile], *, skipped: Sequence[LeftOutFile] = (), created_at: datetime, k: int = 5
) -> Report:
    """Return the report of a run: counts, column names and masked shapes, no cell values."""
    inputs = placed(facts for file in files for facts in file.inputs)
    paths = [facts.path for facts in inputs]
    is_known = all(len(file.inputs) == len(_FILES) for file in files)
    pairs = [
        FilePair(original=original, anonymized=anonymized, log=log)
        for original, anonymized, log in zip(paths[::3], paths[1::3], paths[2::3], strict=False)
    ]
    audits = [file.audit for file in files]
    report = report_of(
        TOOL,
        run_result(files, skipped, k=k),
        inputs=inputs,
        created_at=created_at,
        arguments=tabular_arguments(audits, pairs, skipped) if is_known else (),
    )
    return report.with_tables(table for file in files for table in file.prove())


def tabular_arguments(
    audits: Sequence[TabularAudit], files: Sequence[FilePair], skipped: Sequence[LeftOutFile]
) -> tuple[tuple[str, ...], ...]:
    """Return the words that repeat the run, those of files with the same options together.

    `files`: the paths of each audit's files; those that their names do not pair are named together.
    """
    by_name = pair_files([path for pair in files for path in vars(pair).values()]).pairs
    runs: dict[tuple[str, ...], list[str]] = {}
    for audit, pair in zip(audits, files, strict=True):
        words = (pair.original,) if pair in by_name else ("--pair", *vars(pair).values())
        runs.setdefault(_options(audit), []).extend(words)
    left_out = [word for file in skipped for word in ("--not-verified", file.name, file.reason)]
    first = next(iter(runs), ())
    return tuple(
        (*_pairs_last(words), *options, *(left_out if options == first else []))
        for options, words in runs.items()
    )


def _pairs_last(words: Sequence[str]) -> list[str]:
    """Return the words with options behind the names alone."""
    found: tuple[list[str], list[str]] = [], []
    left = 0
    for word in words:
        left = 4 if word == "--pair" else max(left - 1, 0)
        found[left > 0].append(word)
    return [*found[0], *found[1]]


def _options(audit: TabularAudit) -> tuple[str, ...]:
    measured, opinion, looked = audit.measurement, audit.second_opinion, audit.opinion_measurement
    asked: list[object] = [opinion.thresholds, looked.settings] if opinion and looked else []
    return (
        *option_words(measured.settings),
        *option_words(audit.thresholds, usual=TabularThresholds.for_mode(measured.log.mode)),
        *(word for each in asked for word in option_words(each)),
        *reading_words(opinion.read if opinion else {}, looked.texts if looked else ()),
    )
