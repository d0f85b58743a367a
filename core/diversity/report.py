"""The report of a (k, l) search, and the files for programs that are offered beside it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import pandas as pd

from core.diversity import Configuration, DiversityAudit, SearchProblem
from core.diversity.result import diversity_result, pairs_table
from core.diversity.settings import as_published
from core.diversity.tool import TOOL
from core.languages import ENGLISH
from core.releases import earlier_words
from core.reports import InputFacts, Report, file_facts, input_facts, placed, report_of
from core.reports.model import said_frame
from core.settings.form import option_words
from core.words import speaking

TABLE, TRAINING, MODEL = "table to anonymize", "training table", "model file"  # parts of files in an audit


def diversity_report(
    audit: DiversityAudit,
    picked: Configuration | None,
    *,
    created_at: datetime,
    earlier: Sequence[InputFacts] = (),
) -> Report:
    """Return the report of a search and of the pair that was picked; aggregates only.

    `earlier` are files of earlier releases.
    """
    problem = audit.search.problem
    inputs = placed([*_inputs(problem), *earlier])
    return report_of(
        TOOL,
        diversity_result(audit, picked),
        inputs=inputs,
        created_at=created_at,
        arguments=() if problem.choice.given is not None else (diversity_arguments(audit, inputs, picked),),
    )


def diversity_arguments(
    audit: DiversityAudit, inputs: Sequence[InputFacts], chosen: Configuration | None
) -> tuple[str, ...]:
    """Return the words that repeat the search, and show the pair that was chosen."""
    problem = audit.search.problem
    settings, choice = problem.settings, problem.choice
    is_published = settings == as_published(settings)
    paths = {str(facts.role): facts.path for facts in inputs}
    model = {"tree": "", "file": paths.get(MODEL, "")}.get(choice.source, choice.source)
    return (
        paths[TABLE],
        *(["--train", paths[TRAINING]] if TRAINING in paths else []),
        *option_words(settings, left_out=("cells", "diversity", "sensitive_bins") if is_published else ()),
        *(["--reference-cells"] if is_published else []),
        *(["--model", model] if model else []),
        *option_words(choice, left_out=("source",)),
        *option_words(audit.thresholds),
        *([] if chosen is None else ["--pair", str(chosen.k), str(chosen.l)]),
        *(() if audit.released is None else earlier_words(audit.released.releases, inputs)),
    )


def _inputs(problem: SearchProblem) -> Iterator[InputFacts]:
    choice = problem.choice
    yield input_facts(problem.data, TABLE)
    if problem.training is not None:
        yield input_facts(problem.training, TRAINING)
    if choice.source == "file" and choice.given is None:
        yield file_facts(choice.file, MODEL, name=choice.file_name)


def configurations_csv(audit: DiversityAudit) -> bytes:
    """Return all pairs as CSV, in English; numbers and our own words only."""
    with speaking(ENGLISH):
        table = said_frame(pairs_table(audit))
    return (
        table.rename(columns=lambda heading: heading.replace("ℓ", "l"))
        .to_csv(index=False)
        .encode("utf-8-sig")
    )


def kept_records_csv(problem: SearchProblem, configuration: Configuration) -> bytes:
    """Return the record numbers of the kept records in the uploaded table, the first record being 1."""
    kept_set = configuration.kept_set
    kept = problem.records[kept_set.kept] + 1 if kept_set else problem.records[:0]
    return pd.DataFrame({"record": kept}).to_csv(index=False).encode("utf-8-sig")
