"""``python -m core leakage``: whether a participant is still in the scrambled table."""

import argparse
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from core.commands import risk_in_engine as in_engine
from core.commands.output import Audited, add_evidence_option
from core.commands.policies import judged, looks
from core.commands.reading import add_reading_options, add_text_options, place, read_options, table_reader
from core.free_text import read_cells
from core.leakage import LeakageAudit, LeakageSettings, LeakageThresholds, RowLeakage, audit_leakage
from core.leakage.attacks import AttackRate
from core.leakage.document import leakage_document, rows_document
from core.leakage.evidence import evidence_tables
from core.leakage.in_engine import audit_rows_in_engine
from core.leakage.proof import leakage_proof
from core.leakage.report import leakage_report, rows_report
from core.reports import Report, input_facts, origin_facts
from core.risk.in_engine import refused_in_engine
from core.settings_form import add_options, from_options
from core.verdict import Finding, Verdict
from core.words import Text, Written, counted, own, text

FORMS = (LeakageSettings, LeakageThresholds)
_TREATED = {"leave out": text("leave out"), "match": text("match"), "difference": text("difference")}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files, what to ignore, and the thresholds."""
    for name, about in (("original", "the original table"), ("scrambled", "the scrambled table")):
        parser.add_argument(name, type=place, metavar=name.upper(), help=about)
    in_engine.add_arguments(parser)
    parser.add_argument(
        "value",
        nargs="?",
        metavar="VALUE",
        help="a value to ignore, such as -999; the same as --ignore-value",
    )
    parser.add_argument(
        "columns",
        nargs="?",
        metavar="COLUMNS",
        help="columns to ignore, such as 0,1; the same as --ignore-column",
    )
    for form in FORMS:
        add_options(parser, form)
    parser.add_argument("--holdout", type=Path, metavar="FILE", help="records that were not scrambled")
    add_text_options(parser)
    add_reading_options(parser)
    add_evidence_option(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Audit the pair, print the result, return the exit code."""
    return audit(arguments).show(arguments)


def audit(arguments: argparse.Namespace) -> Audited:
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
        document=lambda: leakage_document(audited),
        lines=lambda: leakage_lines(audited),
        policy=lambda document: judged(arguments, document, looks(arguments, scrambled)),
        evidence=evidence_tables(audited, original) if arguments.evidence == "masked" else None,
        problems=(audited.measures.row_problem,) if no_pairs_by_key else (),
    )


def _audit_in_engine(
    arguments: argparse.Namespace, settings: LeakageSettings, thresholds: LeakageThresholds
) -> Audited:
    """Apply the row rules where the tables are."""
    asked = in_engine.asked_of_records(arguments, "holdout", "read")
    if settings.n_permutations is not None:
        asked.append("--random-orders")
    if asked:
        raise refused_in_engine(asked)
    (original, _), (scrambled, _) = map(in_engine.address_given, (arguments.original, arguments.scrambled))
    audited, origins = in_engine.in_thread(
        lambda is_stopped: audit_rows_in_engine(
            original,
            scrambled,
            settings=settings,
            thresholds=thresholds,
            options=read_options(arguments),
            memory=arguments.memory_limit,
            is_stopped=is_stopped,
        )
    )
    chance = audited.chance
    return Audited(
        verdict=audited.verdict,
        report=lambda created_at: rows_report(
            audited,
            inputs=[*map(origin_facts, origins, (own("original"), own("scrambled")))],
            created_at=created_at,
        ),
        document=lambda: rows_document(audited),
        lines=lambda: [
            *_figure_lines(audited.rows, settings.missing_on_both),
            *(
                text("Average Matching Cells per Row by Chance: {cells}", cells=_decimals(each))
                for each in ([] if chance is None else [chance.expected_total / audited.rows.n_rows])
            ),
            *_finding_lines(audited.findings, audited.verdict),
        ],
        policy=lambda document: judged(arguments, document),
        problems=audited.unanswered,
    )


def leakage_lines(audit: LeakageAudit) -> list[str]:
    """Return the result as lines for people."""
    measures = audit.measures
    return [
        *_row_lines(audit),
        *_whole_row_lines(audit),
        *(text("Note: {note}", note=own(note)) for note in measures.notes),
        *_finding_lines(audit.findings, audit.verdict),
    ]


def _finding_lines(findings: Sequence[Finding], verdict: Verdict) -> list[str]:
    told = [
        text("{verdict}: {message}", verdict=each.verdict.word, message=own(each.message))
        for each in findings
    ]
    return [*told, text("Verdict: {verdict}", verdict=verdict.word)]


def _row_lines(audit: LeakageAudit) -> list[str]:
    """Return the usual lines of the row rules, then chance; nothing where rows were not compared."""
    rows, orders = audit.measures.rows, audit.measures.random_orders
    if rows is None or orders is None:
        return []
    return [
        *_figure_lines(rows, audit.measures.settings.missing_on_both),
        text(
            "Partial Leakage by Chance: {mean} ({low} to {high}, {orders})",
            mean=_percent(orders.partial_share.mean),
            low=_percent(orders.partial_share.low),
            high=_percent(orders.partial_share.high),
            orders=counted(orders.n_permutations, "random order"),
        ),
        text(
            "Full Leakage by Chance: {mean} ({low} to {high})",
            mean=_percent(orders.full_share.mean),
            low=_percent(orders.full_share.low),
            high=_percent(orders.full_share.high),
        ),
        text(
            "Average Matching Cells per Row by Chance: {cells}",
            cells=_decimals(audit.measures.expected_matching_cells or 0),
        ),
    ]


def _figure_lines(rows: RowLeakage, both_missing: str) -> list[str]:
    return [
        text("Partial Leakage: {share}", share=_percent(rows.partial_leakage_share)),
        text("Full Leakage: {share}", share=_percent(rows.full_leakage_share)),
        text("Average Matching Cells per Row: {cells}", cells=_decimals(rows.mean_matching_cells)),
        text(
            "Standard Deviation of Matching Cells per Row: {cells}", cells=_decimals(rows.std_matching_cells)
        ),
        text(
            "Rows Without Valid Cells: {found} of {total}",
            found=rows.n_without_valid_cells,
            total=rows.n_rows,
        ),
        text("Cells Missing in Both Tables: {treated}", treated=_TREATED[both_missing]),
    ]


def _percent(share: float, decimals: int = 2) -> Text:
    return Written(f"{share:.{decimals}%}")


def _decimals(value: float, decimals: int = 2) -> Text:
    return Written(f"{value:,.{decimals}f}")


def _whole_row_lines(audit: LeakageAudit) -> list[Text]:
    """Return the lines of what does not depend on the order of rows."""
    whole, nearest, distances = audit.measures.whole_rows, audit.measures.nearest, audit.measures.distances
    lines = [
        text(
            "Whole Rows Found Anywhere: {found} of {total} (by chance {expected})",
            found=whole.n_exact,
            total=whole.n_original,
            expected=_decimals(whole.expected_exact),
        ),
        text(
            "Unique Whole Rows Found Anywhere: {found} of {total} (by chance {expected})",
            found=whole.n_unique_exact,
            total=whole.n_unique,
            expected=_decimals(whole.expected_unique_exact),
        ),
    ]
    if nearest.relink_share is not None:
        how = (
            "Re-linked Rows: {share} (of all rows)"
            if nearest.is_exact
            else "Re-linked Rows: {share} (of a random sample of {n} rows)"
        )
        lines.append(text(how, share=_percent(nearest.relink_share), n=nearest.n_assessed))
    lines += _found_lines(audit)
    lines.append(
        text(
            "Median Distance to Closest Record: {distance} ({rows})",
            distance=_decimals(distances.to_original.median_distance, 4),
            rows=counted(distances.n_rows, "scrambled row"),
        )
    )
    return lines


def _found_lines(audit: LeakageAudit) -> Iterator[Text]:
    """Return the lines of persons found and of attacks."""
    measures = audit.measures
    near, aside, attacks = measures.near_copies, measures.set_aside, measures.attacks
    yield text(
        "Rows That Point at One Person: {found} of {total} (by chance {expected})",
        found=near.excess.n_observed,
        total=near.n_rows,
        expected=_decimals(near.excess.n_expected),
    )
    if aside is not None and aside.rows is not None:
        share = _percent(aside.rows.full_leakage_share)
        yield text("Full Leakage Without Columns Set Aside: {share}", share=share)
    yield from (_attack_line(rate) for rate in (() if attacks is None else attacks.rates))
    if attacks is not None and attacks.membership is not None:
        low, high = attacks.membership.interval
        yield text(
            "Membership (Area Under the Curve): {auc} ({low} to {high}; smallest that would show {smallest})",
            auc=_decimals(attacks.membership.auc),
            low=_decimals(low),
            high=_decimals(high),
            smallest=_decimals(attacks.membership.smallest_shown),
        )


def _attack_line(rate: AttackRate) -> Text:
    low, high = rate.interval
    return text(
        "Attack, {attack}: {share} ({low} to {high}; naive {naive})"
        if rate.control_share is None
        else "Attack, {attack}: {share} ({low} to {high}; naive {naive}, hold-out {control})",
        attack=rate.named,
        share=_percent(rate.share, 1),
        low=_percent(low, 1),
        high=_percent(high, 1),
        naive=_percent(rate.naive_share, 1),
        control=_percent(rate.control_share or 0, 1),
    )
