"""A pair of tables and its log as it is measured, sent by a worker or kept, and judged."""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.classes import EquivalenceClasses
from core.errors import AuditInputError
from core.people.free_text import ModelName, Reading
from core.reports import InputFacts
from core.result import Table
from core.tables import Dataset
from core.tabular.evidence import evidence_tables
from core.tabular.judging import TabularAudit, audit_tabular, judge_tabular
from core.tabular.log import AnonymizationLog, Mode, read_log
from core.tabular.measuring import TabularMeasurement
from core.tabular.pairing import FilePair
from core.tabular.proof import tabular_proof
from core.tabular.second_opinion import SecondOpinionMeasurement, SecondOpinionThresholds
from core.tabular.settings import TabularSettings, TabularThresholds
from core.tabular.verified import VerifiedFile, verified_file
from core.words import input_error


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredPair:
    """What was found in a pair, before limits judge it, as it is sent by a worker or kept."""

    measurement: TabularMeasurement
    classes: EquivalenceClasses | None
    opinion: SecondOpinionMeasurement | None
    inputs: tuple[InputFacts, ...]
    evidence: tuple[Table, ...]
    proof: tuple[Table, ...]
    looks: Mapping[str, frozenset[str]]  # of the anonymized table's columns
    seconds: float
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class VerifiedPair:
    """A verified pair and how long it took."""

    pair: FilePair
    audit: TabularAudit
    found: MeasuredPair

    def verified(self) -> VerifiedFile:
        """Return the pair as a report needs it."""
        return VerifiedFile(
            audit=self.audit,
            inputs=self.found.inputs,
            prove=lambda: self.found.proof,
        )


@dataclass(frozen=True, kw_only=True)
class PairSettings:
    """What was asked, and what files are held against."""

    settings: TabularSettings
    quasi_identifiers: tuple[str, ...] | None
    rule: Mapping[Mode, TabularThresholds]
    opinion: SecondOpinionThresholds
    read: Mapping[str, Reading]
    text_model: ModelName
    read_table: Callable[[Path], Dataset]
    with_evidence: bool
    with_proof: bool
    asked: str  # a digest of all of it
    look: Callable[
        [Dataset], Mapping[str, Collection[str]]
    ]  # what the columns of a table look like, as far as a policy asks


def measure_pair(pair: FilePair, limits: PairSettings) -> MeasuredPair:
    """Read and measure a pair."""
    started = time.perf_counter()
    try:
        original = limits.read_table(Path(pair.original))
        anonymized = limits.read_table(Path(pair.anonymized))
    except OSError as error:
        raise _cannot_be_opened(error.filename or pair.original) from None
    log = _opened_log(pair)
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
    evidence = evidence_tables(audit, original, anonymized, k=k) if limits.with_evidence else ()
    proof = tabular_proof(audit, original, anonymized) if limits.with_proof else ()
    classes, opinion = audit.classes, audit.opinion_measurement
    if classes is not None:  # which record is in which class is nobody's business from here on
        classes = replace(classes, class_of_record=np.sort(classes.class_of_record))
    if opinion is not None:
        opinion = replace(opinion, classes=replace(opinion.classes, persons=None))
    return MeasuredPair(
        measurement=audit.measurement,
        classes=classes,
        opinion=opinion,
        inputs=verified_file(audit, original, anonymized).inputs,
        evidence=evidence,
        proof=proof,
        looks={name: frozenset(kinds) for name, kinds in limits.look(anonymized).items()},
        seconds=time.perf_counter() - started,
    )


def _opened_log(pair: FilePair) -> AnonymizationLog:
    """Return the log of a pair."""
    try:
        return read_log(Path(pair.log))
    except OSError:
        raise _cannot_be_opened(pair.log) from None


def _cannot_be_opened(file: str) -> AuditInputError:
    return input_error("{file}: the file cannot be opened. Check that you may read it.", file=Path(file).name)


def judge_pair(pair: FilePair, limits: PairSettings, found: MeasuredPair) -> VerifiedPair:
    """Hold what was found in a pair against the limits."""
    audit = judge_tabular(
        found.measurement,
        classes=found.classes,
        opinion=found.opinion,
        thresholds=limits.rule[found.measurement.log.mode],
        opinion_thresholds=limits.opinion,
        read=limits.read,
    )
    return VerifiedPair(pair=pair, audit=audit, found=found)
