"""``python -m core dataset``: several tables of one delivery, read together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core import delivery
from core.commands import earlier
from core.commands import engines as in_engine
from core.commands.audited import Audited
from core.commands.output import check_new_files, write_new_files
from core.commands.reading import read_options
from core.declared import Declared, Originals, read_originals
from core.delivery.in_engine import audit_delivery_in_engine
from core.delivery.result import delivery_result
from core.errors import AuditInputError, refuse
from core.files import named_files
from core.files.input_bytes import unreadable
from core.people.free_text import read_cells
from core.policies.of_report import looks
from core.releases import EARLIER
from core.settings.asked import Asked
from core.settings.form import from_options
from core.tables import Dataset, ReadOptions, read_dataset, read_sheets

if TYPE_CHECKING:
    from core.reports import Report
    from core.result import Table


def audit(arguments: Asked) -> Audited:
    """Audit the tables together, and write the ledger where it is asked for."""
    settings = from_options(delivery.DeliverySettings, arguments)
    thresholds = from_options(delivery.DeliveryThresholds, arguments)
    files = earlier.files_of([each for each in arguments.tables if isinstance(each, Path)])
    elsewhere = [each for each in arguments.tables if isinstance(each, str)]
    asked = in_engine.asked_of_records(arguments)
    is_large = bool(settings.keys) and not asked and in_engine.are_too_large(files)
    if elsewhere or is_large or any(isinstance(each, str) for each in arguments.earlier):
        there = _audit_in_engine(arguments, [*elsewhere, *files], settings, thresholds)
        return replace(there, warnings=(in_engine.too_large(files),)) if is_large else there
    datasets, problems = _read(files, read_options(arguments))
    before = earlier.read_before(arguments)
    unread = (*problems, *before.problems)
    originals = _originals(arguments)
    read, model = read_cells(arguments.read), arguments.text_model
    further = {"earlier": before.releases, "read": read, "text_model": model, "originals": originals}
    try:
        audited = delivery.audit_delivery(datasets, settings, thresholds, **further)
    except AuditInputError as error:
        raise AuditInputError(*unread, *error.problems) from None
    released = delivery.released_tables(audited.measurement, datasets)
    before.write_ledger(arguments.ledger, released, k=thresholds.k)

    declared = audited.measurement.declared
    _write_rules(arguments, declared)

    def report(created_at: datetime) -> Report:
        from core.delivery import report as made  # noqa: PLC0415 - the same
        from core.delivery.proof import delivery_proof  # noqa: PLC0415 - takes long to import

        inputs = [*made.facts_of_tables(datasets), *before.facts(), *made.facts_of_originals(originals)]
        told = made.delivery_report(audited, inputs=inputs, created_at=created_at)
        return told.with_tables(delivery_proof(audited, datasets, originals))

    return Audited(
        verdict=audited.overall,
        report=report,
        result=lambda: delivery_result(audited),
        tables=("declared",) * (declared is not None) + ("tables", "keys", "known"),
        evidence=_evidence(audited, datasets) if arguments.evidence == "masked" else None,
        looks=lambda policy: looks(policy, *datasets),
        problems=unread,
        unread=unread,
    )


def _originals(arguments: Asked) -> Originals | None:
    """Read the originals, mapping, shifts and rules. AuditInputError: all that is wrong with them."""
    if arguments.write_rules is not None:
        check_new_files("--write-rules", arguments.write_rules)
    if not any((arguments.original, arguments.mapping, arguments.shifts, arguments.rules)):
        return None
    options = read_options(arguments)
    problems: list[str] = []
    tables, unread = _read(earlier.files_of(arguments.original), options)
    problems += unread
    lists: list[Dataset | None] = []
    for path in (arguments.mapping, arguments.shifts):
        try:
            lists.append(None if path is None else _read_as(path, options))
        except AuditInputError as error:
            problems += error.problems
    rules = None
    if arguments.rules is not None:
        rules = arguments.rules.name, _bytes(arguments.rules)
    refuse(problems)
    mapping, shifts = lists
    return read_originals(delivery.named_tables(tables), mapping=mapping, shifts=shifts, rules=rules)


def _write_rules(arguments: Asked, declared: Declared | None) -> None:
    if arguments.write_rules is not None and declared is not None:
        write_new_files("--write-rules", {arguments.write_rules: declared.rule_file})


def _bytes(path: Path) -> bytes:
    try:
        return named_files.bytes_at(path)
    except OSError as error:
        raise unreadable(error, file=str(path)) from None


def _audit_in_engine(
    arguments: Asked,
    tables: Sequence[str | Path],
    settings: delivery.DeliverySettings,
    thresholds: delivery.DeliveryThresholds,
) -> Audited:
    """Join the tables, and count, where they are."""
    in_engine.refuse_records(arguments)
    addresses = [in_engine.address_given(each)[0] for each in tables]
    before = earlier.read_before_in_engine(arguments)
    audited, origins, former, problems = in_engine.measured(
        arguments,
        audit_delivery_in_engine,
        addresses,
        settings=settings,
        thresholds=thresholds,
        earlier=before.elsewhere,
    )

    def report(created_at: datetime) -> Report:
        from core.delivery.report import delivery_report  # noqa: PLC0415 - takes long to import
        from core.reports import origin_facts  # noqa: PLC0415 - takes long to import

        inputs = [*map(origin_facts, origins), *(origin_facts(each, EARLIER) for each in former)]
        return delivery_report(audited, inputs=[*inputs, *before.facts()], created_at=created_at)

    return Audited(
        verdict=audited.overall,
        report=report,
        result=lambda: delivery_result(audited),
        tables=("tables", "keys", "known"),
        problems=(*before.problems, *problems),
    )


def _evidence(audited: delivery.DeliveryAudit, datasets: Iterable[Dataset]) -> tuple[Table, ...]:
    """Return the records that a table of one record a person shows alone, masked."""
    from core.reports.evidence import small_class_evidence  # noqa: PLC0415 - takes long to import

    named = delivery.named_tables([*datasets])
    mine = [
        (named[facts.name], facts.quasi_identifiers)
        for facts in audited.measurement.tables
        if facts.name in named and not facts.repeats
    ]
    return small_class_evidence(mine, k=audited.thresholds.k)


def _read(paths: Iterable[Path], options: ReadOptions) -> tuple[list[Dataset], tuple[str, ...]]:
    """Read files, every sheet of a workbook that holds a table."""
    datasets: list[Dataset] = []
    problems: list[str] = []
    for path in paths:
        try:
            datasets += read_sheets(partial(_read_as, path), options)
        except AuditInputError as error:
            problems += error.problems
    return datasets, tuple(problems)


def _read_as(path: Path, options: ReadOptions) -> Dataset:
    return read_dataset(path, options=options)
