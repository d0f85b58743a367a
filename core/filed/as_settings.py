"""A filed report as the settings that repeat it, on whatever files."""

from core.errors import AuditInputError
from core.filed.reading import FiledReport, read_report
from core.policies import shipped_names
from core.settings_files import Opened, first_problems, refuse_impossible, settings_asked
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
        other = "{file} holds settings of {given}, not of {tool}."
        raise input_error(other, file=name, given=report.tool, tool=tool)
    if not report.arguments:
        nothing = (
            "{file} does not say what was asked: nothing was verified in it, or it was asked in an engine."
        )
        raise input_error(nothing, file=name)
    named = str(report.policy.get("name", ""))
    further = {"mapping": mapping} if (mapping := report.asked.get("mapping")) and _names_one(report) else {}
    try:
        settings = settings_asked(tool, report.arguments, further=further)
    except AuditInputError as error:
        raise AuditInputError(*first_problems(error.problems, name=name)) from None
    refuse_impossible(settings, name=name)
    policy = named if named in shipped_names() else ""
    return Opened(settings=settings.with_policy(policy), notes=tuple(_notes(report, named, policy)))


def _names_one(report: FiledReport) -> bool:
    return any("--mapping" in words for words in report.arguments)


def _notes(report: FiledReport, named: str, policy: str) -> list[Text]:
    """Say what was changed since the report was made, and whose limits are not at hand."""
    notes = []
    if report.changed:
        changed = "{file}: changed since it was made, in: {parts}."
        notes.append(text(changed, file=report.name, parts=", ".join(report.changed)))
    if named and not policy:
        absent = "{file} names the policy {name}, which does not come along. Give it by --policy."
        notes.append(text(absent, file=report.name, name=named))
    return notes
