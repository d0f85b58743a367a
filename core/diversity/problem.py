"""From uploaded tables and settings to everything a search needs, checked once and for all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from sklearn.model_selection import train_test_split

from core.coding import FloatArray, IntArray
from core.diversity.cells import quasi_identifier_units
from core.diversity.evaluation import EvaluationInputs
from core.diversity.features import FeatureSpace, SensitiveAttribute, read_features, read_sensitive
from core.diversity.given_models import AnyTable, GivenModel, as_dataset, classes_of
from core.diversity.minimization import ShouldStop, never, stop_if
from core.diversity.model_files import FileModel, LoadedEstimator, load_estimator
from core.diversity.models import Model, train_model
from core.diversity.outcomes import Outcome, is_constant, n_classes_with_one_record, read_outcomes
from core.diversity.settings import DiversitySettings, ModelChoice, check_settings, just_below
from core.errors import refuse
from core.people.roles import suggest_roles, whose_records
from core.settings.form import check
from core.tables import Dataset
from core.verdict import Finding, Verdict
from core.words import Text, counted, input_error, joined, percent, text

_MOST_CELLS = 250_000_000  # records × encoded columns, or classes, of one table; 2 GB


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchProblem:
    """Everything a search needs."""

    data: Dataset  # the table to anonymize and, where given, the one the model is trained on
    training: Dataset | None
    choice: ModelChoice  # where the model comes from
    inputs: EvaluationInputs  # feature space, model, labels and settings
    records: IntArray  # shape (n_records,): positions in `data` of the records that are anonymized
    values: FloatArray = field(repr=False)  # shape (n_records, n_features): their features
    sensitive: tuple[SensitiveAttribute, ...]  # their sensitive attributes
    # accuracy of the model on the records as they are (R² for regression); NaN where there is none
    base_accuracy: float
    notes: tuple[Finding, ...]  # what a reader should know about the inputs

    @property
    def settings(self) -> DiversitySettings:
        """Return the settings of the search."""
        return self.inputs.settings

    @property
    def n_records(self) -> int:
        """Return the records to anonymize."""
        return len(self.records)

    @property
    def is_without_model(self) -> bool:
        """Return whether k and ℓ alone are asked for."""
        return self.choice.source == "none"

    @property
    def base_baseline(self) -> float:
        """Return the accuracy of always saying the most frequent class of all records; 0 for regression."""
        return self.inputs.outcome.baseline(self.inputs.outcome.values, self.inputs.outcome.values)

    @property
    def base_balanced_accuracy(self) -> float | None:
        """Return the mean over the classes of the accuracy on the untouched records of each."""
        return self.inputs.outcome.balanced_agreement(self.inputs.untouched, self.inputs.outcome.values)

    @property
    def features(self) -> tuple[str, ...]:
        """Return the names of all features."""
        return tuple(column.name for column in self.inputs.space.columns)


def prepare_search(
    table: AnyTable,
    settings: DiversitySettings,
    choice: ModelChoice,
    *,
    training: Dataset | None = None,
    should_stop: ShouldStop = never,
) -> SearchProblem:
    """Check inputs and settings, get the model, and measure it on the untouched records.

    Without a model from elsewhere the test part is anonymized, and `training` may be given to train on.
    A model given in Python gets the features of a frame with the dtypes that they had.
    """
    data, dtypes = as_dataset(table)
    check_settings(settings, data.columns, source=choice.source)
    _check_choice(choice, data, training)
    records, train_records = _split_records(data, choice, training)
    tables = [data.table.take(records)]
    if choice.is_trained_here:
        tables.append(training.table if training else data.table.take(train_records))
    _check_records(tables[0], data, settings)
    space, values, outcomes, loaded = _read(tables, _feature_names(data, settings, choice), settings, choice)
    stop_if(should_stop)
    model, notes = _model(choice, space, values, outcomes, loaded=loaded, dtypes=dtypes)
    stop_if(should_stop)
    untouched = _untouched(choice, tables[0], model, values[0], outcomes[0])
    is_asked = choice.source != "none"
    base_accuracy = outcomes[0].agreement(untouched, outcomes[0].values) if is_asked else float("nan")
    if settings.target_accuracy is None or not is_asked:
        settings = replace(settings, target_accuracy=just_below(base_accuracy) if is_asked else 0.0)
    units = quasi_identifier_units(space, values[0], settings)
    inputs = EvaluationInputs(
        space=space, units=units, model=model, outcome=outcomes[0], untouched=untouched, settings=settings
    )
    return SearchProblem(
        data=data,
        training=training,
        choice=choice,
        inputs=inputs,
        records=records,
        values=values[0],
        sensitive=_sensitive(tables[0], settings),
        base_accuracy=base_accuracy,
        notes=(*notes, *_data_notes(space, values, outcomes, choice), *_person_notes(data)),
    )


def _read(
    tables: Sequence[pa.Table], names: list[str], settings: DiversitySettings, choice: ModelChoice
) -> tuple[FeatureSpace, tuple[FloatArray, ...], tuple[Outcome, ...], LoadedEstimator | None]:
    """Return features and labels of the tables, and the model file's estimator where there is one."""
    is_file = choice.source == "file" and choice.given is None
    loaded = load_estimator(choice.file, name=choice.file_name) if is_file else None
    if loaded is not None:
        loaded.check(task=settings.task, columns=names)
    space, values = read_features(tables, names, categorical=settings.categorical)
    if choice.source == "none":
        nothing = (
            Outcome(task="classification", classes=("",), values=np.zeros(len(each))) for each in values
        )
        return space, values, tuple(nothing), None
    outcomes = read_outcomes(
        [table[settings.label] for table in tables],
        subject=text("label “{column}”", column=settings.label),
        task=settings.task,
        more_classes=classes_of(choice.given) if loaded is None else loaded.classes,
    )
    _check_size(space, outcomes[-1], settings, n_records=max(len(each) for each in values))
    if loaded is not None and loaded.classes and not {*loaded.classes} & {*_classes_of(outcomes[0])}:
        raise input_error(
            "The model {file} predicts no value of the label “{column}”, which has {n}: it was trained for "
            "another label. Choose that one.",
            "The model {file} predicts none of the {n} values of the label “{column}”: it was trained for "
            "another label. Choose that one.",
            n=len(_classes_of(outcomes[0])),
            file=choice.file_name,
            column=settings.label,
        )
    return space, values, outcomes, loaded


def _classes_of(outcome: Outcome) -> list[str]:
    """Return the classes that a label has in its records."""
    return [outcome.classes[int(place)] for place in np.unique(outcome.values)] if outcome.classes else []


def _check_size(
    space: FeatureSpace, outcome: Outcome, settings: DiversitySettings, *, n_records: int
) -> None:
    """Refuse categories and classes in such numbers that a 0/1 column of each would not fit in memory."""
    problems = []
    widest = max(space.columns, key=lambda column: column.width, default=None)
    if widest is not None and sum(column.width for column in space.columns) * n_records > _MOST_CELLS:
        problems.append(
            text(
                "“{column}” has {n} category in {records}: a 0/1 column each does not fit in memory. Group "
                "its values first, or leave it out of the features (`--leave-out`).",
                "“{column}” has {n} categories in {records}: a 0/1 column each does not fit in memory. Group "
                "its values first, or leave it out of the features (`--leave-out`).",
                n=widest.width,
                column=widest.name,
                records=counted(n_records, "record"),
            )
        )
    if len(outcome.classes) * n_records > _MOST_CELLS:
        problems.append(
            text(
                "The label “{column}” (`--label`) has {n} class in {records}, too many for a classifier. "
                "Group them first, or choose another label.",
                "The label “{column}” (`--label`) has {n} classes in {records}, too many for a classifier. "
                "Group them first, or choose another label.",
                n=len(outcome.classes),
                column=settings.label,
                records=counted(n_records, "record"),
            )
        )
    refuse(problems)


def _check_choice(choice: ModelChoice, data: Dataset, training: Dataset | None) -> None:
    problems = []
    if choice.source == "predictions" and choice.predictions_column not in data.columns:
        problems.append(
            text(
                "The predictions column “{column}” is not a column of the table.",
                column=choice.predictions_column,
            )
            if choice.predictions_column
            else "Choose the column that holds the predictions."
        )
    if training is not None and not choice.is_trained_here:
        problems.append("A training table is used only when the model is trained here.")
    if training is not None:
        absent = [name for name in data.columns if name not in training.columns]
        if absent:
            problems.append(
                text(
                    "{training} lacks {n} column of {file}: {columns}.",
                    "{training} lacks {n} columns of {file}: {columns}.",
                    n=len(absent),
                    training=training.name,
                    file=data.name,
                    columns=", ".join(absent),
                )
            )
    check(choice, problems)


def _split_records(data: Dataset, choice: ModelChoice, training: Dataset | None) -> tuple[IntArray, IntArray]:
    """Return the positions of the records to anonymize and of those to train on, in the split's order."""
    everyone = np.arange(data.n_records)
    if training is not None or not choice.is_trained_here:
        return everyone, everyone[:0]
    try:
        train, test = train_test_split(everyone, test_size=choice.test_size, random_state=choice.split_seed)
    except ValueError:
        raise input_error(
            "{file} has {n} record; it cannot be split into {share} to anonymize and the rest to train on.",
            "{file} has {n} records; they cannot be split into {share} to anonymize and the rest to "
            "train on.",
            n=data.n_records,
            file=data.name,
            share=percent(choice.test_size),
        ) from None
    return test, train


def _sensitive(table: pa.Table, settings: DiversitySettings) -> tuple[SensitiveAttribute, ...]:
    return tuple(
        read_sensitive(table[name], name=name, n_bins=settings.sensitive_bins)
        for name in settings.sensitive_attributes
    )


def _check_records(table: pa.Table, data: Dataset, settings: DiversitySettings) -> None:
    """Check that the records to anonymize are enough for k, and their sensitive attributes tell something."""
    problems = []
    for name in settings.sensitive_attributes:
        column = table[name]
        if column.null_count == len(column):
            problems.append(
                text(
                    "The sensitive attribute “{column}” has no value in the only record.",
                    "The sensitive attribute “{column}” has no value in any of {n} records.",
                    n=len(column),
                    column=name,
                )
            )
        elif is_constant(column):
            problems.append(
                text(
                    "The sensitive attribute “{column}” has one value only in {n} record; no cell can be "
                    "diverse.",
                    "The sensitive attribute “{column}” has one value only in {n} records; no cell can be "
                    "diverse.",
                    n=len(column),
                    column=name,
                )
            )
    if settings.k_max > table.num_rows:
        too_few = _too_few(table.num_rows, k=settings.k_max, n_others=data.n_records - table.num_rows)
        problems.append(joined([too_few, "Choose a smaller k."]))
    refuse(problems)


def _too_few(n_records: int, *, k: int, n_others: int) -> Text:
    """Return that there are fewer records to anonymize than k, whatever others the table has."""
    if not n_others:
        return text(
            "The largest k, {k}, is more than the {n} record to anonymize.",
            "The largest k, {k}, is more than the {n} records to anonymize.",
            n=n_records,
            k=k,
        )
    return text(
        "The largest k, {k}, is more than the {n} record to anonymize (the other {others} of the "
        "table train the model).",
        "The largest k, {k}, is more than the {n} records to anonymize (the other {others} of the "
        "table train the model).",
        n=n_records,
        k=k,
        others=n_others,
    )


def _feature_names(data: Dataset, settings: DiversitySettings, choice: ModelChoice) -> list[str]:
    without = {settings.label, choice.predictions_column, *settings.left_out}
    refuse(
        text("“{column}” cannot be both a feature and the column of predictions.", column=name)
        for name in (*settings.quasi_identifiers, *settings.sensitive_attributes)
        if name == choice.predictions_column
    )
    if choice.source == "none":  # nothing else is looked at, whatever it holds
        return [name for name in data.columns if name in settings.quasi_identifiers]
    return [name for name in data.columns if name not in without]


def _model(
    choice: ModelChoice,
    space: FeatureSpace,
    values: Sequence[FloatArray],
    outcomes: Sequence[Outcome],
    *,
    loaded: LoadedEstimator | None,
    dtypes: Mapping[str, object],
) -> tuple[Model | None, list[Finding]]:
    if choice.source in ("predictions", "none"):
        return None, []
    if choice.given is not None:
        return GivenModel(estimator=choice.given, space=space, outcome=outcomes[0], dtypes=dtypes), []
    if loaded is not None:
        model = FileModel.of(loaded, space=space, classes=outcomes[0].classes, values=values[0])
        notes = [Finding(check="model_file", verdict=Verdict.PASS, message=note) for note in model.notes]
        return model, [*notes, *_never_predicted(loaded, outcomes[0])]
    trained = train_model(choice.source, space, values[1], outcomes[1], seed=choice.seed)
    return trained, [Finding(check="training", verdict=Verdict.WARN, message=note) for note in trained.notes]


def _never_predicted(loaded: LoadedEstimator, outcome: Outcome) -> Iterator[Finding]:
    """Return the finding of label values that are none of the model's."""
    unknown = [number for number, name in enumerate(outcome.classes) if name not in loaded.classes]
    n_records = int(np.isin(outcome.values, unknown).sum()) if loaded.classes else 0
    if not n_records:
        return
    yield Finding.of("label_not_predicted", Verdict.WARN, n_affected=n_records)(
        "The model never predicts {n} value that the label has in {records}: look whether it was "
        "trained for another label.",
        "The model never predicts {n} values that the label has in {records}: look whether it was "
        "trained for another label.",
        n=len(unknown),
        records=counted(n_records, "record"),
    )


def _untouched(
    choice: ModelChoice, table: pa.Table, model: Model | None, values: FloatArray, outcome: Outcome
) -> FloatArray:
    """Return shape (n_records,): predictions for the records as they are, from the model or the column."""
    if model is not None:
        return model.predict(values)
    if choice.source == "none":
        return outcome.values
    name = str(choice.predictions_column)
    (predicted,) = read_outcomes(
        [table[name]],
        subject=text("column of predictions “{column}”", column=name),
        task=outcome.task,
        more_classes=outcome.classes,
    )
    if outcome.task == "regression":
        return predicted.values
    position = {each: float(number) for number, each in enumerate(outcome.classes)}
    of_class = np.array([position.get(each, -1.0) for each in predicted.classes])  # -1: no such label
    return of_class[predicted.values.astype(np.int64)]


def _person_notes(data: Dataset) -> Iterator[Finding]:
    """Yield a warning where persons seem to have several records: cells count records."""
    if (found := whose_records(suggest_roles(data.table))) is not None:
        yield Finding.of("records_of_persons", Verdict.WARN, column=found.column)(
            "{column} seems to say whose record it is, and has {values} in {records}: k and ℓ count records, "
            "so a cell of k records may be of fewer persons.",
            column=f"`{found.column}`",
            values=counted(found.n_distinct, "value"),
            records=counted(found.n_nonblank, "record"),
        )


def _data_notes(
    space: FeatureSpace, values: Sequence[FloatArray], outcomes: Sequence[Outcome], choice: ModelChoice
) -> Iterator[Finding]:
    numbers = [i for i, column in enumerate(space.columns) if column.categories is None]
    n_missing = int(np.isnan(values[0][:, numbers]).sum())
    if n_missing:
        yield Finding.of("missing_numbers", Verdict.WARN, n_affected=n_missing)(
            "{missing} of {n} number is missing and counts as 0 for the model and the cells; a "
            "representative is never a missing one.",
            "{missing} of {n} numbers are missing and count as 0 for the model and the cells; a "
            "representative is never a missing one.",
            n=values[0][:, numbers].size,
            missing=n_missing,
        )
    if choice.is_trained_here:
        yield from _unseen_categories(space, values[0], values[1])
    if outcomes[0].task == "classification" and (single := n_classes_with_one_record(outcomes[0])):
        yield Finding.of("single_record_class", Verdict.WARN, n_affected=single)(
            "{single} of {n} class of the label has one record only, so accuracy says nothing about it.",
            "{single} of {n} classes of the label have one record only, so accuracy says nothing about them.",
            n=len(outcomes[0].classes),
            single=single,
        )


def _unseen_categories(space: FeatureSpace, tested: FloatArray, trained: FloatArray) -> Iterator[Finding]:
    for position, column in enumerate(space.columns):
        if column.categories is None:
            continue
        unseen = ~np.isin(tested[:, position], trained[:, position])
        if unseen.any():
            yield Finding.of(
                "unseen_categories", Verdict.WARN, column=column.name, n_affected=int(unseen.sum())
            )(
                "{unseen} of {n} record holds a category of “{column}” that the training records do "
                "not have; the model takes it for none.",
                "{unseen} of {n} records hold a category of “{column}” that the training records do "
                "not have; the model takes it for none.",
                n=len(tested),
                unseen=int(unseen.sum()),
            )
