"""``python -m core diversity``: which (k, l) keeps the model useful."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from core import diversity
from core.commands import earlier, output
from core.commands.audited import Audited
from core.commands.reading import table_reader
from core.demo import DEMO_ROLES, LABEL, diversity_table
from core.diversity.judging import accuracy_word
from core.diversity.result import diversity_result
from core.diversity.settings import ModelKind, contradictions
from core.errors import AuditInputError, refuse
from core.files.named_files import bytes_at, is_file, source_at
from core.files.plain_text import table_csv
from core.people.roles.headers import listed_names
from core.settings.asked import Asked
from core.settings.form import check, described, from_options, given_options
from core.tables import Dataset, read_dataset
from core.verdict import Verdict, exit_code
from core.words import Text, counted, input_error, say, text

if TYPE_CHECKING:
    from core.reports import Report
    from core.result import Table

TOOL = "diversity"
SHOWN_ROWS = 20
_ROLES = ("label", "sensitive_attributes", "quasi_identifiers")
_COLUMNS = (*_ROLES, "categorical", "left_out", "one_hot_groups", "predictions_column")


def run(arguments: Asked) -> int:
    """Search, print, return the exit code."""
    settings, data = _settings(arguments), _data(arguments)
    if arguments.rank_columns and (absent := _absent_roles(settings, arguments)):
        _check_columns(arguments, data)
        return _only_rank(data, absent, as_json=arguments.json)
    return audit(arguments).show(arguments)


def audit(arguments: Asked) -> Audited:
    """Search, and write the release where it is asked for."""
    started = time.perf_counter()
    settings, thresholds = _settings(arguments), from_options(diversity.DiversityThresholds, arguments)
    choice = _choice(arguments)
    if arguments.release is not None:
        output.check_new_files("--release", arguments.release)
    data = _data(arguments)
    _check_columns(arguments, data)
    if absent := _absent_roles(settings, arguments):
        raise AuditInputError(_absent("Say which columns to use: {options} is missing.", absent))
    training = table_reader(arguments)(arguments.train) if arguments.train else None
    problem = diversity.prepare_search(data, settings, choice, training=training)
    measured = diversity.measure_diversity(problem, n_jobs=arguments.jobs)
    before = earlier.read_before(arguments)
    pair = _pair(arguments, measured)
    audited = diversity.judge_diversity(measured, thresholds, pair=pair, earlier=before.releases)
    chosen = _chosen(audited, pair)
    _write_ledger(arguments, before, problem, chosen)
    further = _further(audited)
    ranked: Sequence[diversity.SinglingOut] = ()
    if arguments.rank_columns:
        ranked = diversity.rank_by_singling_out(data.table, data.columns)
        further["singling_out"] = [asdict(each) for each in ranked]
    written = _write_release(arguments.release, audited, chosen)
    further["seconds"] = round(time.perf_counter() - started, 3)

    def report(created_at: datetime) -> Report:
        from core.diversity.report import diversity_report  # noqa: PLC0415 - takes long to import

        return diversity_report(audited, chosen, created_at=created_at, earlier=before.facts())

    return Audited(
        verdict=audited.overall,
        report=report,
        further=further,
        result=lambda: diversity_result(audited, chosen),
        written=(*_offered_lines(audited), *_ranked_lines(ranked)),
        evidence=_evidence(audited, chosen) if arguments.evidence == "masked" else None,
        is_incomplete=not written,
        problems=before.problems,
        unread=before.problems,
    )


def _further(audited: diversity.DiversityAudit) -> dict[str, object]:
    """Return what --json prints beside the report: the accuracy on each split."""
    found = audited.stability
    if found is None:
        return {}
    accuracies = list(found.accuracies)
    return {"stability": {"accuracies": accuracies, "mean": found.mean, "low": found.low, "high": found.high}}


def _evidence(audited: diversity.DiversityAudit, chosen: diversity.Configuration | None) -> tuple[Table, ...]:
    """Return the records of the table, as it was given, in classes that are too small, masked."""
    from core.reports.evidence import small_class_evidence  # noqa: PLC0415 - takes long to import

    settings = audited.search.problem.settings
    k = settings.k_min if chosen is None else chosen.k
    return small_class_evidence([(audited.search.problem.data, settings.quasi_identifiers)], k=k)


def _absent_roles(settings: diversity.DiversitySettings, arguments: Asked) -> list[str]:
    told = described(diversity.DiversitySettings)
    needed = _ROLES[1:] if arguments.model == "none" else _ROLES
    return [told[name].flag for name in needed if not getattr(settings, name)]


def _pair(arguments: Asked, measured: diversity.DiversitySearch) -> tuple[int, int] | None:
    """Return the pair that was asked for, which has to be one of the search."""
    if arguments.pair is None:
        return None
    k, l = arguments.pair  # noqa: E741 - as the literature calls it
    if (k, l) not in measured.problem.settings.pairs:
        raise input_error("--pair: k = {k} and ℓ = {l} were not searched.", k=k, l=l)
    return k, l


def _chosen(
    audited: diversity.DiversityAudit, pair: tuple[int, int] | None
) -> diversity.Configuration | None:
    """Return the pair of k and l that was asked for, else the recommended one, where there is any."""
    recommended = audited.recommended
    if pair is None:
        return None if recommended is None else audited.search.configuration(recommended.k, recommended.l)
    return audited.search.configuration(*pair)


def _write_ledger(
    arguments: Asked,
    before: earlier.Before,
    problem: diversity.SearchProblem,
    chosen: diversity.Configuration | None,
) -> None:
    """Write the ledger of the release, where one is asked for."""
    if arguments.ledger is None:
        return
    table = None if chosen is None else diversity.ledger_table(problem, chosen)
    if chosen is None or table is None:
        raise AuditInputError("--ledger: no pair of k and ℓ meets the limits, so that there is no release.")
    before.write_ledger(arguments.ledger, [table], k=chosen.k)


def _settings(arguments: Asked) -> diversity.DiversitySettings:
    """Return what was chosen, a demo's own roles where it was not, and nothing for those still to choose."""
    roles: dict[str, Any] = dict.fromkeys(_ROLES[1:], ()) | {"label": ""}
    if arguments.demo:
        demo = DEMO_ROLES[arguments.demo]
        roles = dict(zip(_ROLES, (LABEL, (demo.sensitive_attribute,), demo.quasi_identifiers), strict=True))
    given = roles | given_options(diversity.DiversitySettings, arguments)
    settings = diversity.DiversitySettings(
        **given | ({"sensitive_bins": None} if arguments.bins == 0 else {})
    )
    check(settings, contradictions(settings))
    return diversity.as_published(settings) if arguments.reference_cells else settings


def _data(arguments: Asked) -> Dataset:
    if arguments.demo:
        file = diversity_table(arguments.demo)
        return read_dataset(file.data, name=file.name)
    if not is_file(arguments.data):
        raise input_error("{path} is not a file.", path=str(arguments.data))
    return table_reader(arguments)(arguments.data)


def _check_columns(arguments: Asked, data: Dataset) -> None:
    """Refuse columns that the table lacks."""
    told = {**described(diversity.DiversitySettings), **described(diversity.ModelChoice)}
    given = given_options(diversity.DiversitySettings, arguments) | given_options(
        diversity.ModelChoice, arguments
    )
    shown = listed_names(data.columns)
    refuse(
        text(
            "{option}: there is no column “{column}”; the table has {columns}.",
            option=told[name].flag,
            column=column,
            columns=shown,
        )
        for name in _COLUMNS
        for column in dict.fromkeys(_names(given.get(name, ())))
        if column not in data.columns
    )


def _names(given: str | Iterable[Any]) -> list[str]:
    """Return the columns in a name, in names, or in groups of names."""
    return [given] if isinstance(given, str) else [name for each in given for name in _names(each)]


def _only_rank(data: Dataset, absent: list[str], *, as_json: bool) -> int:
    """Print the ranking of the columns, for a person who has yet to choose the quasi-identifiers."""
    reason = _absent("Nothing was searched: {options} is missing.", absent)
    ranked = diversity.rank_by_singling_out(data.table, data.columns)
    document = {
        "tool": TOOL,
        "verdict": Verdict.NOT_ASSESSED,
        "overall": Verdict.NOT_ASSESSED,
        "reason": reason,
        "n_records": data.n_records,
        "singling_out": [asdict(each) for each in ranked],
    }
    if as_json:
        output.print_json(document)
    else:
        records = counted(data.n_records, "record")
        output.print_line(
            text(
                "{verdict}  {file}, {records}. {reason}",
                verdict=Verdict.NOT_ASSESSED.word,
                file=data.name,
                records=records,
                reason=reason,
            )
        )
        output.print_lines(_ranked_lines(ranked))
    return exit_code(Verdict.NOT_ASSESSED, incomplete=False)


def _absent(message: str, options: list[str]) -> Text:
    return text(message, options=", ".join(options))


def _choice(arguments: Asked) -> diversity.ModelChoice:
    kinds = (*get_args(ModelKind), "none")
    given: dict[str, Any] = {}
    if arguments.predictions:
        given["source"] = "predictions"
    elif arguments.model == "file":
        raise AuditInputError("The settings are of a model in a file of your own: name it with --model.")
    elif arguments.model is not None and arguments.model not in kinds:
        path = Path(arguments.model)
        if not is_file(path):
            raise input_error(
                "--model must be one of {kinds} or a skops file; {path} is neither.",
                kinds=", ".join(kinds),
                path=str(path),
            )
        given = {"source": "file", "file_name": source_at(path).name, "file": bytes_at(path)}
    choice = from_options(diversity.ModelChoice, arguments, **given)
    check(choice)
    return choice


def _write_release(
    path: Path | None, audit: diversity.DiversityAudit, chosen: diversity.Configuration | None
) -> bool:
    """Write the table of the pair; return False when it was asked for and there is none."""
    if path is None:
        return True
    if chosen is None or chosen.kept_set is None or not chosen.kept_set.n_kept:
        unwritten = "{path} was not written: no pair of k and ℓ meets the limits."
        output.print_problems((text(unwritten, path=str(path)),))
        return False
    data = table_csv(diversity.released_table(audit.search.problem, chosen.kept_set.kept_cells))
    output.write_new_files("--release", {path: data})
    return True


def _ranked_lines(ranked: Sequence[diversity.SinglingOut]) -> Iterator[str]:
    """Yield the columns, those that single out most first; nothing where they were not asked for."""
    if not ranked:
        return
    from core.diversity.result import singling_out_table  # noqa: PLC0415 - takes long to import
    from core.reports.as_text import table_lines  # noqa: PLC0415 - the same

    yield from table_lines(singling_out_table(ranked))


def _offered_lines(audit: diversity.DiversityAudit) -> Iterator[Text]:
    """Yield the pairs on the result list, and how many may be released beside them."""
    word = say(accuracy_word(audit.search.problem.settings.task, begins=False))
    if audit.offered:
        deletion, smallest = say("deletion"), say("min k")
        yield _cells(f"{'k':>5} {'ℓ':>5} {deletion:>9} {word:>9} {'NCP':>6} {smallest:>6} {'t':>6}")
    for each in audit.offered[:SHOWN_ROWS]:
        ncp = each.kept_set.ncp if each.kept_set else None
        k = each.verification.k if each.verification else None
        t = each.verification.t if each.verification else None
        accuracy = "-" if each.accuracy is None else f"{each.accuracy:.4f}"
        yield _cells(
            f"{each.k:>5} {each.l:>5} {each.deletion_ratio:>9.4f} {accuracy:>9} {ncp:>6.3f} {k:>6} {t:>6.3f}"
        )
    yield from _rest(len(audit.offered))
    if unlisted := sum(each.status is diversity.Status.NO_DELETION for each in audit.search.configurations):
        yield text(
            "{n} pair removes nothing and can be released, beside those on the list; --json prints all",
            "{n} pairs remove nothing and can be released, beside those on the list; --json prints all",
            n=unlisted,
        )


def _rest(n_rows: int) -> Iterator[Text]:
    if n_rows > SHOWN_ROWS:
        yield text("… and {more} more; --json prints all", more=n_rows - SHOWN_ROWS)


def _cells(line: str) -> Text:
    return text("{cells}", cells=line)
