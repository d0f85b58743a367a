"""A PostgreSQL of the tests' own."""

import os
import shutil
import socket
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

_PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
_NOT_ROOT = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups") if os.getuid() == 0 else ()
USER, PASSWORD = "auditor", "correct horse"


class Server:
    """A PostgreSQL that listens on this machine alone."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port

    def run(self, program: str, *words: str) -> None:
        """Run one of its programs as a user that is not root."""
        command = [*_NOT_ROOT, str(_PROGRAMS[-1] / program), *words]
        subprocess.run(command, check=True, capture_output=True, timeout=120, cwd=self.folder)

    def execute(self, sql: str) -> None:
        """Run a statement as its owner."""
        psycopg = pytest.importorskip("psycopg")
        with psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user="owner",
            password=PASSWORD,
            dbname="postgres",
            autocommit=True,
        ) as own:
            own.execute(sql)

    def table(self, table: pa.Table, name: str = "t") -> str:
        """Load a table, give its address; what it is called begins with its name."""
        psycopg = pytest.importorskip("psycopg")
        name = f"{name}_{uuid.uuid4().hex[:12]}"
        columns = ", ".join(f'"{field.name}" {_TYPES[str(field.type)]}' for field in table.schema)
        self.execute(f'CREATE TABLE "{name}" ({columns}); GRANT SELECT ON "{name}" TO {USER}')
        with (
            psycopg.connect(
                host="127.0.0.1", port=self.port, user="owner", password=PASSWORD, dbname="postgres"
            ) as own,
            own.cursor() as cursor,
            cursor.copy(f'COPY "{name}" FROM STDIN') as copy,
        ):
            for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                copy.write_row(row)
        return f"postgresql://127.0.0.1:{self.port}/postgres/public.{name}"


_TYPES = {
    "string": "text",
    "int32": "integer",
    "int64": "bigint",
    "float": "real",
    "double": "double precision",
    "decimal128(9, 2)": "numeric(9, 2)",
    "bool": "boolean",
    "date32[day]": "date",
    "timestamp[us]": "timestamp",
}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("psycopg")
    if not _PROGRAMS or (_NOT_ROOT and not shutil.which("setpriv")):
        pytest.skip("PostgreSQL is not installed")
    folder = Path("/tmp") / f"anonaudit-{uuid.uuid4().hex[:8]}"  # a socket's path may not be long  # noqa: S108
    folder.mkdir()
    if _NOT_ROOT:
        shutil.chown(folder, "postgres", "postgres")
    own = Server(folder, free_port())
    try:
        secret = folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        if _NOT_ROOT:
            shutil.chown(secret, "postgres", "postgres")
        own.run(
            "initdb",
            "-D",
            f"{folder}/data",
            "-U",
            "owner",
            "-A",
            "scram-sha-256",
            f"--pwfile={secret}",
            "-E",
            "UTF8",
            "--no-locale",
            "-N",
        )
        options = f"-p {own.port} -h 127.0.0.1 -k {folder} -F"
        own.run("pg_ctl", "-D", f"{folder}/data", "-o", options, "-w", "-l", f"{folder}/log", "start")
        try:
            own.execute(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")
            yield own
        finally:
            own.run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
