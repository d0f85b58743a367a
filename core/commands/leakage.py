"""``python -m core leakage``: whether a participant is still in the scrambled table."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path

from core.commands.output import Audited, add_evidence_option
from core.commands.policies import judged, looks
from core.commands.reading import add_reading_options, add_text_options, table_reader
from core.free_text import read_cells
from core.leakage import LeakageAudit, LeakageSettings, LeakageThresholds, audit_leakage
from core.leakage.attacks import AttackRate
from core.leakage.document import leakage_document
from core.leakage.views import evidence_tables, leakage_proof, leakage_report
from core.reports import Report, input_facts
from core.settings_form import add_options, from_options
from core.words import Text, Written, counted, own, text

FORMS = (LeakageSettings, LeakageThresholds)
_TREATED = {"leave out": text("leave out"), "match": text("match"), "difference": text("difference")}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files, what to ignore, and the thresholds."""
    parser.add_argument("original", type=Path, metavar="ORIGINAL", help="the original table")
    parser.add_argument("scrambled", type=Path, metavar="SCRAMBLED", help="the scrambled table")
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
    _take_positions(arguments)
    read = table_reader(arguments)
    settings = from_options(LeakageSettings, arguments)
    thresholds = from_options(LeakageThresholds, arguments)
    tables = {
        own("original"): read(arguments.original),
        own("scrambled"): read(arguments.scrambled),
    }
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


def _take_positions(arguments: argparse.Namespace) -> None:
    """Add what is to be ignored and stands behind the tables to what options say."""
    for option, given in (("ignore_value", arguments.value), ("ignore_column", arguments.columns)):
        if given is not None:
            setattr(arguments, option, [*(getattr(arguments, option) or ()), given])


def leakage_lines(audit: LeakageAudit) -> list[str]:
    """Return the result as lines for people."""
    measures = audit.measures
    return [
        *_row_lines(audit),
        *_whole_row_lines(audit),
        *(text("Note: {note}", note=own(note)) for note in measures.notes),
        *(
            text("{verdict}: {message}", verdict=finding.verdict.word, message=own(finding.message))
            for finding in audit.findings
        ),
        text("Verdict: {verdict}", verdict=audit.verdict.word),
    ]


def _row_lines(audit: LeakageAudit) -> list[str]:
    """Return the usual lines of the row rules, then chance; nothing where rows were not compared."""
    rows, orders = audit.measures.rows, audit.measures.random_orders
    if rows is None or orders is None:
        return []
    both_missing = audit.measures.settings.missing_on_both
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


def _found_lines(audit: LeakageAudit) -> list[Text]:
    """Return the lines of persons found and of attacks."""
    measures = audit.measures
    near, aside, attacks = measures.near_copies, measures.set_aside, measures.attacks
    lines = [
        text(
            "Rows That Point at One Person: {found} of {total} (by chance {expected})",
            found=near.excess.n_observed,
            total=near.n_rows,
            expected=_decimals(near.excess.n_expected),
        )
    ]
    if aside is not None and aside.rows is not None:
        share = _percent(aside.rows.full_leakage_share)
        lines.append(text("Full Leakage Without Columns Set Aside: {share}", share=share))
    lines += [_attack_line(rate) for rate in (() if attacks is None else attacks.rates)]
    if attacks is not None and attacks.membership is not None:
        low, high = attacks.membership.interval
        lines.append(
            text(
                "Membership (Area Under the Curve): {auc} ({low} to {high}; smallest that would show "
                "{smallest})",
                auc=_decimals(attacks.membership.auc),
                low=_decimals(low),
                high=_decimals(high),
                smallest=_decimals(attacks.membership.smallest_shown),
            )
        )
    return lines


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
