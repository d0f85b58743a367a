"""``python -m core events``: anonymize an event log to k users per combination."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from core import events
from core.commands import earlier
from core.commands.audited import Audited
from core.commands.output import print_json, print_lines, print_warning
from core.commands.reading import table_reader
from core.errors import AuditInputError
from core.events.column_finding import ROLES, with_found_columns
from core.events.earlier import exported_table
from core.events.release import FILES_NOT_ALWAYS_WRITTEN, NOT_FOR_SHARING, release_files
from core.events.report import events_report
from core.events.result import events_result
from core.events.stages import NUMBERS, PUBLISHED
from core.events.suggestions import suggestion_lines, suggestions_document
from core.files.named_files import is_file, write_file
from core.reports import Report, input_facts, render
from core.settings.asked import Asked
from core.settings.form import from_options
from core.tables import Dataset
from core.words import input_error, own, text


def run(arguments: Asked) -> int:
    """Audit the log, write the files asked for, print the result."""
    if arguments.write_user_mapping and arguments.out_dir is None:
        raise AuditInputError("--write-user-mapping needs a folder to write to; add --out-dir.")
    if arguments.suggest:
        dataset, settings = _read(arguments)
        found = events.suggest_settings(dataset, settings, from_options(events.Rule, arguments))
        if arguments.json:
            print_json(suggestions_document(found))
        else:
            print_lines(suggestion_lines(found))
        return 0 if found.best else 1
    return audit(arguments).show(arguments)


def audit(arguments: Asked) -> Audited:
    """Audit the log, and write the files asked for."""
    dataset, settings = _read(arguments)
    before = earlier.read_before(arguments)
    audited = events.audit_events(
        dataset,
        settings=settings,
        rule=from_options(events.Rule, arguments),
        options=from_options(events.ReleaseOptions, arguments),
        earlier=before.releases,
    )
    if arguments.ledger is not None:
        exported = exported_table(audited.anonymized, audited.release)
        before.write_ledger(arguments.ledger, [exported], k=audited.anonymized.rule.k)

    def report(created_at: datetime) -> Report:
        rule = audited.anonymized.rule
        return events_report(
            audited,
            inputs=[input_facts(dataset, own("log")), *before.facts()],
            outcomes=events.comparable_outcomes(audited.measured, k=rule.k, cap=rule.cap),
            created_at=created_at,
        )

    written = _write_files(audited, report, arguments) if arguments.out_dir is not None else []
    files = text("Written: {files}", files=", ".join(written))
    last = files if written else "No file is written without --out-dir."
    return Audited(
        verdict=audited.overall,
        report=report,
        result=lambda: events_result(audited),
        written=(last, *([NUMBERS] if written and settings.any_value == PUBLISHED else [])),
        problems=before.problems,
        unread=before.problems,
    )


def _read(arguments: Asked) -> tuple[Dataset, events.EventSettings]:
    """Return the log, and the settings with the columns that were found in it."""
    if arguments.strategy is not None:
        arguments.strategy = arguments.strategy.replace("_", "-")
    settings = _settings(arguments)
    dataset = table_reader(arguments)(_existing(arguments.input))
    given = [role for role in ROLES if getattr(arguments, role) is not None]
    return dataset, with_found_columns(dataset, settings, given=given)


def _settings(arguments: Asked) -> events.EventSettings:
    given: dict[str, object] = {"leave_out": ()} if arguments.leave_out_none else {}
    given["mapping"] = events.BUILT_IN_MAPPING
    if isinstance(arguments.mapping, dict):
        given["mapping"] = events.EventMapping(tuple(arguments.mapping.items()))
    elif arguments.mapping is not None:
        written = arguments.mapping.encode("utf-8", "surrogatepass")
        is_json = written.startswith(b"{")
        given["mapping"] = events.read_event_mapping(
            written if is_json else _existing(Path(arguments.mapping))
        )
    return from_options(events.EventSettings, arguments, **given)


def _existing(path: Path) -> Path:
    if not is_file(path):
        raise input_error("There is no file {path}; check the path.", path=str(path))
    return path


def _write_files(
    audit: events.EventAudit, make_report: Callable[[datetime], Report], arguments: Asked
) -> list[str]:
    """Write the files of the release and return their paths."""
    files = release_files(audit.release, with_user_mapping=arguments.write_user_mapping)
    report = make_report(datetime.now(UTC))
    files |= {f"events_report.{format_}": render(report, format_) for format_ in ("html", "xlsx", "json")}
    paths = {arguments.out_dir / name: data for name, data in files.items()}
    if arguments.input.resolve() in {path.resolve() for path in paths}:
        raise input_error(
            "{file} would be overwritten by the export; choose another folder.", file=str(arguments.input)
        )
    try:
        arguments.out_dir.mkdir(parents=True, exist_ok=True)
        for path, data in paths.items():
            path.parent.mkdir(exist_ok=True)
            write_file(path, data, replace=True, private=path.parent.name == NOT_FOR_SHARING)
    except OSError as error:
        raise input_error(
            "The files cannot be written to {folder}: {reason}. Choose another folder.",
            folder=str(arguments.out_dir),
            reason=error.strerror or "",
        ) from None
    for name in FILES_NOT_ALWAYS_WRITTEN:
        if name not in files and (arguments.out_dir / name).exists():
            old = str(arguments.out_dir / name)
            print_warning(text("{file} is of an earlier run, not of this export.", file=old))
    return [str(path) for path in paths]
