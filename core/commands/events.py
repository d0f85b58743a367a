"""``python -m core events``: anonymize an event log to k users per combination."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from core.commands.output import print_json, print_line, print_lines, print_warning
from core.errors import AuditInputError
from core.events import (
    BUILT_IN_MAPPING,
    DEFAULT_LEAVE_OUT,
    EventAudit,
    EventSettings,
    ReleaseOptions,
    Rule,
    audit_events,
    comparable_outcomes,
    read_event_mapping,
    suggest_settings,
)
from core.events.column_finding import ROLES, with_found_columns
from core.events.release import FILES_NOT_ALWAYS_WRITTEN, NOT_FOR_SHARING, release_files
from core.events.result import (
    events_document,
    events_summary,
    suggestion_lines,
    suggestions_document,
)
from core.events.settings import ANY_VALUES, NEAR_EQUAL_USERS, PSEUDONYM_SCOPES, STRATEGIES, TIME_FORMATS
from core.events.views import events_report
from core.pseudonyms import TokenSource
from core.reports import input_facts, render
from core.tables import MISSING_SPELLINGS, Dataset, ReadOptions, read_dataset
from core.verdict import exit_code
from core.writing import write_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the input, the settings and the outputs."""
    defaults, rule = EventSettings(), Rule()
    parser.add_argument("input", metavar="INPUT", type=Path, help="the log: CSV, Excel, Parquet or XES")
    parser.add_argument("--k", type=int, default=rule.k, help="users that share each combination (default 5)")
    parser.add_argument(
        "--columns",
        action="extend",
        nargs="+",
        metavar="A,B,C",
        help=f"contributing columns, repeatable (default {','.join(defaults.columns)})",
    )
    parser.add_argument(
        "--flatten", default=defaults.flatten, metavar="COLUMN", help="flatten column (default week_number)"
    )
    parser.add_argument(
        "--flatten-steps",
        action="extend",
        nargs="+",
        metavar="COLUMN:LEVEL,…",
        help="multi-level flattening, such as week_number:month,week_number:any; auto for all levels",
    )
    parser.add_argument(
        "--strategy", default=rule.strategy, metavar="|".join(STRATEGIES), help="default remove-events"
    )
    classes = parser.add_mutually_exclusive_group()
    classes.add_argument(
        "--leave-out",
        action="extend",
        nargs="+",
        metavar="CLASS",
        help=f"event class to leave out, repeatable (default {', '.join(DEFAULT_LEAVE_OUT)})",
    )
    classes.add_argument("--leave-out-none", action="store_true", help="keep the events of every class")
    parser.add_argument("--hour-block", type=int, default=defaults.hour_block, help="hours per block (3)")
    parser.add_argument("--mapping", type=Path, metavar="FILE", help="event mapping, CSV or JSON")
    _add_reading_arguments(parser, defaults)
    parser.add_argument(
        "--leave-out-unreadable", action="store_true", help="go on without records that cannot be read"
    )
    parser.add_argument("--sensitive", metavar="COLUMN", help="attribute for l-diversity and t-closeness")
    parser.add_argument(
        "--max-trace-share",
        type=float,
        metavar="SHARE",
        help="fail when two known events can single out more than this share (0-1) of users",
    )
    parser.add_argument(
        "--max-rows-share",
        type=float,
        default=rule.max_rows_unique_share,
        metavar="SHARE",
        help="fail when all rows together single out more than this share (0-1) of users (default "
        "%(default)s)",
    )
    parser.add_argument(
        "--cap", type=int, metavar="N", help="release at most N rows of a user with the same combination"
    )
    _add_release_arguments(parser)


def _add_reading_arguments(parser: argparse.ArgumentParser, defaults: EventSettings) -> None:
    for role in ROLES:
        parser.add_argument(
            f"--{role.replace('_', '-')}",
            metavar="NAME",
            help=f"default {getattr(defaults, role)}; found by its values where the log has no such column",
        )
    parser.add_argument("--delimiter", metavar="CHARACTER", help="of the input; sniffed by default")
    parser.add_argument("--no-header", action="store_true", help="the first line is a record, not names")
    parser.add_argument(
        "--no-missing-words", action="store_true", help="NA, null and the like are values, not missing"
    )
    parser.add_argument(
        "--time-format",
        default=defaults.time_format,
        metavar="|".join(TIME_FORMATS),
        help="how times are written; found and said by default",
    )
    parser.add_argument(
        "--near-equal-users",
        default=defaults.near_equal_users,
        metavar="|".join(NEAR_EQUAL_USERS),
        help="identifiers that differ in spelling only: say so (default), one user, or confirmed as several",
    )
    parser.add_argument(
        "--any-value",
        default=defaults.any_value,
        metavar="|".join(ANY_VALUES),
        help='how "any" is written in the export (default 100, as published)',
    )


def _add_release_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pseudonym-per",
        default="user",
        metavar="|".join(PSEUDONYM_SCOPES),
        help="a new pseudonym for each (default user)",
    )
    parser.add_argument("--keep-user-ids", action="store_true", help="write the original identifiers")
    parser.add_argument("--pseudonym-seed", type=int, metavar="N", help="repeatable pseudonyms; for tests")
    parser.add_argument(
        "--write-user-mapping", action="store_true", help="also write who has which pseudonym"
    )
    parser.add_argument(
        "--suggest",
        action="store_true",
        help="only say which coarser settings keep most; nothing is exported",
    )
    parser.add_argument("--out-dir", type=Path, metavar="D", help="folder for the files; none by default")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Audit the log, write the files asked for, print the result."""
    if arguments.write_user_mapping and arguments.out_dir is None:
        raise AuditInputError("--write-user-mapping needs a folder to write to; add --out-dir.")
    rule = Rule(
        k=arguments.k,
        strategy=arguments.strategy.replace("_", "-"),
        max_trace_unique_share=arguments.max_trace_share,
        max_rows_unique_share=arguments.max_rows_share,
        cap=arguments.cap,
    )
    options = ReleaseOptions(
        pseudonym_per=arguments.pseudonym_per,
        keep_user_ids=arguments.keep_user_ids,
        pseudonym_seed=arguments.pseudonym_seed,
    )
    settings = _settings(arguments)
    dataset = read_dataset(_existing(arguments.input), options=_read_options(arguments))
    given = [role for role in ROLES if getattr(arguments, role) is not None]
    settings = with_found_columns(dataset, settings, given=given)
    if arguments.suggest:
        return _suggest(dataset, settings, rule, as_json=arguments.json)
    audit = audit_events(
        dataset,
        settings=settings,
        rule=rule,
        options=options,
        token_source=_token_source(arguments.pseudonym_seed),
    )
    written = _write_files(audit, dataset, arguments) if arguments.out_dir is not None else []
    if arguments.json:
        print_json(events_document(audit))
    else:
        print_lines(events_summary(audit))
        print_line("Written: " + ", ".join(written) if written else "No file is written without --out-dir.")
    return exit_code(audit.overall, incomplete=False)


def _suggest(dataset: Dataset, settings: EventSettings, rule: Rule, *, as_json: bool) -> int:
    """Print settings that keep most, as options; 0 where there are any, else 1."""
    found = suggest_settings(dataset, settings, rule)
    if as_json:
        print_json(suggestions_document(found))
    else:
        print_lines(suggestion_lines(found))
    return 0 if found.best else 1


def _settings(arguments: argparse.Namespace) -> EventSettings:
    leave_out = tuple(arguments.leave_out or DEFAULT_LEAVE_OUT)
    mapping = read_event_mapping(_existing(arguments.mapping)) if arguments.mapping else BUILT_IN_MAPPING
    return EventSettings(
        columns=EventSettings().columns if arguments.columns is None else _listed(arguments.columns),
        flatten=arguments.flatten,
        flatten_steps=_listed(arguments.flatten_steps),
        leave_out=() if arguments.leave_out_none else leave_out,
        hour_block=arguments.hour_block,
        mapping=mapping,
        user_column=arguments.user_column or EventSettings.user_column,
        time_column=arguments.time_column or EventSettings.time_column,
        event_column=arguments.event_column or EventSettings.event_column,
        time_format=arguments.time_format,
        near_equal_users=arguments.near_equal_users,
        any_value=arguments.any_value,
        sensitive=arguments.sensitive,
        leave_out_unreadable=arguments.leave_out_unreadable,
    )


def _read_options(arguments: argparse.Namespace) -> ReadOptions:
    return ReadOptions(
        delimiter=arguments.delimiter,
        header="none" if arguments.no_header else "auto",
        missing_spellings=() if arguments.no_missing_words else MISSING_SPELLINGS,
    )


def _listed(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return what stands between the commas of all that was given."""
    return tuple(part.strip() for text in given or () for part in text.split(",") if part.strip())


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise AuditInputError(f"There is no file {path}; check the path.")
    return path


def _token_source(seed: int | None) -> TokenSource:
    return secrets.token_bytes if seed is None else np.random.default_rng(seed).bytes


def _write_files(audit: EventAudit, dataset: Dataset, arguments: argparse.Namespace) -> list[str]:
    """Write the files of the release and return their paths."""
    files = release_files(audit.release, with_user_mapping=arguments.write_user_mapping)
    report = events_report(
        audit,
        inputs=[input_facts(dataset, "log")],
        outcomes=comparable_outcomes(
            audit.measured, k=audit.anonymized.rule.k, cap=audit.anonymized.rule.cap
        ),
        created_at=datetime.now(UTC),
    )
    files |= {f"events_report.{format_}": render(report, format_) for format_ in ("html", "xlsx", "json")}
    paths = {arguments.out_dir / name: data for name, data in files.items()}
    if arguments.input.resolve() in {path.resolve() for path in paths}:
        raise AuditInputError(f"{arguments.input} would be overwritten by the export; choose another folder.")
    try:
        arguments.out_dir.mkdir(parents=True, exist_ok=True)
        for path, data in paths.items():
            path.parent.mkdir(exist_ok=True)
            write_file(path, data, replace=True, private=path.parent.name == NOT_FOR_SHARING)
    except OSError as error:
        raise AuditInputError(
            f"The files cannot be written to {arguments.out_dir}: {error.strerror}. Choose another folder."
        ) from None
    for name in FILES_NOT_ALWAYS_WRITTEN:
        if name not in files and (arguments.out_dir / name).exists():
            print_warning(f"{arguments.out_dir / name} is of an earlier run, not of this export.")
    return [str(path) for path in paths]
