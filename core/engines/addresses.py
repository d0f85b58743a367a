"""Where a table is: ``duckdb:FILE``, ``postgresql://HOST/DB/SCHEMA.TABLE`` or ``spark:TABLE``."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from core.words import input_error

EngineName = Literal["duckdb", "postgresql", "spark"]

_FORMS = "duckdb:FILE, duckdb:FOLDER, postgresql://HOST/DATABASE/SCHEMA.TABLE, spark:TABLE, spark:FILE"
_PORT = 5432


@dataclass(frozen=True, kw_only=True)
class Address:
    """A table's address, without anything that has to be kept secret."""

    engine: EngineName
    place: str  # the file, folder or table
    host: str = ""  # of PostgreSQL, as are those that follow
    port: int = _PORT
    database: str = ""
    schema: str | None = None
    user: str | None = None  # never shown

    @property
    def name(self) -> str:
        """Return what reports call the table."""
        if self.engine != "postgresql":
            return self.place.rstrip("/").rpartition("/")[2] or self.place
        return self.place if self.schema is None else f"{self.schema}.{self.place}"

    def __str__(self) -> str:
        """Return the address as reports show it."""
        if self.engine != "postgresql":
            return f"{self.engine}:{self.place}"
        port = "" if self.port == _PORT else f":{self.port}"
        return f"postgresql://{self.host}{port}/{self.database}/{self.name}"


def address_of(given: str) -> Address | None:
    """Return the address that a word of the command line is, None where it is a file as always.

    Raises
    ------
    AuditInputError
        An address that lacks a part, or holds a password.
    """
    for engine in ("duckdb", "spark"):
        if given.startswith(f"{engine}:"):
            place = given.removeprefix(f"{engine}:")
            if not place:
                raise input_error(
                    "{engine}: names no table; an address is one of {forms}.", engine=engine, forms=_FORMS
                )
            return Address(engine="duckdb" if engine == "duckdb" else "spark", place=place)
    if not given.startswith(("postgresql://", "postgres://")):
        return None
    return _of_postgresql(given)


def _of_postgresql(given: str) -> Address:
    try:
        parts = urlsplit(given)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise input_error(
            "The address of the table cannot be read; an address is one of {forms}.", forms=_FORMS
        ) from None
    if parts.password is not None or parts.query or parts.fragment:
        raise input_error(
            "The address holds a password or options, which others on this machine can read there. Leave "
            "them out, and put the password in PGPASSWORD, the password file of PostgreSQL, or "
            ".streamlit/secrets.toml."
        )
    database, _, table = parts.path.strip("/").partition("/")
    if not (host and database and table) or "/" in table:
        raise input_error(
            "The address names no host, database or table; an address is one of {forms}.", forms=_FORMS
        )
    schema, _, name = unquote(table).rpartition(".")
    return Address(
        engine="postgresql",
        place=name,
        host=host,
        port=port or _PORT,
        database=unquote(database),
        schema=schema or None,
        user=unquote(parts.username) if parts.username else None,
    )
