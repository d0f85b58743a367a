"""Verifying pairs of files one after the other: a file that cannot be verified never stops the others."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import streamlit as st

from core.errors import AuditInputError, refuse
from core.processes.unforeseen import UNEXPECTED, pair_ended_by
from core.tables import Dataset
from core.tabular import (
    AnonymizationLog,
    FilePair,
    LeftOutFile,
    TabularMeasurement,
    TabularSettings,
    judge_tabular,
    measure_classes,
    measure_tabular,
    read_log,
)
from core.tabular.second_opinion import (
    SecondOpinionMeasurement,
    measure_second_opinion,
    with_quasi_identifiers,
)
from core.tabular.verified import VerifiedFile, verified_file
from core.web.caching import StoredFile, remembered, where_it_fits
from core.words import joined, say
from pages.components.reading import read_table
from pages.components.text import plain
from pages.components.texts import what_was_read
from pages.verify.tabular_parts.settings import Limits

_KEPT = 64  # pairs of a batch


class TimedMeasurement(NamedTuple):
    """What the rule counts of a pair of files, and how long that took."""

    measurement: TabularMeasurement
    seconds: float


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredFile:
    """A pair of files that could be read and measured.

    Attributes
    ----------
    pair
        The files' names.
    original, anonymized
        The tables.
    log
        The log in the vault.
    measured
        What the published rule counts.
    """

    pair: FilePair
    original: Dataset
    anonymized: Dataset
    log: StoredFile
    measured: TimedMeasurement

    @property
    def identity(self) -> tuple[str, str, str]:
        """Return what the measurement depends on."""
        return self.original.fingerprint, self.anonymized.fingerprint, self.log.key

    @property
    def mark(self) -> str:
        """Return what its widgets are called after."""
        return f"{self.anonymized.fingerprint}_{self.log.key}"


def measure_pairs(
    tool: str, pairs: Sequence[FilePair], files: Mapping[str, StoredFile], *, patterns: tuple[str, ...]
) -> tuple[list[MeasuredFile], list[LeftOutFile]]:
    """Measure pair by pair, with progress; return what could be measured, and what not and why."""
    done: list[MeasuredFile] = []
    problems: list[LeftOutFile] = []
    place = st.empty()
    for number, pair in enumerate(pairs):
        place.progress(
            number / len(pairs),
            text=plain(
                say(
                    "Verifying {file} · {number} of {all}",
                    file=pair.original,
                    number=number + 1,
                    all=len(pairs),
                )
            ),
        )
        try:
            done.append(_measure_pair(tool, pair, files, patterns))
        except AuditInputError as error:
            problems.append(LeftOutFile(name=pair.original, reason=joined(error.problems)))
        except UNEXPECTED as error:
            ended = pair_ended_by(error, file=pair.original)
            problems.append(LeftOutFile(name=pair.original, reason=joined(ended.problems)))
    place.empty()
    return done, problems


def _measure_pair(
    tool: str, pair: FilePair, files: Mapping[str, StoredFile], patterns: tuple[str, ...]
) -> MeasuredFile:
    problems: list[str] = []
    tables: list[Dataset] = []
    for name in (pair.original, pair.anonymized):
        table, error = read_table(tool, files[name])
        problems += error.problems if error else ()
        tables += [] if table is None else [table]
    log = files[pair.log]
    try:
        read = _log(log)
    except AuditInputError as error:
        problems += error.problems
    refuse(problems)
    original, anonymized = tables
    measured = _measure(original, anonymized, read, patterns)
    return MeasuredFile(pair=pair, original=original, anonymized=anonymized, log=log, measured=measured)


@remembered(kept=_KEPT)
def _log(stored: StoredFile) -> AnonymizationLog:
    return read_log(stored.data, name=stored.name)


@remembered(kept=_KEPT)
def _measure(
    original: Dataset, anonymized: Dataset, log: AnonymizationLog, patterns: tuple[str, ...]
) -> TimedMeasurement:
    started_at = time.perf_counter()
    measured = measure_tabular(original, anonymized, log, settings=TabularSettings(patterns=patterns))
    return TimedMeasurement(measured, time.perf_counter() - started_at)


@remembered(kept=_KEPT)
def _opinion(original: Dataset, anonymized: Dataset, log: AnonymizationLog) -> SecondOpinionMeasurement:
    return where_it_fits(measure_second_opinion)(original, anonymized, log)


@remembered(kept=_KEPT)
def _opinion_over(
    original: Dataset, anonymized: Dataset, log: AnonymizationLog, quasi_identifiers: tuple[str, ...]
) -> SecondOpinionMeasurement:
    measured = _opinion(original, anonymized, log)
    return with_quasi_identifiers(measured, anonymized, quasi_identifiers)


_classes = remembered(kept=_KEPT, in_turn=False)(measure_classes)


def judge(file: MeasuredFile, limits: Limits) -> VerifiedFile:
    """Hold a measured file against the limits; fast enough for a slider."""
    measurement = file.measured.measurement
    asked = st.session_state.get
    chosen = asked(f"tabular_quasi_identifiers_{file.mark}")
    compared = file.original, file.anonymized, _log(file.log)
    opinion = _opinion(*compared)
    ours, quasi_identifiers = opinion.classes, measurement.quasi_identifiers
    usual = ours.chosen.quasi_identifiers if ours.chosen and ours.functions else quasi_identifiers
    if chosen is not None and tuple(chosen) != usual:
        quasi_identifiers = tuple(chosen)
        opinion = _opinion_over(*compared, quasi_identifiers)
    classes = _classes(file.anonymized, quasi_identifiers)
    audit = judge_tabular(
        measurement,
        classes=classes,
        opinion=opinion,
        read=what_was_read("tabular", file.anonymized, opinion.texts),
        thresholds=limits.rule[measurement.log.mode],
        opinion_thresholds=replace(
            limits.opinion,
            no_quasi_identifiers=bool(asked(f"tabular_no_quasi_identifiers_{file.mark}")),
        ),
    )
    return verified_file(audit, file.original, file.anonymized, seconds=file.measured.seconds)
