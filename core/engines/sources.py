"""The engines that hold tables: how each is reached, asked, and what it says when that fails."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import threading
import tomllib
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from core.engines.addresses import Address, address_of
from core.errors import AuditInputError, UnansweredError
from core.files.input_bytes import open_input
from core.files.own_reports import is_own_report
from core.processes.jobs import Interruption, Shielded, without_interruption
from core.tables import ReadOptions
from core.tables.encodings import is_utf8
from core.tables.layout import find_layout
from core.words import input_error, text

if TYPE_CHECKING:
    import ibis
    from ibis.expr.types import Table as Expression

_MOST_ROWS = 1_000_000  # of an answer: sizes of classes, or values of a column
_LOOK_UP_SECONDS = 0.2
_HEAD = 4 << 20  # bytes of a text file that say how it is laid out
_PARQUET, _TEXTS = (".parquet", ".pq"), (".csv", ".tsv", ".txt")
SECRETS = Path(__file__).parents[2] / ".streamlit" / "secrets.toml"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where figures come from that an engine counted."""

    address: str  # as reports show it
    engine: str  # and its version
    n_bytes: int  # of its files; 0 in a database
    sha256: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Engine:
    """A table in an engine, and the only way to ask it."""

    address: Address
    backend: ibis.BaseBackend
    table: Expression  # as it is held there
    version: str  # of the engine, such as "DuckDB 2.0.0"
    n_bytes: int = 0  # of its files; 0 in a database
    sha256: str = ""

    @property
    def origin(self) -> Origin:
        """Return what a report says of the table."""
        return Origin(
            address=str(self.address), engine=self.version, n_bytes=self.n_bytes, sha256=self.sha256
        )

    def rows(self, question: Expression, *, most: int = _MOST_ROWS) -> dict[str, list[Any]]:
        """Return the answer to an aggregate, by column."""
        return {name: column.to_pylist() for name, column in self.answer(question, most=most).items()}

    def row(self, question: Expression) -> dict[str, Any]:
        """Return the answer of one row."""
        return {name: values[0] for name, values in self.rows(question, most=1).items()}

    def answer(self, question: Expression, *, most: int = _MOST_ROWS) -> dict[str, pa.ChunkedArray]:
        """Return the answer to an aggregate, by column, as the engine's types."""
        with _failures(self.address), Shielded():
            found = self.backend.to_pyarrow(question.limit(most + 1))
        if found.num_rows > most:
            raise input_error(
                "{table}: an answer would have more than {most} rows; make the columns coarser, or choose "
                "fewer.",
                table=self.address.name,
                most=most,
            )
        return dict(zip(found.column_names, found.columns, strict=True))

    @contextmanager
    def kept(self, question: Expression) -> Iterator[Expression]:
        """Give an intermediate result that the engine keeps while this lasts, as its own table."""
        with _failures(self.address), Shielded():
            if self.address.engine == "spark":
                name, cached = self._in_spark(question)
            else:
                cached = question.cache()
        try:
            yield cached
        finally:
            with suppress(Exception):  # whatever an engine raises that is gone already
                if self.address.engine == "spark":
                    self.backend._session.catalog.dropTempView(name)
                else:
                    cached.release()

    def _in_spark(self, question: Expression) -> tuple[str, Expression]:
        """Keep an intermediate result without what it was made of: plans of plans outgrow Spark's memory."""
        backend: Any = self.backend
        backend._run_pre_execute_hooks(question)  # which Spark forgets
        name = f"ibis_kept_{uuid.uuid4().hex}"
        backend._session.sql(backend.compile(question)).localCheckpoint().createTempView(name)
        return name, backend.table(name)


@contextmanager
def connected(
    address: Address,
    *,
    options: ReadOptions | None = None,
    memory: str | None = None,
    secrets: Path = SECRETS,
    is_stopped: Callable[[], bool] | None = None,
) -> Iterator[Engine]:
    """Reach a table while this lasts.

    Parameters
    ----------
    address
        Where it is.
    options
        How files of text are read.
    memory
        What DuckDB may take before it writes to disk, such as ``8GB``.
    secrets
        File of connections and their passwords.
    is_stopped
        Asked several times a second, from another thread; once it says so, each question ends with an error.

    Raises
    ------
    AuditInputError
        The engine is not installed, does not answer, or has no such table.
    """
    opening = {"duckdb": _duckdb, "postgresql": _postgresql, "spark": _spark}[address.engine]
    opened = opening(address, options or ReadOptions(), memory, secrets, is_stopped or (lambda: False))
    with ExitStack() as ending:
        with Shielded():  # an engine that is interrupted while it loads modules ends this process
            engine = ending.enter_context(opened)
            ending.enter_context(_watched(engine, is_stopped))
        yield engine


def beside(
    engine: Engine,
    address: Address,
    *,
    options: ReadOptions | None = None,
    is_stopped: Callable[[], bool] | None = None,
) -> Engine:
    """Reach a second table of an engine that is connected, so that both can be joined.

    Raises
    ------
    AuditInputError
        The table is in another engine or database, or not there.
    """
    first = engine.address
    places = {(each.engine, each.host, each.port, each.database) for each in (first, address)}
    if len(places) > 1:
        raise input_error(
            "{original} and {scrambled} are not in one engine, so that their rows cannot be joined.",
            original=first.name,
            scrambled=address.name,
        )
    with Shielded(), _failures(address):
        if address.engine == "postgresql":
            return replace(engine, address=address, table=_postgresql_table(engine.backend, address))
        if address.engine == "spark":
            return replace(engine, address=address, table=_spark_table(engine.backend, address))
        files = _files(Path(address.place), name=address.name)
        return replace(
            engine,
            address=address,
            table=_duckdb_table(engine.backend, files, address, options or ReadOptions()),
            n_bytes=sum(file.stat().st_size for file in files),
            sha256=_digest(files, is_stopped or (lambda: False)),
        )


def unanswered_by(error: UnansweredError, engines: Iterable[Engine]) -> tuple[str, ...]:
    """Return why a question of several tables was not answered: what the one says that answers no more."""
    for engine in engines:
        try:
            engine.row(engine.table.agg(n=engine.table.count()))
        except UnansweredError as own:
            return own.problems
    return error.problems


@contextmanager
def _watched(engine: Engine, is_stopped: Callable[[], bool] | None) -> Iterator[None]:
    """End what the engine is asked once it is stopped; its thread waits for the answer and hears nothing."""
    if is_stopped is None:
        yield
        return
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_LOOK_UP_SECONDS):
            if is_stopped():
                with suppress(Exception):  # whatever an engine raises that has answered already
                    backend: Any = engine.backend
                    if engine.address.engine == "duckdb":
                        backend.con.interrupt()
                    elif engine.address.engine == "postgresql":
                        backend.con.cancel_safe(timeout=5)
                    else:
                        backend._session.sparkContext.cancelAllJobs()

    watching = threading.Thread(target=watch, name="anonaudit-engine-watch", daemon=True)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()


def _ibis(engine: str, package: str) -> Any:
    try:
        import ibis  # noqa: PLC0415 - takes seconds to import

        return getattr(ibis, engine)
    except ImportError:
        raise input_error(
            "{package} is not installed here; install what requirements-engines.txt names.", package=package
        ) from None


# --- DuckDB: files of any size in this process


@contextmanager
def _duckdb(
    address: Address, options: ReadOptions, memory: str | None, _secrets: Path, is_stopped: Callable[[], bool]
) -> Iterator[Engine]:
    files = _files(Path(address.place), name=address.name)
    space = Path(tempfile.mkdtemp(prefix="anonaudit-"))  # only its owner may read it
    settings = {
        "temp_directory": str(space),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "preserve_insertion_order": "false",
        # else NaN beside one value is that value: a Parquet file's smallest and largest say nothing of NaN
        "disabled_optimizers": "statistics_propagation",
    }
    if memory is not None:
        settings["memory_limit"] = memory
    backend = None

    def clear() -> None:
        if backend is not None:
            backend.disconnect()
        shutil.rmtree(space, ignore_errors=True)

    try:
        with _failures(address):
            module = _ibis("duckdb", "duckdb")
            backend = module.connect(**settings)
            table = _duckdb_table(backend, files, address, options)
        yield Engine(
            address=address,
            backend=backend,
            table=table,
            version=f"DuckDB {backend.version}",
            n_bytes=sum(file.stat().st_size for file in files),
            sha256=_digest(files, is_stopped),
        )
    finally:
        without_interruption(clear)


def _files(path: Path, *, name: str) -> list[Path]:
    """Return the file, or the files of a folder that are of one kind."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise input_error("{file}: there is no such file or folder. Check its path.", file=name)
    found = tables_below(path)
    kinds = {each.suffix.lower() in _PARQUET for each in found}
    if len(kinds) != 1:
        raise input_error(
            "{folder}: the folder holds both Parquet files and files of text; name one kind."
            if kinds
            else "{folder}: the folder holds no Parquet file and no CSV.",
            folder=name,
        )
    return found


def tables_below(folder: Path) -> list[Path]:
    """Return the files of a folder, and of folders in it, that are read by their endings."""
    ends = (*_PARQUET, *_TEXTS)
    found = (each for each in folder.rglob("*") if each.suffix.lower() in ends and each.is_file())
    return sorted(each for each in found if not is_own_report(each))


def _duckdb_table(backend: Any, files: Sequence[Path], address: Address, options: ReadOptions) -> Expression:
    names = [str(file) for file in files]
    with open_input(files[0]) as file:
        is_parquet = file.read(4) == b"PAR1"
    if is_parquet:
        return backend.read_parquet(names)
    layouts = {_layout(file, options) for file in files}
    if len({(delimiter, columns) for delimiter, columns, _ in layouts}) > 1:
        raise input_error("{folder}: the files do not have the same columns.", folder=address.name)
    delimiter, columns, line = layouts.pop()
    if {each[2] for each in layouts} - {line}:
        raise input_error("{folder}: the files do not have the same columns.", folder=address.name)
    return backend.read_csv(
        names,
        columns=dict.fromkeys(columns, "VARCHAR"),
        sep=delimiter,
        quote='"',
        escape='"',
        header=False,
        auto_detect=False,
        skip=line,
        strict_mode=True,
        null_padding=False,
        max_line_size=64 << 20,
    )


def _layout(file: Path, options: ReadOptions) -> tuple[str, tuple[str, ...], int]:
    """Return delimiter, names and lines above the records of a file of text."""
    with open_input(file) as opened:
        head = opened.read(_HEAD)
    marked = head.startswith(b"\xef\xbb\xbf")
    head = head[3:] if marked else head
    whole = head if len(head) < _HEAD - 3 else head[: head.rfind(b"\n") + 1]
    if (
        options.encoding not in (None, "utf-8", "utf-8-sig")
        or b"\0" in whole
        or not is_utf8(pa.py_buffer(whole))
    ):
        raise input_error(
            "{file}: here only text in UTF-8 is read. Export the table as UTF-8, or as Parquet.",
            file=file.name,
        )
    if not whole.strip():
        raise input_error(
            "{file}: the file holds no text, only blank lines. Export the table again.", file=file.name
        )
    layout = find_layout(pa.py_buffer(whole), name=file.name, options=options)
    if layout.has_trailing:
        raise input_error(
            "{file}: every record ends with a delimiter more than the header has. Export the table again.",
            file=file.name,
        )
    return layout.delimiter, layout.header.names, layout.data_line - 1


def _digest(files: Sequence[Path], is_stopped: Callable[[], bool]) -> str:
    """Return the SHA-256 of one file, or of the list of those of several."""
    digests = []
    for each in files:
        digest = hashlib.sha256()
        with open_input(each) as file:
            while (block := file.read(_HEAD)) and not is_stopped():
                digest.update(block)
        if is_stopped():
            raise Interruption
        digests.append(digest.hexdigest())
    if len(digests) == 1:
        return digests[0]
    listed = "".join(f"{digest}  {file.name}\n" for digest, file in zip(digests, files, strict=True))
    return hashlib.sha256(listed.encode()).hexdigest()


# --- PostgreSQL


@contextmanager
def _postgresql(
    address: Address, _options: ReadOptions, _memory: str | None, secrets: Path, _: object
) -> Iterator[Engine]:
    module = _ibis("postgres", "psycopg")
    login = _login(address, secrets)
    with _failures(address):
        backend = module.connect(host=address.host, port=address.port, database=address.database, **login)
    try:
        with _failures(address):
            table = _postgresql_table(backend, address)
        yield Engine(address=address, backend=backend, table=table, version=f"PostgreSQL {backend.version}")
    finally:
        with suppress(Exception):  # whatever an engine raises that is gone already
            backend.disconnect()


def _postgresql_table(backend: Any, address: Address) -> Expression:
    table: Expression = backend.table(address.place, database=address.schema)
    return table


def _login(address: Address, secrets: Path) -> dict[str, str]:
    """Return what the secrets say of an address; PostgreSQL itself finds environment and password file."""
    found: dict[str, str] = {}
    for each in configured(secrets).values():
        place = (each.tables[0].host, each.tables[0].port, each.tables[0].database)
        if place == (address.host, address.port, address.database):
            found = {key: value for key, value in (("user", each.user), ("password", each.password)) if value}
    if address.user:
        found["user"] = address.user
    return found


@dataclass(frozen=True, kw_only=True)
class Connection:
    """A database that the operator has configured, and the tables of it that may be audited."""

    tables: tuple[Address, ...]  # at least one
    user: str = ""
    password: str = field(default="", repr=False)


def configured(secrets: Path = SECRETS) -> Mapping[str, Connection]:
    """Return the connections of ``[engines]`` in the secrets by name; none where there is no such file."""
    try:
        sections = tomllib.loads(secrets.read_text(encoding="utf-8")).get("engines", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}
    found = {}
    for name, each in sections.items():
        places = [f"{str(each.get('address', '')).rstrip('/')}/{table}" for table in each.get("tables", ())]
        tables = tuple(address for place in places if (address := address_of(place)) is not None)
        if tables:
            found[name] = Connection(
                tables=tables, user=str(each.get("user", "")), password=str(each.get("password", ""))
            )
    return found


# --- Spark


@contextmanager
def _spark(
    address: Address, _options: ReadOptions, _memory: str | None, _secrets: Path, _: object
) -> Iterator[Engine]:
    module = _ibis("pyspark", "pyspark")
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise input_error("Spark needs Java, and there is none here. Install Java 17, or set JAVA_HOME.")
    with _failures(address):
        from pyspark.sql import SparkSession  # noqa: PLC0415 - starts Java

        running = SparkSession.getActiveSession()
        builder = SparkSession.builder.appName("AnonAudit").config("spark.ui.enabled", "false")
        if "SPARK_MASTER" in os.environ:
            builder = builder.master(os.environ["SPARK_MASTER"])
        session = running or builder.getOrCreate()
    try:
        with _failures(address):
            session.sparkContext.setLogLevel("OFF")
            backend = module.connect(session)
            table = _spark_table(backend, address)
        yield Engine(address=address, backend=backend, table=table, version=f"Spark {session.version}")
    finally:
        if running is None:
            session.stop()


def _spark_table(backend: Any, address: Address) -> Expression:
    path = Path(address.place)
    is_file = path.suffix.lower() in _PARQUET or path.is_dir()
    table: Expression = backend.read_parquet(path) if is_file else backend.table(address.place)
    return table


# --- what goes wrong there, in our own words: a library's message may quote a cell or a password

# A table that is missing is one of theirs, unless it has a name that Ibis gives to what we keep.
_OURS = (
    r"(?i)(?:relation|table with name|table or view)[\s\"'`.\w]{0,80}\bibis_\w{1,80}[\"'`]?"
    r"\s{1,9}(?:does not exist|cannot be found)"
)
_MISSING = (
    r"(?i)(?:relation|table|view|schema|database)\b[^\n]{0,300}does not exist|TableNotFound|"
    "TABLE_OR_VIEW_NOT_FOUND|PATH_NOT_FOUND|No such file|No files found"
)
_REFUSED = (
    "(?i)password authentication|no password supplied|authentication failed|no pg_hba.conf entry|SCRAM|"
    r"role\b[^\n]{0,300}(?:does not exist|not permitted to log in)"
)
# The first pattern that an error's words hold says what happened.
_SENTENCES: Sequence[tuple[str, str]] = (
    (
        _REFUSED,
        "{table}: the database refuses user or password.",
    ),
    (
        "(?i)No space left|max_temp_directory_size|disk full|could not write|failed to offload",
        "{table}: the disk for intermediate results is full.",
    ),
    (
        "(?i)Out of Memory|OutOfMemory|out of memory|Java heap",
        "{table}: the engine needs more memory than it may take.",
    ),
    (
        "(?i)permission denied|insufficient ?privilege",
        "{table}: the database does not let this user read the table.",
    ),
    (_OURS, "{table}: an intermediate result of this audit is gone from the engine."),
    (_MISSING, "{table}: there is no such table, or not any more."),
    (
        "(?i)terminat|closed|lost|EOF detected|consuming input|broken pipe|stopped|shut ?down",
        "{table}: the connection was lost before the answer. Try again.",
    ),
    (
        "(?i)translate host|Name or service|refused|connection to server at|tim(ed|e) ?out|No route",
        "{table}: the database does not answer. Check its address.",
    ),
    (
        "(?i)CSV Error|Invalid unicode|Expected Number of Columns|unterminated quote",
        "{table}: the records of the text cannot be told apart; check delimiter and quotation marks.",
    ),
    (
        "(?i)parquet|thrift|snappy",
        "{table}: the Parquet file is damaged, cut off or encrypted. Export it again, or as CSV.",
    ),
)
_THEIRS = ("duckdb", "_duckdb", "psycopg", "pyspark", "ibis", "py4j", "sqlglot")


@contextmanager
def _failures(address: Address) -> Iterator[None]:
    """Turn an engine's errors into sentences of ours."""
    try:
        yield
    except (AuditInputError, MemoryError):
        raise
    except Exception as error:  # whatever an engine raises; what is not its own is raised again
        words = f"{type(error).__name__}: {error}"
        for pattern, sentence in _SENTENCES:
            if re.search(pattern, words):
                raise UnansweredError(text(sentence, table=address.name)) from None
        if type(error).__module__.partition(".")[0] in _THEIRS:
            message = "{table}: the engine could not answer ({error})."
            problem = text(message, table=address.name, error=type(error).__name__)
            raise UnansweredError(problem) from None
        raise


def refused_in_engine(options: Sequence[str]) -> AuditInputError:
    """Return the error of options that need the records themselves."""
    return input_error(
        "{options} needs the records themselves, which stay where the table is. Leave it out, or audit a "
        "file.",
        "{options} need the records themselves, which stay where the table is. Leave them out, or audit a "
        "file.",
        n=len(options),
        options=", ".join(options),
    )
