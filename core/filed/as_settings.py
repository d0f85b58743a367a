"""A report, filed or just made, as the settings that repeat it, on whatever files."""

from core.errors import AuditInputError
from core.filed.reading import FiledReport, read_report
from core.policies import shipped_names
from core.reports import Report
from core.settings.files import (
    Opened,
    ToolSettings,
    first_problems,
    known_settings,
    of_another_tool,
    refuse_impossible,
    settings_asked,
)
from core.words import Text, input_error, text


def settings_in_report(data: bytes, *, name: str, tool: str) -> Opened:
    """Return what the audit of a report was asked, and notes on what a run with it does otherwise.

    Raises
    ------
    AuditInputError
        No report of ours, one of another tool, or one that does not say how it is repeated.
    """
    report = read_report(data, name=name)
    if report.tool != tool:
        raise of_another_tool(name, given=report.tool, tool=tool)
    if not report.arguments:
        nothing = (
            "{file} does not say what was asked: nothing was verified in it, or it was asked in an engine."
        )
        raise input_error(nothing, file=name)
    named = str(report.policy.get("name", ""))
    try:
        settings = settings_of(report, policy=named)
    except AuditInputError as error:
        raise AuditInputError(*first_problems(error.problems, name=name)) from None
    refuse_impossible(settings, name=name)
    return Opened(settings=settings, notes=tuple(_notes(report, named, settings.policy)))


def settings_of(report: FiledReport | Report, *, policy: str) -> ToolSettings:
    """Return what a report was asked, what a file of settings that it names held, and a policy of ours."""
    words = {word for run in report.arguments for word in run}
    held = {
        name: report.asked[name]
        for name, told in known_settings(report.tool).items()
        if not told.is_plain and told.flag in words and name in report.asked
    }
    settings = settings_asked(report.tool, report.arguments, further=held)
    return settings.with_policy(policy if policy in shipped_names() else "")


def _notes(report: FiledReport, named: str, policy: str) -> list[Text]:
    """Say what was changed since the report was made, and whose limits are not at hand."""
    notes = []
    if report.changed:
        notes.append(report.told_changed)
    if named and not policy:
        absent = "{file} names the policy {name}, which does not come along. Give it by --policy."
        notes.append(text(absent, file=report.name, name=named))
    return notes
