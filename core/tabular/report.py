"""The report of a run of the tabular verifier."""

from collections.abc import Sequence
from datetime import datetime

from core.reports import Report, placed, report_of
from core.tabular import FilePair, LeftOutFile
from core.tabular.document import tabular_arguments, tabular_document
from core.tabular.result import run_result
from core.tabular.tool import TOOL
from core.tabular.verified import VerifiedFile

_FILES = ("original", "anonymized", "log")


def tabular_report(
    files: Sequence[VerifiedFile], *, skipped: Sequence[LeftOutFile] = (), created_at: datetime, k: int = 5
) -> Report:
    """Return the report of a run: counts, column names and masked shapes, no cell values."""
    inputs = placed(facts for file in files for facts in file.inputs)
    paths = [facts.path for facts in inputs]
    is_known = all(len(file.inputs) == len(_FILES) and file.is_repeatable for file in files)
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
        document=tabular_document(audits, skipped),
        arguments=tabular_arguments(audits, pairs, skipped) if is_known else (),
    )
    return report.with_tables(table for file in files for table in file.prove())
