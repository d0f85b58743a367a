"""``python -m core leakage``: whether a participant is still in the scrambled table."""

from datetime import datetime

from core.commands import engines as in_engine
from core.commands.audited import Audited
from core.commands.reading import table_reader
from core.leakage import LeakageSettings, LeakageThresholds, audit_leakage
from core.leakage.evidence import evidence_tables
from core.leakage.in_engine import audit_rows_in_engine
from core.leakage.proof import leakage_proof
from core.leakage.report import leakage_report, rows_report
from core.leakage.result import leakage_result, rows_result
from core.people.free_text import read_cells
from core.policies.of_report import looks
from core.reports import Report, input_facts, origin_facts
from core.settings.asked import Asked
from core.settings.form import from_options
from core.words import own


def audit(arguments: Asked) -> Audited:
    """Audit the pair."""
    # What stands behind the tables is to be ignored, as what options say.
    for option, given in (("ignore_value", arguments.value), ("ignore_column", arguments.columns)):
        if given is not None:
            setattr(arguments, option, [*(getattr(arguments, option) or ()), given])
    settings = from_options(LeakageSettings, arguments)
    thresholds = from_options(LeakageThresholds, arguments)
    if isinstance(arguments.original, str) or isinstance(arguments.scrambled, str):
        return _audit_in_engine(arguments, settings, thresholds)
    read = table_reader(arguments)
    tables = {own("original"): read(arguments.original), own("scrambled"): read(arguments.scrambled)}
    if arguments.holdout is not None:
        tables[own("hold-out")] = read(arguments.holdout)
    original, scrambled, *holdout = tables.values()
    audited = audit_leakage(
        original,
        scrambled,
        settings=settings,
        thresholds=thresholds,
        holdout=holdout[0] if holdout else None,
        read=read_cells(arguments.read),
        text_model=arguments.text_model,
    )
    no_pairs_by_key = audited.measures.settings.key is not None and bool(audited.measures.row_problem)

    def report(created_at: datetime) -> Report:
        facts = [input_facts(table, role) for role, table in tables.items()]
        made = leakage_report(audited, inputs=facts, created_at=created_at)
        return made.with_tables(leakage_proof(audited, original, scrambled))

    return Audited(
        verdict=audited.verdict,
        report=report,
        result=lambda: leakage_result(audited),
        looks=lambda policy: looks(policy, scrambled),
        evidence=evidence_tables(audited, original) if arguments.evidence == "masked" else None,
        problems=(audited.measures.row_problem,) if no_pairs_by_key else (),
    )


def _audit_in_engine(arguments: Asked, settings: LeakageSettings, thresholds: LeakageThresholds) -> Audited:
    """Apply the row rules where the tables are."""
    in_engine.refuse_records(arguments, *([] if settings.n_permutations is None else ["--random-orders"]))
    (original, _), (scrambled, _) = map(in_engine.address_given, (arguments.original, arguments.scrambled))
    audited, origins = in_engine.measured(
        arguments,
        audit_rows_in_engine,
        original,
        scrambled,
        settings=settings,
        thresholds=thresholds,
    )
    return Audited(
        verdict=audited.verdict,
        report=lambda created_at: rows_report(
            audited,
            inputs=[*map(origin_facts, origins, (own("original"), own("scrambled")))],
            created_at=created_at,
        ),
        result=lambda: rows_result(audited),
        problems=audited.unanswered,
    )
