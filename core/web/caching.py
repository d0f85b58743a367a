"""The vault that holds a session's data, and what was measured of them.

The only module of core that imports Streamlit. Three rules (the reasons, measured with
Streamlit 1.67, are in docs/development.md):

- everything is kept per session, never for the whole server: one person's result must not outlive or
  leave their session;
- results are kept by fingerprints (SHA-256 of bytes and reading options) and settings, never by a frame;
- of each kind only the last few are kept.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection, Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial, wraps
from typing import Any, ParamSpec
from weakref import WeakValueDictionary

import pyarrow as pa
import streamlit as st

from core.errors import AuditInputError
from core.files.input_bytes import HAS_SHARED_MEMORY, Shared
from core.processes.bounded_process import called_apart
from core.processes.jobs import Job, Progress, Result
from core.processes.queue import LIGHT_BYTES, in_turn, taken
from core.tables import Dataset, ReadOptions, read_dataset
from core.web.streamlit_internals import (
    AppSession,
    MediaFileManager,
    UploadedFileManager,
    _calculate_file_id,
    clear_session_resource_cache,
    get_script_run_ctx,
    runtime,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class StoredFile:
    """An uploaded file in the vault."""

    key: str  # SHA-256 over name and bytes; what `st.session_state` remembers of the file
    name: str  # file name as uploaded, never used as a path
    n_bytes: int
    held: bytes | Shared = field(repr=False)  # once; large ones where readers see them too

    @property
    def data(self) -> bytes:
        """Return the bytes; of large ones, a copy."""
        return self.held if isinstance(self.held, bytes) else self.held.mapped().to_pybytes()


_WORTH_SHARING = 16 << 20  # bytes
KEPT_DOWNLOADS = 256 << 20  # bytes of a session's; the oldest go first, the newest stays whatever its size
DATA_LOST = (
    "The connection was interrupted, so a file is no longer in memory. Upload it again; "
    "your settings are kept."
)


_OFFERING = threading.Lock()  # several files of a session may be made at once
_HASHING = threading.Lock()  # many large uploads at once would leave no processor to sliders


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
        self._results: dict[str, dict[Hashable, Any]] = {}  # of each function; the newest last
        self._downloads: dict[str, int] = {}  # their bytes; the newest last
        _VAULTS[session_id] = self

    def put(self, name: str, data: bytes) -> StoredFile:
        """Keep a file and let Streamlit's own copy of the session's uploads go."""
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass") + b"\0")
        with _HASHING if len(data) > LIGHT_BYTES else nullcontext():
            digest.update(data)
        key = digest.hexdigest()
        if (stored := self._files.get(key)) is None:
            is_shared = len(data) >= _WORTH_SHARING and HAS_SHARED_MEMORY
            held = Shared(pa.py_buffer(data)) if is_shared else data
            stored = self._files[key] = StoredFile(key=key, name=name, n_bytes=len(data), held=held)
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
        """Forget a file, everything read from it, and what was found in that."""
        self._files.pop(key, None)
        gone = {key}
        for read in [read for read in self._datasets if read[0] == key]:
            known = self._datasets.pop(read)
            gone |= {known.fingerprint} if isinstance(known, Dataset) else set()
        for results in self._results.values():
            for each in [each for each in results if _is_of(each, gone)]:
                del results[each]

    def dataset(self, key: str, options: ReadOptions) -> Dataset:
        """Read a file of the vault as a table, once for each set of options."""
        known = self._datasets.get((key, options))
        if known is None:
            stored = self.needed(key)
            try:
                with self.turn(stored.n_bytes):
                    read = read_dataset(stored.held, name=stored.name, options=options)
                # The same bytes under two names are two files: results carry the name.
                fingerprint = hashlib.sha256(f"{key} {read.fingerprint}".encode()).hexdigest()
                known = replace(read, fingerprint=fingerprint)
            except AuditInputError as error:
                known = AuditInputError(*error.problems)
            self._datasets[key, options] = known
        if isinstance(known, AuditInputError):
            raise known
        return known

    def remembered(self, name: str, key: Hashable, work: Callable[[], Result], kept: int) -> Result:
        """Return what a function found before, else what it finds now; the last results of each stay."""
        results = self._results.setdefault(name, {})
        found: Result = results.pop(key) if key in results else work()
        results[key] = found
        while len(results) > kept:
            del results[next(iter(results))]
        return found

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
        self._results.clear()
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


def remembered(
    *, kept: int = 16, in_turn: bool = True
) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Let a function of tables and settings, at the top of its file, work out each once for a session.

    Tables and files count by their digests, settings by their values, anything else as the very thing that
    it is.

    Parameters
    ----------
    kept
        How many results; fewer of what is large.
    in_turn
        Whether it waits for its turn where files are large; what only judges them, for a slider, does not.
    """

    def remembering(work: Callable[P, Result]) -> Callable[P, Result]:
        function: Any = work
        name = f"{function.__code__.co_filename} {function.__qualname__}"

        @wraps(work)
        def find(*given: P.args, **named: P.kwargs) -> Result:
            held = vault()

            def work_now() -> Result:
                with held.turn() if in_turn else nullcontext():
                    return work(*given, **named)

            return held.remembered(name, _key((given, named)), work_now, kept)

        return find

    return remembering


def _key(given: Any) -> Hashable:
    """Return what a result is remembered by."""
    if isinstance(given, Dataset):
        return given.fingerprint
    if isinstance(given, StoredFile):
        return given.key
    if isinstance(given, Mapping):
        return tuple((name, _key(each)) for name, each in given.items())
    if isinstance(given, list | tuple):
        return tuple(map(_key, given))
    if is_dataclass(given) and type(given).__eq__ is not object.__eq__:
        return type(given), tuple(_key(getattr(given, each.name)) for each in fields(given))
    hash(given)  # what has no value of its own to be remembered by is refused
    return given


def _is_of(key: Hashable, given: Collection[str]) -> bool:
    """Return whether a result that is remembered by a key is of one of some files and tables."""
    if isinstance(key, tuple):
        return any(_is_of(each, given) for each in key)
    return isinstance(key, str) and key in given


def where_it_fits(measure: Callable[P, Result]) -> Callable[P, Result]:
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


def clear_no_others_caches() -> None:
    """Let a session that asks Streamlit to clear the caches lose its own; else everybody's files are gone."""

    def clear(self: AppSession) -> None:
        _clear_caches(self.id)
        self._session_state.clear()

    AppSession._handle_clear_cache_request = clear  # type: ignore[method-assign]
