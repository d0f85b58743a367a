"""The audits as the pages call them, and the vault that holds a session's data.

The only module of core that imports Streamlit. Three rules (the reasons, measured with
Streamlit 1.67, are in docs/development.md):

- everything is cached per session, never for the whole server: one person's result must not
  outlive or leave their session;
- results are keyed by fingerprints (SHA-256 of bytes and reading options) and settings, never by a
  frame: Streamlit hashes only a sample of a large frame, so two tables that differ in one record
  would share one result;
- every cache is bounded.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec
from weakref import WeakValueDictionary

import streamlit as st

from core import counts, delivery, events, leakage, releases, risk, tabular
from core.equivalence import EquivalenceClasses
from core.errors import AuditInputError
from core.holding import Held
from core.jobs import Job, Progress, Result
from core.packing import called_apart
from core.policies.identifiers import kinds_of_columns
from core.roles import RoleSuggestion, suggest_roles
from core.streamlit_internals import (
    AppSession,
    MediaFileManager,
    UploadedFileManager,
    _calculate_file_id,
    clear_session_data_cache,
    clear_session_resource_cache,
    get_script_run_ctx,
    runtime,
)
from core.tables import Dataset, ReadOptions, read_dataset
from core.tabular.second_opinion import (
    SecondOpinionMeasurement,
    measure_second_opinion,
    with_quasi_identifiers,
)
from core.turns import LIGHT_BYTES, in_turn, taken
from core.words import own

if TYPE_CHECKING:
    from core.diversity import DiversitySettings, ModelChoice
    from core.filed import FiledReport


@dataclass(frozen=True, kw_only=True, eq=False)
class StoredFile:
    """An uploaded file in the vault."""

    key: str  # SHA-256 over name and bytes; what `st.session_state` remembers of the file
    name: str  # file name as uploaded, never used as a path
    held: Held = field(repr=False)  # the bytes, once

    @property
    def data(self) -> bytes:
        """Return the bytes."""
        return self.held.data

    @property
    def n_bytes(self) -> int:
        """Return how many they are."""
        return self.held.n_bytes


KEPT_DOWNLOADS = 256 << 20  # bytes of a session's; the oldest go first, the newest stays whatever its size
DATA_LOST = (
    "The connection was interrupted, so a file is no longer in memory. Upload it again; "
    "your settings are kept."
)


_OFFERING = threading.Lock()  # several files of a session may be made at once
_HASHING = threading.Lock()  # many large uploads at once would leave no processor to sliders


class _Tables(dict[str, Dataset]):
    """Tables by fingerprint; one that a lost connection took is an error the person can fix."""

    def __missing__(self, fingerprint: str) -> Dataset:
        raise AuditInputError(DATA_LOST)


class Vault:
    """Everything one session uploaded and what was read from it.

    Streamlit frees uploads and session state late; a cache of scope "session" is released as soon
    as the tab is closed, so the data live here, and only here.
    """

    def __init__(self, session_id: str, uploads: UploadedFileManager) -> None:
        self._session_id = session_id
        self._uploads = uploads
        self._files: dict[str, StoredFile] = {}
        self._datasets: dict[tuple[str, ReadOptions], Dataset | AuditInputError] = {}
        self._jobs: dict[str, Job[Any]] = {}
        self.by_fingerprint: dict[str, Dataset] = _Tables()
        self._downloads: dict[str, int] = {}  # their bytes; the newest last
        _VAULTS[session_id] = self

    def put(self, name: str, data: bytes) -> StoredFile:
        """Keep a file and let Streamlit's own copy of the session's uploads go."""
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass") + b"\0")
        with _HASHING if len(data) > LIGHT_BYTES else nullcontext():
            digest.update(data)
        key = digest.hexdigest()
        stored = self._files.setdefault(key, StoredFile(key=key, name=name, held=Held(data)))
        self._uploads.remove_session_files(self._session_id)
        return stored

    def file(self, key: str) -> StoredFile | None:
        """Return a file by its key, None when the session has lost it."""
        return self._files.get(key)

    def needed(self, key: str) -> StoredFile:
        """Return a file by its key; one that the session has lost is an error the person can fix."""
        if (stored := self._files.get(key)) is None:
            raise AuditInputError(DATA_LOST)
        return stored

    def remove(self, key: str) -> None:
        """Forget a file and everything read from it."""
        self._files.pop(key, None)
        for read in [read for read in self._datasets if read[0] == key]:
            dataset = self._datasets.pop(read)
            # the same bytes may be here under another name
            kept = {other.fingerprint for other in self._datasets.values() if isinstance(other, Dataset)}
            if isinstance(dataset, Dataset) and dataset.fingerprint not in kept:
                self.by_fingerprint.pop(dataset.fingerprint, None)

    def dataset(self, key: str, options: ReadOptions) -> Dataset:
        """Read a file of the vault as a table, once for each set of options."""
        known = self._datasets.get((key, options))
        if known is None:
            stored = self.needed(key)
            try:
                with self.turn(stored.n_bytes), stored.held.lent() as source:
                    read = read_dataset(source, name=stored.name, options=options)
                # The same bytes under two names are two files: results carry the name.
                fingerprint = hashlib.sha256(f"{key} {read.fingerprint}".encode()).hexdigest()
                known = replace(read, fingerprint=fingerprint)
                self.by_fingerprint[fingerprint] = known
            except AuditInputError as error:
                known = AuditInputError(*error.problems)
            self._datasets[key, options] = known
        if isinstance(known, AuditInputError):
            raise known
        return known

    def job(self, tool: str) -> Job[Any] | None:
        """Return the long work that a tool started last."""
        return self._jobs.get(tool)

    def start_job(self, tool: str, job: Job[Any]) -> None:
        """Remember a tool's long work, and stop the one before it."""
        if (former := self._jobs.get(tool)) is not None:
            former.stop()
        self._jobs[tool] = job

    def offer(self, data: bytes, *, mime: str, name: str) -> bytes:
        """Remember a file that is made for download as this session's, as long as there is room for it."""
        file_id = _calculate_file_id(data, mime, name)
        with _OFFERING:
            self._downloads.pop(file_id, None)
            self._downloads[file_id] = len(data)
            gone: set[str] = set()
            while len(self._downloads) > 1 and sum(self._downloads.values()) > KEPT_DOWNLOADS:
                gone.add(next(iter(self._downloads)))
                del self._downloads[next(iter(self._downloads))]
        if gone and runtime.exists():
            _delete_downloads(runtime.get_instance().media_file_mgr, gone)
        return data

    @property
    def n_bytes(self) -> int:
        """Return the size of all files held."""
        return sum(stored.n_bytes for stored in self._files.values())

    def turn(self, n_bytes: int | None = None) -> AbstractContextManager[None]:
        """Return what heavy work waits for, on files of a size or on all held; on small ones, for nothing."""
        n_bytes = self.n_bytes if n_bytes is None else n_bytes
        return taken(self._session_id, n_bytes) if n_bytes > LIGHT_BYTES else nullcontext()

    def in_turn(self, tool: str, work: Callable[[Progress], Result]) -> Callable[[Progress], Result]:
        """Return a tool's long work so that it waits for its turn."""
        return in_turn(work, who=f"{self._session_id} {tool}", n_bytes=self.n_bytes)

    @property
    def n_files(self) -> int:
        """Return the number of files held."""
        return len(self._files)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is held."""
        return not self._files and not self._jobs

    def was_refused(self) -> bool:
        """Return whether an upload was not taken for the session's quota; ask once."""
        was_refused = self._session_id in _REFUSED
        _REFUSED.discard(self._session_id)
        return was_refused

    def wipe(self) -> None:
        """Forget everything: files, tables, running work, and the bytes offered for download."""
        for job in self._jobs.values():
            job.stop()
        self._jobs.clear()
        self._datasets.clear()
        self.by_fingerprint.clear()
        self._files.clear()
        self._uploads.remove_session_files(self._session_id)
        if runtime.exists():
            media = runtime.get_instance().media_file_mgr
            _forget_what_is_to_be_made(media, self._session_id)
            gone = set(self._downloads)
            self._downloads.clear()
            _delete_downloads(media, gone)
        _REFUSED.discard(self._session_id)


_VAULTS: WeakValueDictionary[str, Vault] = WeakValueDictionary()


def n_bytes_held(session_id: str, uploads: UploadedFileManager) -> int:
    """Return the size of the files that a session uploaded, those too that no page has taken yet."""
    untaken = getattr(uploads, "file_storage", {}).get(session_id, {})
    held = _VAULTS.get(session_id)
    return sum(len(file.data) for file in [*untaken.values()]) + (held.n_bytes if held is not None else 0)


_REFUSED: set[str] = set()


def refuse_upload(session_id: str) -> None:
    """Remember that a session's upload was not taken, until its page says so."""
    if session_id in _VAULTS:
        _REFUSED.add(session_id)


def owners_of(file_id: str) -> set[str]:
    """Return the sessions that a download was made for."""
    return {session for session, held in _VAULTS.items() if file_id in held._downloads}


def keep_downloads(media: MediaFileManager) -> None:
    """Let a download stay as long as its session has it; else any other session's end takes it away."""
    unused = media._get_inactive_file_ids

    def unused_by_all() -> set[str]:
        return unused() - {file_id for held in _VAULTS.values() for file_id in held._downloads}

    media._get_inactive_file_ids = unused_by_all  # type: ignore[method-assign]


def _forget_what_is_to_be_made(media: MediaFileManager, session_id: str) -> None:
    """Forget what a session shows, and its downloads that were not asked for."""
    media.clear_session_refs(session_id)
    with media._lock:
        for deferred in list(media._deferred_ids_by_session.get(session_id, ())):
            media._drop_deferred_id(deferred)


def _delete_downloads(media: MediaFileManager, file_ids: set[str]) -> None:
    """Delete downloads that no session has.

    Streamlit's own way forgets what no session is showing: another's file too, before it was fetched.
    """
    others = {file_id for held in list(_VAULTS.values()) for file_id in list(held._downloads)}
    with media._lock:
        for file_id in file_ids - others:
            if file_id in media._file_metadata:
                media._delete_file(file_id)


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda vault: vault.wipe())
def vault() -> Vault:
    """Return this session's vault; it is wiped when the tab is closed."""
    context = get_script_run_ctx()
    if context is None:
        raise RuntimeError("The vault belongs to a page that a visitor has opened.")
    return Vault(context.session_id, context.uploaded_file_mgr)


P = ParamSpec("P")


def _heavy(work: Callable[P, Result]) -> Callable[P, Result]:
    """Let what measures large files wait for its turn; what only judges them, for a slider, does not."""

    @wraps(work)
    def work_in_turn(*given: P.args, **named: P.kwargs) -> Result:
        with vault().turn():
            return work(*given, **named)

    return work_in_turn


def _where_it_fits(measure: Callable[P, Result]) -> Callable[P, Result]:
    """Return what measures large files in a process of its own, which no other session's page waits for."""
    return partial(called_apart, measure) if vault().n_bytes > LIGHT_BYTES else measure


def delete_my_data() -> None:
    """Forget everything this session uploaded or computed, and its settings; nobody else's."""
    context = get_script_run_ctx()
    if context is not None:
        _clear_caches(context.session_id)
    st.session_state.clear()


def _clear_caches(session_id: str) -> None:
    clear_session_resource_cache(session_id)  # releases the vault, which wipes itself
    clear_session_data_cache(session_id)


def clear_no_others_caches() -> None:
    """Let a session that asks Streamlit to clear the caches lose its own; else everybody's files are gone."""

    def clear(self: AppSession) -> None:
        _clear_caches(self.id)
        self._session_state.clear()

    AppSession._handle_clear_cache_request = clear  # type: ignore[method-assign]


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
@_heavy
def suggested_roles(fingerprint: str) -> tuple[RoleSuggestion, ...]:
    """Suggest a role for every column of a table."""
    return suggest_roles(vault().by_fingerprint[fingerprint].table)


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
@_heavy
def column_kinds(
    fingerprint: str, wanted: frozenset[str], left_out: tuple[str, ...]
) -> dict[str, frozenset[str]]:
    """Return what the columns of a table that is released look like, as far as it is asked for."""
    return kinds_of_columns(vault().by_fingerprint[fingerprint].table, wanted, left_out)


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def columns_of_text(fingerprint: str) -> tuple[str, ...]:
    """Return the columns of a table that hold something else than numbers."""
    # scikit-learn comes along and takes a second to import; pages without a model need not wait.
    from core.diversity import is_numeric  # noqa: PLC0415

    table = vault().by_fingerprint[fingerprint].table
    return tuple(name for name in table.column_names if not is_numeric(table[name]))


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def zero_one_columns(fingerprint: str) -> tuple[str, ...]:
    """Return the columns of a table that hold 0 and 1 and nothing else."""
    from core import diversity  # noqa: PLC0415 - as above

    table = vault().by_fingerprint[fingerprint].table
    return tuple(diversity.zero_one_columns(table, table.column_names))


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredPair:
    """What the tabular verifier measured of a pair of files, and how long that took."""

    measurement: tabular.TabularMeasurement
    seconds: float


def tabular_log(key: str) -> tabular.AnonymizationLog:
    """Read a log of the vault."""
    stored = vault().needed(key)
    return tabular.read_log(stored.data, name=stored.name)


@st.cache_resource(scope="session", max_entries=64, show_spinner=False)
@_heavy
def tabular_measurement(original: str, anonymized: str, log: str, patterns: tuple[str, ...]) -> MeasuredPair:
    """Measure what the rule counts; tables by fingerprint, the log by its key, patterns by theirs."""
    started_at = time.perf_counter()
    held = vault().by_fingerprint
    measurement = tabular.measure_tabular(
        held[original],
        held[anonymized],
        tabular_log(log),
        settings=tabular.TabularSettings(patterns=patterns),
    )
    return MeasuredPair(measurement=measurement, seconds=time.perf_counter() - started_at)


@st.cache_resource(scope="session", max_entries=64, show_spinner=False)
def tabular_classes(anonymized: str, quasi_identifiers: tuple[str, ...]) -> EquivalenceClasses | None:
    """Form the classes of the anonymized table over the chosen quasi-identifiers."""
    return tabular.measure_classes(vault().by_fingerprint[anonymized], quasi_identifiers)


@st.cache_resource(scope="session", max_entries=64, show_spinner=False)
@_heavy
def tabular_second_opinion(
    original: str, anonymized: str, log: str, quasi_identifiers: tuple[str, ...] | None
) -> SecondOpinionMeasurement:
    """Measure what the table still shows of its original; None takes the log's quasi-identifiers."""
    held = vault().by_fingerprint
    if quasi_identifiers is not None:
        measured = tabular_second_opinion(original, anonymized, log, None)
        return with_quasi_identifiers(measured, held[anonymized], quasi_identifiers)
    return _where_it_fits(measure_second_opinion)(held[original], held[anonymized], tabular_log(log))


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
@_heavy
def events_measurement(log: str, settings: events.EventSettings) -> events.MeasuredEvents:
    """Measure an event log of the vault, by fingerprint; everything that k does not change."""
    return events.measure_events(vault().by_fingerprint[log], settings)


@st.cache_resource(scope="session", max_entries=8, show_spinner=False)
def anonymized_events(log: str, settings: events.EventSettings, rule: events.Rule) -> events.AnonymizedEvents:
    """Anonymize an event log for one rule."""
    return events.anonymize_events(events_measurement(log, settings), rule)


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def events_release(
    log: str, settings: events.EventSettings, rule: events.Rule, options: events.ReleaseOptions, *, batch: int
) -> events.Release:
    """Write the export; without a seed its pseudonyms are fresh for each `batch`."""
    del batch  # part of the key only
    return events.release_events(anonymized_events(log, settings, rule), options, options.token_source)


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def original_trace_risk(log: str, settings: events.EventSettings) -> events.TraceRisk:
    """Measure trace risk before anonymization."""
    return events.trace_risk(events.original_traces(events_measurement(log, settings)))


@st.cache_resource(scope="session", max_entries=64, show_spinner=False)
def released_trace_risk(
    log: str, settings: events.EventSettings, rule: events.Rule, pseudonym_per: str
) -> events.TraceRisk:
    """Measure trace risk of an export."""
    return events.trace_risk(events.released_traces(anonymized_events(log, settings, rule), pseudonym_per))


@st.cache_resource(scope="session", max_entries=64, show_spinner=False)
def released_row_risk(
    log: str, settings: events.EventSettings, rule: events.Rule, pseudonym_per: str
) -> events.RowRisk:
    """Measure whom counts and order of an export single out."""
    return events.row_risk(anonymized_events(log, settings, rule), pseudonym_per)


@st.cache_resource(scope="session", max_entries=64, show_spinner=False)
def events_outcomes(
    log: str, settings: events.EventSettings, k: int, cap: int | None
) -> tuple[events.Outcome, ...]:
    """Compare both strategies with single- and multi-level flattening for one k."""
    return events.compare_strategies(events_measurement(log, settings), k=k, cap=cap)


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
@_heavy
def events_curve(log: str, settings: events.EventSettings, cap: int | None) -> tuple[events.Outcome, ...]:
    """Compare them for every k from 2 to 50."""
    return events.strategy_curve(events_measurement(log, settings), cap=cap)


def events_audit(
    log: str, settings: events.EventSettings, rule: events.Rule, options: events.ReleaseOptions, *, batch: int
) -> events.EventAudit:
    """Judge an export; its parts are cached, each by what it depends on.

    A limit for traces judges and changes nothing else: the pseudonyms stay those of the export.
    """
    released = events.Rule(k=rule.k, strategy=rule.strategy, cap=rule.cap)
    return events.judge_events(
        anonymized_events(log, settings, rule),
        release=events_release(log, settings, released, options, batch=batch),
        traces_before=original_trace_risk(log, settings),
        traces_after=released_trace_risk(log, settings, released, options.pseudonym_per),
        rows=released_row_risk(log, settings, released, options.pseudonym_per),
    )


class UntouchedModel(NamedTuple):
    """What a model does before anything is anonymized."""

    accuracy: float  # on the records as they are; R² for regression
    description: str  # what it is
    features: tuple[str, ...]  # what it was trained on


@st.cache_resource(scope="session", max_entries=8, show_spinner="Asking the untouched model …")
@_heavy
def untouched_model(
    data: str, settings: DiversitySettings, choice: ModelChoice, training: str | None
) -> UntouchedModel | AuditInputError:
    """Return what the model of a search does untouched, or why it cannot be had."""
    from core.diversity import prepare_search  # noqa: PLC0415 - scikit-learn, which only this tool needs

    tables = vault().by_fingerprint
    try:
        problem = prepare_search(
            tables[data], settings, choice, training=tables[training] if training else None
        )
    except AuditInputError as error:
        return AuditInputError(*error.problems)
    model = problem.inputs.model
    names = tuple(column.name for column in problem.inputs.space.columns)
    loaded = getattr(model, "loaded", None)
    return UntouchedModel(
        accuracy=problem.base_accuracy,
        description=model.description if model else own("Predictions"),
        features=(loaded.feature_names if loaded else None) or names,
    )


@st.cache_resource(scope="session", max_entries=2, show_spinner=False)
@_heavy
def leakage_pair(original: str, scrambled: str, key: str | None) -> leakage.TablePair:
    """Align two tables by fingerprint; the pair keeps what it has compared, for other settings."""
    held = vault().by_fingerprint
    return leakage.pair_tables(held[original], held[scrambled], key=key)


@st.cache_data(scope="session", max_entries=16, show_spinner=False)
def leakage_pseudonyms(original: str, scrambled: str, key: str | None) -> tuple[str, ...]:
    """Return the columns of two held tables that look like new pseudonyms."""
    return leakage.new_pseudonyms(leakage_pair(original, scrambled, key))


@st.cache_resource(
    scope="session", max_entries=16, show_spinner=False, hash_funcs={leakage.LeakageSettings: repr}
)
@_heavy
def leakage_rows(
    original: str, scrambled: str, settings: leakage.LeakageSettings
) -> leakage.RowLeakage | None:
    """Apply the row rules alone; None where rows cannot be paired."""
    pair = leakage_pair(original, scrambled, settings.key)
    columns = leakage.compared_columns(pair, settings)
    return None if pair.row_problem else leakage.count_row_matches(pair, columns, settings)


@st.cache_resource(
    scope="session", max_entries=16, show_spinner=False, hash_funcs={leakage.LeakageSettings: repr}
)
@_heavy
def leakage_measures(
    original: str, scrambled: str, holdout: str | None, settings: leakage.LeakageSettings
) -> leakage.LeakageMeasures:
    """Measure a pair of tables by fingerprint."""
    pair = leakage_pair(original, scrambled, settings.key)
    table = None if holdout is None else vault().by_fingerprint[holdout]
    return leakage.measure_leakage(pair, settings, holdout=table)


EarlierKeys = tuple[tuple[str, ...], tuple[str, ...]]  # fingerprints of tables, and keys of ledgers


@st.cache_resource(scope="session", max_entries=64, show_spinner=False)
def release_ledger(key: str) -> releases.Ledger:
    """Read a ledger of the vault."""
    stored = vault().needed(key)
    return releases.read_ledger(stored.data, name=stored.name)


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def filed_report(key: str) -> FiledReport:
    """Read a filed report of the vault."""
    from core.filed import read_report  # noqa: PLC0415 - the commands, which only this page needs

    stored = vault().needed(key)
    return read_report(stored.data, name=stored.name)


def _earlier(keys: EarlierKeys) -> list[releases.EarlierTable | releases.Ledger]:
    held = vault().by_fingerprint
    tables = [releases.EarlierTable(release=held[each].name, dataset=held[each]) for each in keys[0]]
    return [*tables, *(release_ledger(each) for each in keys[1])]


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
@_heavy
def _cells_measurement(
    table: str, settings: risk.RiskSettings, others: tuple[str, ...]
) -> counts.CellsMeasurement:
    """Measure a table of counts by fingerprint, whatever counts as small, beside others."""
    held = vault().by_fingerprint
    dataset = held[table]
    return counts.measure_cells(
        dataset,
        counts=settings.counts,
        dimensions=settings.categories(dataset.columns),
        sensitive=settings.sensitive,
        magnitude=settings.magnitude,
        contributor=settings.contributor,
        others=[held[each] for each in others],
    )


@st.cache_resource(scope="session", max_entries=64, show_spinner=False)
def counts_audit(
    table: str, settings: risk.RiskSettings, thresholds: counts.CountThresholds, others: tuple[str, ...] = ()
) -> counts.CountsAudit:
    """Hold a table of counts against thresholds, and say what to suppress; each place of a slider once."""
    return counts.judge_counts(_cells_measurement(table, settings, others), thresholds)


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
@_heavy
def risk_measurement(
    table: str,
    settings: risk.RiskSettings,
    *,
    original: str | None = None,
    population: str | None = None,
    hierarchies: tuple[str, ...] = (),
    earlier: EarlierKeys = ((), ()),
) -> risk.RiskMeasurement:
    """Measure a table's disclosure risk; tables by fingerprint, groups for the column they name."""
    held = vault().by_fingerprint
    named = dict(risk.hierarchy_for(held[each], held[table]) for each in hierarchies)
    groups = {name: each for name, each in named.items() if name not in settings.quasi_identifiers}
    return risk.measure_risk(
        held[table],
        settings=settings,
        hierarchies=groups,
        original=None if original is None else held[original],
        population=None if population is None else held[population],
        earlier=_earlier(earlier),
    )


@st.cache_resource(
    scope="session",
    max_entries=8,
    show_spinner=False,
    hash_funcs={risk.RiskMeasurement: lambda measured: repr(measured.settings)},
)
@_heavy
def risk_columns(table: str, measured: risk.RiskMeasurement) -> risk.ColumnsMeasurement | None:
    """Measure what each quasi-identifier does; the table by fingerprint, and what was measured of it."""
    return risk.measure_columns(measured, vault().by_fingerprint[table])


@st.cache_resource(scope="session", max_entries=2, show_spinner=False)
@_heavy
def risk_release(
    key: str,
    option: int,
    table: str,
    *,
    person: risk.PersonReleased,
    _what_if: risk.WhatIf,
    _measured: risk.RiskMeasurement,
) -> risk.Release:
    """Make and count again the table of one option of a search; `key` says of what and which search."""
    del key
    return risk.release(_what_if, option, _measured, vault().by_fingerprint[table], person=person)


@st.cache_resource(scope="session", max_entries=8, show_spinner=False)
@_heavy
def delivery_measurement(
    tables: tuple[str, ...], settings: delivery.DeliverySettings, *, earlier: EarlierKeys = ((), ())
) -> delivery.DeliveryMeasurement:
    """Measure the tables of one delivery by fingerprint."""
    held = vault().by_fingerprint
    datasets = [held[table] for table in tables]
    return delivery.measure_delivery(datasets, settings, earlier=_earlier(earlier))
