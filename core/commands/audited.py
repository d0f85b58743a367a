"""What an audit of a command came to: printed, as JSON, and as the report that is filed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.commands.output import (
    print_json,
    print_line,
    print_lines,
    print_problems,
    print_warning,
    unwritable,
    write_new_files,
)
from core.errors import AuditInputError
from core.files.named_files import write_file
from core.files.plain_text import json_value
from core.languages import ENGLISH
from core.policies import judge_policy
from core.policies.of_report import with_outcome
from core.settings.asked import Asked
from core.settings.options import FORMATS
from core.verdict import Verdict, exit_code
from core.words import input_error, own, speaking, text

if TYPE_CHECKING:
    from core.policies import Policy, PolicyOutcome
    from core.policies.judging import Columns
    from core.reports import Report
    from core.result import Result, Table

_NOTHING = (
    "Nothing was audited: what was named holds no input of this tool. Check the path, and what is in it."
)


@dataclass(frozen=True, kw_only=True)
class Audited:
    """What a command found, before any of it is printed or written; each is made when it is asked for."""

    verdict: Verdict
    report: Callable[[datetime], Report]  # what --json prints, and policies are held against
    result: Callable[[], Result]  # what is printed else, as lines
    tables: tuple[str, ...] = ()  # groups of the result whose tables are printed
    is_told: bool = False  # whether its files were printed as each was done
    written: tuple[str, ...] = ()  # lines about files that were written
    evidence: Sequence[Table] | None = None  # records behind the result, masked, where asked for
    looks: Callable[[Policy], Columns] | None = None  # what the columns of the release look like
    policy: Policy | None = None  # that the report is held against
    further: Mapping[str, object] = field(default_factory=dict)  # what --json prints of this very run alone
    seconds: Sequence[float] = ()  # that each file of the run took, in the order of the report
    problems: tuple[str, ...] = ()  # the input that could not be used
    problem_files: tuple[str, ...] = ()  # the file of each, where they are of files
    unread: tuple[str, ...] = ()  # those of files that the report says nothing of, so that it is not whole
    warnings: tuple[str, ...] = ()  # what the person may have overlooked
    is_incomplete: bool = False
    n_audited: int = 1  # of files, or of what else a tool has a verdict for

    def show(self, arguments: Asked) -> int:
        """Print the result, write the report where it is asked for, and return the exit code.

        AuditInputError: nothing was audited, and nothing says why; a folder may not be there as it should.
        """
        if not (self.n_audited or self.problems or self.is_incomplete):
            raise AuditInputError(_NOTHING)
        return self.asked_by(arguments)._show(arguments)

    def _show(self, arguments: Asked) -> int:
        print_problems(self.problems)
        if arguments.json:
            print_json(self.document())
        else:
            outcome = self._outcome(self._report)
            print_lines([*self._lines(), *self.written, *(outcome.lines if outcome else ())])
            print_evidence(self.evidence or ())
        for warning in self.warnings:
            print_warning(warning)
        self.write_report(arguments)
        return exit_code(self.verdict, incomplete=self.is_incomplete or bool(self.problems))

    def _lines(self) -> Iterable[str]:
        from core.reports.as_text import lines_of  # noqa: PLC0415 - takes long to import

        return () if self.is_told else lines_of(self.result(), tables=self.tables)

    @cached_property
    def _report(self) -> Report:
        """Return the report, which is made once, whatever it is printed and written as."""
        return self.report(datetime.now(UTC)).beside_unread([str(problem) for problem in self.unread])

    def asked_by(self, *runs: Asked) -> Audited:
        """Return the same held against the policy, beside files that could not be read when it was filed."""
        absent = tuple(own(each) for one in runs for each in getattr(one, "not_read", ()))
        return replace(
            self,
            policy=runs[0].policy,
            problems=(*self.problems, *absent),
            unread=(*self.unread, *absent),
        )

    def _outcome(self, report: Report) -> PolicyOutcome | None:
        """Hold the result against the policy asked for; None where none is."""
        if self.policy is None:
            return None
        return judge_policy(self.policy, report, None if self.looks is None else self.looks(self.policy))

    def document(self) -> dict[str, Any]:
        """Return what ``--json`` prints: the report, with what went wrong and how long files took."""
        from core.reports import render_json  # noqa: PLC0415 - takes long to import

        document: dict[str, Any] = json.loads(render_json(self.full_report(self._report.created_at)))
        with speaking(ENGLISH):
            of_files = zip_longest(self.problem_files, self.problems, fillvalue="")
            errors = [{"file": file, "message": str(problem)} for file, problem in of_files]
            further = json_value(self.further)
        files: list[dict[str, Any]] = next(
            (document[key] for key in ("files", "pairs") if key in document), []
        )
        for file, seconds in zip(files, self.seconds, strict=False):
            file["seconds"] = round(seconds, 3)
        return {"errors": errors, **document, **further}  # type: ignore[dict-item]

    def full_report(self, created_at: datetime) -> Report:
        """Return the report, with the policy and the evidence that were asked for."""
        report = replace(self._report, created_at=created_at)
        if (outcome := self._outcome(report)) is not None:
            report = with_outcome(report, outcome)
        return report if self.evidence is None else report.with_evidence(self.evidence)

    def write_report(self, arguments: Asked) -> None:
        """Write the report in the formats asked for, and say where it is."""
        if arguments.report is None:
            return
        from core.reports import RENDERERS, content_digest, report_stem  # noqa: PLC0415 - takes long to import

        folder: Path = arguments.report
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AuditInputError(unwritable("--report", folder, error, "Choose another folder.")) from None
        renderers = {name: RENDERERS[name] for name in formats_of(arguments)}
        while True:
            report = self.full_report(created_at := datetime.now(UTC))
            stem = report_stem(report.tool, created_at, content_digest(report))
            files = {
                folder / f"{stem}.{each.extension}": each.function(report) for each in renderers.values()
            }
            if not any(folder.glob(f"{stem}.*")):
                try:
                    write_new_files("--report", files)
                    break
                except AuditInputError:
                    if not any(map(os.path.lexists, files)):
                        raise
            time.sleep(1)  # the same was reported in this very second, and names tell no less
        index = _write_index(folder) if "html" in renderers else None
        if not arguments.json:
            print_line(text("Report: {file}", file=", ".join(map(str, files))))
            if index is not None:
                print_line(text("All reports of the folder, the worst first: {file}", file=str(index)))


def _write_index(folder: Path) -> Path | None:
    """Write the page that lists a folder's reports anew; None where it lists one alone, or is not ours."""
    from core.reports.index import INDEX, is_index, render_index  # noqa: PLC0415 - takes long to import

    path, data = folder / INDEX, render_index(folder)
    if data is None:
        return None
    try:
        ours = is_index(path) if path.exists() or path.is_symlink() else True
        if ours:
            write_file(path, data, replace=True)
            return path
        print_warning(text("{file} is no index of AnonAudit and was left as it is.", file=str(path)))
    except OSError as error:
        print_warning(unwritable("--report", path, error, "The reports are there."))
    return None


def check_report_options(arguments: Asked) -> None:
    """Refuse a report that cannot be written, before any work is done."""
    if arguments.report is not None and arguments.report.exists() and not arguments.report.is_dir():
        no_folder = "--report: {folder} is not a folder; choose another name."
        raise input_error(no_folder, folder=str(arguments.report))
    formats_of(arguments)


def memory_asked_for(arguments: Asked) -> int | None:
    """Return the bytes of memory that a process may take, where that was asked for."""
    megabytes: int | None = arguments.memory
    if megabytes is not None and megabytes < 1:
        raise input_error("--memory must be at least 1 MB; received {given}.", given=megabytes)
    return None if megabytes is None else megabytes << 20


def formats_of(arguments: Asked) -> list[str]:
    """Return the formats that are asked for."""
    asked = [part.strip() for part in arguments.formats.split(",") if part.strip()]
    if not asked or not {*asked} <= {*FORMATS}:
        message = "--formats must be among {formats}, with commas between them; received {given}."
        raise input_error(message, formats=", ".join(FORMATS), given=arguments.formats)
    return list(dict.fromkeys(asked))


def print_evidence(tables: Iterable[Table]) -> None:
    """Print tables of evidence, a line a record."""
    from core.reports.model import headings, said_rows  # noqa: PLC0415 - takes long to import

    for table in tables:
        print_line(text("Evidence: {title}", title=own(table.title)))
        for row in (headings(table.columns), *said_rows(table)):
            print_line(text("  {cells}", cells=" | ".join("" if cell is None else str(cell) for cell in row)))
