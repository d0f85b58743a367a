"""What ``python -m core diversity`` does once its arguments are read."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.commands.output import print_json, print_line, print_problems, write_new_files
from core.demo.diversity import DEMO_ROLES, LABEL, demo_file
from core.diversity import (
    Configuration,
    DiversityAudit,
    DiversitySettings,
    DiversityThresholds,
    ModelChoice,
    Status,
    as_published,
    generalizations,
    generalizations_document,
    judge_diversity,
    measure_diversity,
    prepare_search,
    rank_by_singling_out,
    released_table,
    repeat_configuration,
)
from core.errors import AuditInputError
from core.plain import table_csv
from core.tables import Dataset, read_dataset
from core.verdict import Verdict, exit_code

TOOL = "diversity"
MODEL_KINDS = ("tree", "forest", "boosting", "logistic")
SHOWN_ROWS = 20


def run(arguments: argparse.Namespace) -> int:
    """Search, print, return the exit code."""
    started = time.perf_counter()
    data = _data(arguments)
    _check_columns(arguments, data)
    if arguments.rank_columns and (absent := _absent_roles(arguments)):
        return _only_rank(data, absent, as_json=arguments.json)
    settings = _settings(arguments)
    training = read_dataset(arguments.train) if arguments.train else None
    problem = prepare_search(data, settings, _choice(arguments), training=training)
    measured = measure_diversity(problem, n_jobs=arguments.jobs)
    thresholds = DiversityThresholds(
        min_accuracy=arguments.min_accuracy, max_deletion=arguments.max_deletion, sort=arguments.sort
    )
    audit = judge_diversity(measured, thresholds)
    document = audit_document(audit)
    if arguments.repeats and audit.recommended is not None:
        chosen = measured.configuration(audit.recommended.k, audit.recommended.l)
        stability = repeat_configuration(problem, chosen, n_repeats=arguments.repeats)
        document["stability"] = {"accuracies": list(stability.accuracies), "mean": stability.mean,
                                 "low": stability.low, "high": stability.high}  # fmt: skip
    if arguments.rank_columns:
        document["singling_out"] = singling_out_document(data)
    written = _write_release(arguments.release, audit)
    document["seconds"] = round(time.perf_counter() - started, 3)
    if arguments.json:
        print_json(document)
    else:
        _print_text(audit, document)
    return exit_code(audit.overall, incomplete=not written)


def _data(arguments: argparse.Namespace) -> Dataset:
    if arguments.demo:
        file = demo_file(arguments.demo)
        return read_dataset(file.data, name=file.name)
    if not arguments.data.is_file():
        raise AuditInputError(f"{arguments.data} is not a file.")
    return read_dataset(arguments.data)


def _check_columns(arguments: argparse.Namespace, data: Dataset) -> None:
    """Refuse columns that the table lacks."""
    given = {
        "--label": [arguments.label],
        "--sensitive": arguments.sensitive,
        "--quasi-identifier": arguments.quasi_identifier,
        "--categorical": arguments.categorical,
        "--leave-out": arguments.leave_out,
        "--one-hot-group": [name for group in arguments.one_hot_group for name in group],
        "--predictions": [arguments.predictions],
    }
    shown = ", ".join(data.columns[:20]) + (", …" if len(data.columns) > 20 else "")
    problems = [
        f"{option}: there is no column “{name}”; the table has {shown}."
        for option, names in given.items()
        for name in dict.fromkeys(names or ())
        if name is not None and name not in data.columns
    ]
    if problems:
        raise AuditInputError(*problems)


def _absent_roles(arguments: argparse.Namespace) -> list[str]:
    """Return the options that say what the columns are and were not given; a demo knows its own."""
    if arguments.demo:
        return []
    given = {
        "--label": arguments.label,
        "--sensitive": arguments.sensitive,
        "--quasi-identifier": arguments.quasi_identifier,
    }
    return [option for option, value in given.items() if not value]


def _settings(arguments: argparse.Namespace) -> DiversitySettings:
    demo = DEMO_ROLES[arguments.demo] if arguments.demo else None
    label = arguments.label or (LABEL if demo else None)
    sensitive = arguments.sensitive or ([demo.sensitive_attribute] if demo else None)
    quasi_identifiers = arguments.quasi_identifier or (list(demo.quasi_identifiers) if demo else None)
    if absent := _absent_roles(arguments):
        raise AuditInputError(f"Say which columns to use: {', '.join(absent)} is missing.")
    settings = DiversitySettings(
        label=str(label),
        sensitive_attributes=tuple(sensitive or ()),
        quasi_identifiers=tuple(quasi_identifiers or ()),
        k_min=arguments.k_min,
        k_max=arguments.k_max,
        l_min=arguments.l_min,
        target_accuracy=arguments.target_accuracy,
        cells=arguments.cells,
        diversity=arguments.diversity,
        recursive_c=arguments.recursive_c,
        sensitive_bins=arguments.bins or None,
        categorical=tuple(arguments.categorical),
        one_hot_groups=tuple(tuple(group) for group in arguments.one_hot_group),
        left_out=tuple(arguments.leave_out),
        task="regression" if arguments.regression else "classification",
    )
    return as_published(settings) if arguments.reference_cells else settings


def _only_rank(data: Dataset, absent: list[str], *, as_json: bool) -> int:
    """Print the ranking of the columns, for a person who has yet to choose the quasi-identifiers."""
    document = {
        "tool": TOOL,
        "verdict": Verdict.NOT_ASSESSED,
        "overall": Verdict.NOT_ASSESSED,
        "reason": f"Nothing was searched: {', '.join(absent)} is missing.",
        "n_records": data.n_records,
        "singling_out": singling_out_document(data),
    }
    if as_json:
        print_json(document)
    else:
        print_line(f"{Verdict.NOT_ASSESSED}  {data.name}, {data.n_records:,} records. {document['reason']}")
        _print_singling_out(document)
    return exit_code(Verdict.NOT_ASSESSED, incomplete=False)


def singling_out_document(data: Dataset) -> list[dict[str, object]]:
    """Return all columns, those that single out most first, as plain values for JSON."""
    return [asdict(each) for each in rank_by_singling_out(data.table, data.columns)]


def _choice(arguments: argparse.Namespace) -> ModelChoice:
    common = {
        "seed": arguments.model_seed,
        "test_size": arguments.test_size,
        "split_seed": arguments.split_seed,
    }
    if arguments.predictions:
        return ModelChoice(source="predictions", predictions_column=arguments.predictions, **common)
    if arguments.model in MODEL_KINDS:
        return ModelChoice(source=arguments.model, **common)
    path = Path(arguments.model)
    if not path.is_file():
        raise AuditInputError(
            f"The model must be one of {', '.join(MODEL_KINDS)} or a skops file; "
            f"{arguments.model} is neither."
        )
    return ModelChoice(source="file", file_name=path.name, file=path.read_bytes(), **common)


def audit_document(audit: DiversityAudit) -> dict[str, object]:
    """Return the audit as plain values for JSON."""
    problem = audit.search.problem
    recommended = audit.recommended
    return {
        "tool": TOOL,
        "verdict": audit.verdict,
        "overall": audit.overall,
        "accuracy_is": "accuracy" if problem.settings.task == "classification" else "R²",
        "base_accuracy": problem.base_accuracy,
        "base_balanced_accuracy": problem.base_balanced_accuracy,
        "base_baseline_accuracy": problem.base_baseline,
        "n_records": problem.n_records,
        "model": problem.inputs.model.description if problem.inputs.model else "column of predictions",
        "configurations": [configuration_document(each) for each in _listed(audit)],
        "pareto": [[each.k, each.l] for each in audit.pareto],
        "recommended": None
        if recommended is None
        else {"k": recommended.k, "l": recommended.l, "reason": recommended.reason},
        "sensitive_bins": {
            each.name: None if each.edges is None else each.edges.tolist() for each in problem.sensitive
        },
        "findings": [finding.document() for finding in audit.findings],
    }


def _listed(audit: DiversityAudit) -> list[Configuration]:
    """Return the result list in its order, then every other configuration in the order of the grid."""
    offered = {id(each) for each in audit.offered}
    return [*audit.offered, *(each for each in audit.search.configurations if id(each) not in offered)]


def configuration_document(configuration: Configuration) -> dict[str, object]:
    """Return one configuration as plain values for JSON."""
    evaluation, verification = configuration.evaluation, configuration.verification
    kept_set = configuration.kept_set
    return {
        "k": configuration.k,
        "l": configuration.l,
        "deletion_ratio": configuration.deletion_ratio,
        "accuracy": configuration.accuracy,
        "accuracy_low": evaluation.accuracy_low if evaluation else None,
        "accuracy_high": evaluation.accuracy_high if evaluation else None,
        "balanced_accuracy": evaluation.balanced_accuracy if evaluation else None,
        "baseline_accuracy": evaluation.baseline_accuracy if evaluation else None,
        "n_holdout": evaluation.n_holdout if evaluation else None,
        "anonymized_accuracy": evaluation.anonymized_accuracy if evaluation else None,
        "ncp": kept_set.ncp if kept_set else None,
        "minimization_ncp": evaluation.minimization_ncp if evaluation else None,
        "stored": configuration.stored,
        "reason": configuration.status.value,
        "min_k": verification.k if verification else None,
        "distinct_l": verification.distinct_l if verification else None,
        "entropy_l": verification.entropy_l if verification else None,
        "t": verification.t if verification else None,
        "generalizations": generalizations_document(generalizations(evaluation.minimization))
        if evaluation
        else None,
    }


def _write_release(path: Path | None, audit: DiversityAudit) -> bool:
    """Write the recommended table; return False when it was asked for and there is none."""
    if path is None:
        return True
    if audit.recommended is None:
        print_problems((f"{path} was not written: no pair of k and l meets the limits.",))
        return False
    chosen = audit.search.configuration(audit.recommended.k, audit.recommended.l)
    if chosen.kept_set is not None:
        data = table_csv(released_table(audit.search.problem, chosen.kept_set.kept_cells))
        write_new_files("--release", {path: data})
    return True


def _print_text(audit: DiversityAudit, document: dict[str, object]) -> None:
    problem = audit.search.problem
    print_line(
        f"{audit.overall}  (result: {audit.verdict})  {problem.data.name}, {problem.n_records:,} records"
    )
    word = "accuracy" if problem.settings.task == "classification" else "R²"
    guess = "" if word == "R²" else f"; the most frequent label alone {problem.base_baseline:.4f}"
    print_line(f"model: {document['model']}, {word} on untouched records {problem.base_accuracy:.4f}{guess}")
    print_line(
        f"{len(audit.search.configurations):,} pairs of k and l, {len(audit.offered):,} on the result list"
    )
    if audit.offered:
        print_line(f"{'k':>5} {'l':>5} {'deletion':>9} {word:>9} {'NCP':>6} {'min k':>6} {'t':>6}")
    for each in audit.offered[:SHOWN_ROWS]:
        ncp = each.kept_set.ncp if each.kept_set else None
        k = each.verification.k if each.verification else None
        t = each.verification.t if each.verification else None
        print_line(
            f"{each.k:>5} {each.l:>5} {each.deletion_ratio:>9.4f} {each.accuracy:>9.4f} "
            f"{ncp:>6.3f} {k:>6} {t:>6.3f}"
        )
    if len(audit.offered) > SHOWN_ROWS:
        print_line(f"… and {len(audit.offered) - SHOWN_ROWS:,} more; --json prints all")
    if unlisted := sum(each.status is Status.NO_DELETION for each in audit.search.configurations):
        remove = "1 pair removes" if unlisted == 1 else f"{unlisted:,} pairs remove"
        print_line(f"{remove} nothing and can be released, beside those on the list; --json prints all")
    if audit.recommended is not None:
        print_line(f"recommended: {audit.recommended.reason}")
    if "stability" in document:
        print_line(f"over seeds: {json.dumps(document['stability'])}")
    if "singling_out" in document:
        _print_singling_out(document)
    for finding in audit.findings:
        print_line(f"{finding.verdict}: {finding.message}")
    sys.stdout.flush()


def _print_singling_out(document: Mapping[str, Any]) -> None:
    ranked = document["singling_out"]
    print_line("columns by the share of records they single out, alone and with those above:")
    print_line(f"{'alone':>9} {'with above':>10} {'values':>8}  column")
    for each in ranked[:SHOWN_ROWS]:
        print_line(
            f"{each['unique_share']:>9.4f} {each['unique_share_with_former']:>10.4f} "
            f"{each['n_values']:>8,}  {each['column']}"
        )
    if len(ranked) > SHOWN_ROWS:
        print_line(f"… and {len(ranked) - SHOWN_ROWS:,} more; --json prints all")
