"""Proof of what was found: steps that anybody can run on their own copy of the files.

A step is a sentence, a command of standard tools, and what it prints: counts and numbers of records, never a
cell. What it prints is what its statements print here, run on the tables as the audit read them. Names of
files and columns stand in a command as text that no shell and no terminal takes for more; a command that a
name would keep from running is not given. Commands compare cells as text; where an audit also takes 1 and 1.0
for equal, the sentence says so.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from core.comparing.readings import READINGS
from core.files.plain_text import masked_shapes
from core.lazy_pandas import pd
from core.people.free_text import TextColumn, records_that_name
from core.result import Col, Table
from core.tables import Dataset
from core.words import Text, listed, own, text

MOST_CELLS = 20_000_000  # of a table that steps are worked out for
MOST_OF_PERSONS = 200_000  # records of tables that name persons that steps are worked out for
MOST_NAMED = 10  # records named by number
_LONGEST = 32_000  # letters of a command, which a cell of a workbook and an argument of a program can hold
_AS_TYPED = re.compile(r"[\w.:/,#()+=@*;?\[\]{}-]|(?<=\S) (?=\S)")
_ODD_NAME = re.compile(r"_\d{1,9}$|^Unnamed|[^\w .-]")  # that pandas may call otherwise
_PLAIN_FILE = re.compile(r"\w[\w .()+,=@#-]{0,300}")
_PACKED = (".gz", ".bz2", ".zip", ".xz", ".zst", ".tar")  # names by which pandas unpacks
_READABLE = ("CSV", "XLSX", "XLS", "Parquet")
_STEPS = (
    Col("step", "Step"),
    Col("what", "What it shows", kind="words"),
    Col("command", "Command", kind="code"),
    Col("prints", "It prints", kind="words"),
)


class Step(NamedTuple):
    """A check that a sceptic can run."""

    what: str
    command: str
    prints: str


NOTE = (
    "Run each command in the folder of the files, with Python 3 and pandas. Records count from 1, without "
    "the header. No cell is printed. Workbooks need openpyxl or xlrd too, and Parquet files pyarrow."
)


def proof_tables(steps: Iterable[Step], *, note: str = NOTE, of: str = "") -> tuple[Table, ...]:
    """Return the steps of a run, or of one of its files, as a table; none where there is no step.

    Commands that are too long are left out.
    """
    short = (each for each in steps if len(each.command.encode("utf-16-le")) // 2 <= _LONGEST)
    rows = [(number, own(each.what), each.command, each.prints) for number, each in enumerate(short, start=1)]
    name, title = "Proof", "Check it yourself"
    if of:
        name, title = f"{name} {of}", text("{file}: {title}", file=of, title=own(title))
    return (Table("", title, _STEPS, rows, note, name=name),) if rows else ()


def is_provable(*datasets: Dataset) -> bool:
    """Return whether tables are small enough that steps are worked out, and commands can read them."""
    return all(
        each.n_records * len(each.columns) <= MOST_CELLS
        and each.reading.format in _READABLE
        and (each.reading.format != "Parquet" or each.reading.header_line == 1)
        and can_be_opened(each.name)
        and not any(map(_is_broken, each.columns))
        for each in datasets
    )


def can_be_opened(name: str) -> bool:
    """Return whether a command can open a file by its name, and opens none outside its folder."""
    return bool(name) and not _is_broken(name) and not name.startswith("/") and ".." not in name.split("/")


def _is_broken(name: str) -> bool:
    """Return whether no text of a command can hold a name."""
    return "\0" in name or any("\ud800" <= letter <= "\udfff" for letter in name)


def python_command(*statements: str) -> str:
    """Return statements that read tables as one command of a shell."""
    return shell_command("import pandas as pd", *statements)


def shell_command(*statements: str) -> str:
    """Return statements as one command of a shell; nothing that lies beside the files is imported."""
    safe = "import sys; sys.path = [*filter(None, sys.path)]"
    return f"python3 -c {shlex.quote('; '.join((safe, *statements)))}"


class Read(NamedTuple):
    """A table as a command reads it: the code that does, and what it comes to here."""

    code: str
    frame: pd.DataFrame

    @classmethod
    def of(cls, dataset: Dataset, columns: Iterable[str]) -> Read:
        """Return a table as text with missing cells as empty ones; here those columns alone."""
        missing = literal(["", *dataset.reading.options.missing_spellings])
        blanked = f'.fillna("").apply(lambda c: c.mask(c.str.strip().isin({missing}), ""))'
        cells = {name: _plain_cells(dataset.table[name]) for name in columns}
        return cls(_read_code(dataset) + blanked, pd.DataFrame(cells))


def _plain_cells(column: pa.ChunkedArray) -> pd.Series:
    cells = column.cast(pa.large_string())
    is_blank = pc.equal(pc.utf8_trim_whitespace(cells), "")
    return pc.fill_null(pc.if_else(is_blank, "", cells), "").to_pandas()


# A text with a letter before it, one between single quotes, or one as `literal` writes it.
_TEXTS = re.compile(r"""[a-zA-Z]"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|"((?:[^"\\]|\\.)*)\"""")


class Session:
    """A Python in which tables stand under short names, and statements are run as their command has them."""

    def __init__(self, tables: Mapping[str, Read], *prepare: str) -> None:
        """Give names to tables, and run the statements that all commands begin with."""
        self._before = (*(f"{name} = {each.code}" for name, each in tables.items()), *prepare)
        self._printed = printed = list[str]()
        self.names: dict[str, Any] = {name: each.frame for name, each in tables.items()}
        self.names |= {"pd": pd, "print": lambda *words: printed.append(" ".join(map(str, words)))}
        self.run(*prepare)

    def run(self, *statements: str) -> str:
        """Return what statements print; texts in them are run as variables, so that no name is ever code."""
        self._printed.clear()
        exec(_TEXTS.sub(self._variable, "\n".join(statements)), self.names)  # noqa: S102 - our own statements
        return "\n".join(self._printed)

    def _variable(self, found: re.Match[str]) -> str:
        """Return the variable of a text between double quotes; other texts as they are."""
        if found[1] is None:
            return found[0]
        name = f"_text_{len(self.names)}"
        self.names[name] = found[1].encode("latin-1", "backslashreplace").decode("unicode_escape")
        return name

    def step(self, what: Callable[..., Text], *statements: str) -> Iterator[Step]:
        """Yield the step of statements, said by the numbers that they print; none where the first is 0."""
        printed = self.run(*statements)
        found = [int(number) for number in re.findall(r"\d+", printed)]
        if found and found[0]:
            yield Step(what(*found), python_command(*self._before, *statements), printed)


def _read_code(dataset: Dataset) -> str:
    options, name = dataset.reading.options, file_code(dataset.name)
    is_plain = not dataset.reading.notes and not any(map(_ODD_NAME.search, dataset.columns))
    if dataset.reading.format == "Parquet":
        names = "" if is_plain else f".set_axis({literal(dataset.columns)}, axis=1)"
        as_text = '.pipe(lambda d: d.astype(str).mask(d.isna(), ""))'
        return f'pd.read_parquet({name}, dtype_backend="pyarrow"){names}{as_text}'
    if options.header == "none":
        header = f"header=None, names={literal(dataset.columns)}"
    else:
        line = {"first_line": 0, "second_line": 1}.get(options.header)
        header = f"header={int(options.header) - 1 if options.header.isdigit() else line or 0}"
        header += "" if is_plain else f", names={literal(dataset.columns)}"
    if dataset.reading.format in ("XLSX", "XLS"):
        sheet = literal(options.sheet) if options.sheet else "0"
        return f"pd.read_excel({name}, sheet_name={sheet}, {header}, dtype=str, keep_default_na=False)"
    how = f"sep={literal(options.delimiter or ',')}, encoding={literal(options.encoding or 'utf-8')}"
    if dataset.name.lower().endswith(_PACKED):
        how += f", compression={None}"  # it was read as text, whatever its name says
    return f"pd.read_csv({name}, {how}, {header}, dtype=str, keep_default_na=False)"


def file_code(name: str) -> str:
    """Return the name of a file in the folder as Python writes it; none is an address or an option."""
    return literal(name if _PLAIN_FILE.fullmatch(name) else f"./{name}")


def literal(value: str | Sequence[str]) -> str:
    """Return text, or texts, as Python writes them.

    All but letters, digits and plain signs is written by its number: quotation marks, what shells replace,
    what cannot be seen, what turns the direction of writing, and spaces that a page would show as one.
    """
    if not isinstance(value, str):
        return f"[{', '.join(map(literal, value))}]"
    return '"' + "".join(_typed(value, place) for place in range(len(value))) + '"'


def _typed(words: str, place: int) -> str:
    """Return a letter of a text as a command has it."""
    if _AS_TYPED.match(words, place):
        return words[place]
    number = ord(words[place])
    return f"\\u{number:04x}" if number < 1 << 16 else f"\\U{number:08x}"


_SUPPRESSED_LEFT_OUT = (
    't = t[(t[q] == "").all(axis=1) | ~t[q].apply(lambda c: c.str.fullmatch("[*]*")).all(axis=1)]'
)


def small_class_steps(
    dataset: Dataset, columns: Sequence[str], *, k: int, with_blanks: bool = False
) -> Iterator[Step]:
    """Yield how many records share all of some columns with fewer than `k`, and which are alone.

    Records blank in all of them are left out; `with_blanks` only those that have stars too.
    """

    def small(found: int, n: int) -> Text:
        return text(
            "{found} of {n} record shares all of {columns} with fewer than {k}, itself included.",
            "{found} of {n} records share all of {columns} with fewer than {k}, themselves included.",
            n=n,
            found=found,
            columns=listed(list(columns)),
            k=k,
        )

    def alone(n: int, first: int, *_: int) -> Text:
        cells = pa.array(session.names["t"].loc[first - 1, list(columns)].tolist(), pa.large_string())
        return text(
            "{n} record is alone with its values: who knows them has one candidate. Shape: {shape}.",
            "{n} records are alone with their values: who knows them has one candidate. Shape of the "
            "first: {shape}.",
            n=n,
            shape=", ".join(masked_shapes(cells).to_pylist()),
        )

    session = Session(
        {"t": Read.of(dataset, columns)},
        f"q = {literal(columns)}",
        _SUPPRESSED_LEFT_OUT if with_blanks else 't = t[(t[q] != "").any(axis=1)]',
        'n = t.groupby(q)[q[0]].transform("size")',
    )
    yield from session.step(small, f'print((n < {k}).sum(), "of", len(t))')
    listing = f'print(len(a), "alone:", *[i + 1 for i in a[:{MOST_NAMED}]])'
    yield from session.step(alone, "a = t.index[n == 1]", listing)


class Told(NamedTuple):
    """A table with a column that names persons, and what it says of them."""

    dataset: Dataset
    person: str
    columns: tuple[str, ...]


def person_steps(told: Sequence[Told], *, k: int) -> Iterator[Step]:
    """Yield how many persons share all that tables say of them with fewer than `k`."""
    if not told or sum(each.dataset.n_records for each in told) > MOST_OF_PERSONS:
        return

    def small(found: int, n: int, alone: int) -> Text:
        return text(
            "{found} of {n} person shares all that {columns} say together with fewer than {k}, itself "
            "included; {alone} is alone.",
            "{found} of {n} persons share all that {columns} say together with fewer than {k}, themselves "
            "included; {alone} are alone.",
            n=n,
            found=found,
            columns=listed([f"{each.dataset.name}: {column}" for each in told for column in each.columns]),
            k=k,
            alone=alone,
        )

    columns = [(each.person, *each.columns) for each in told]
    tables = ", ".join(f"(t{number}, {literal(names)})" for number, names in enumerate(columns))
    read = [Read.of(each.dataset, dict.fromkeys(names)) for each, names in zip(told, columns, strict=True)]
    session = Session(
        {f"t{number}": each for number, each in enumerate(read)},
        "import collections",
        "d = collections.defaultdict(list)",
        "[d[r[0].strip()].append((str(i), *r[1:])) "
        f"for i, (t, c) in enumerate([{tables}]) "
        "for r in t[c].itertuples(index=False) if r[0].strip()]",
        "n = collections.Counter(tuple(sorted(v)) for v in d.values()).values()",
    )
    counts = f'print(sum(m for m in n if m < {k}), "of", len(d), "-", sum(m == 1 for m in n), "alone")'
    yield from session.step(small, counts)


def text_steps(dataset: Dataset, texts: Iterable[TextColumn]) -> Iterator[Step]:
    """Yield which cells of free text tell who somebody is, for a person to read in their own copy."""
    for each in texts:
        if not each.n_found:
            continue
        found = records_that_name(dataset.table, each) + 1
        told = text(
            "{n} cell of {column} says in its words who somebody is. Read it in your copy: the command "
            "prints its record, and how many characters it has.",
            "{n} cells of {column} say in their words who somebody is. Read the first of them in your "
            "copy: the command prints their records, and how many characters each has.",
            n=len(found),
            column=f"`{each.column}`",
        )
        session = Session({"t": Read.of(dataset, [each.column])}, f"c = t[{literal(each.column)}]")
        first = found[:MOST_NAMED].tolist()
        listing = f'print(*[f"{{i}}:{{len(c[i - 1])}}" for i in {first}])'
        yield from session.step(lambda *_, told=told: told, listing)


_IMPORTS = "import base64, codecs, hashlib, re"
_FORMS = {  # code that writes a value `v` otherwise, and how that reads
    "v": text("as they were"),
    "v.upper()": text("in capital letters"),
    "v.lower()": text("in small letters"),
    "base64.b64encode(v.encode()).decode()": text("in Base64"),
    "v.encode().hex()": text("in hexadecimal"),
    **{reading.code: own(reading.how) for reading in READINGS if reading.code},
    r're.sub(r"[\W_]", "", v)': text("as their letters and digits alone"),
    **{
        f"hashlib.{name}(v.encode()).hexdigest()": text("as their {name} digests", name=label)
        for name, label in (
            ("md5", "MD5"),
            ("sha1", "SHA-1"),
            ("sha256", "SHA-256"),
            ("sha512", "SHA-512"),
        )
    },
}
_AMOUNTS = (  # numbers, and days
    'pd.to_numeric(s, errors="coerce")',
    '(pd.to_datetime(s, errors="coerce", format="%Y-%m-%d") - pd.Timestamp(0)).dt.days',
)
_FEWEST_UNDONE = 3  # distinct values
_MOST_TRIED = 1_000  # distinct values, of which one has to be found before all are tried


def disguise_steps(original: Dataset, anonymized: Dataset, column: str, name: str) -> Iterator[Step]:
    """Yield the simplest step that finds most values of an original column in a column of another table.

    None where no usual way of writing values otherwise, nor one constant, explains most of them, and of a
    column of few values, which chance explains.
    """
    session = Session(
        {"a": Read.of(original, [column]), "b": Read.of(anonymized, [name])},
        _IMPORTS,
        f"x, y = a[{literal(column)}].str.strip(), b[{literal(name)}].str.strip()",
        'p={*x}-{""}',
        'q={*y}-{""}',
    )
    known, there = session.names["p"], session.names["q"]
    if 2 * len(known) < original.n_records:
        return  # few values stand in any column by chance
    session.names["sample"] = [*dict.fromkeys(session.names["x"])][:_MOST_TRIED]
    fewest = max(_FEWEST_UNDONE, 0.5 * min(len(known), len(there)))
    for code, how in [*_FORMS.items()][column == name :]:

        def found_so(found: int, n: int, how: Text = how) -> Text:
            return text(
                "{found} of {n} distinct values of the original column {original} stand in {column}, "
                "{how}: whoever knows the values finds them.",
                found=found,
                n=n,
                original=f"`{column}`",
                column=f"`{name}`",
                how=how,
            )

        of_some, of_all = (
            f'print(sum(w in q for v in {values} for w in [{code}] if w), "of", len(p))'
            for values in ("sample", "p")
        )
        if not session.run(of_some).startswith("0 "):
            for step in session.step(found_so, of_all):
                if int(step.prints.split()[0]) >= fewest:
                    yield step
                    return
    if original.n_records == anonymized.n_records:
        yield from _shifted(session, column, name)


def _shifted(session: Session, column: str, name: str) -> Iterator[Step]:
    """Yield the step of numbers or days that differ from the original's in their row by one constant."""

    def shifted(found: int, n: int) -> Text:
        return text(
            "In {found} of {n} rows the value of {column} is that of the original column {original} "
            "and one constant: one known value undoes all. The constant is not told here.",
            found=found,
            n=n,
            original=f"`{column}`",
            column=f"`{name}`",
        )

    for code in _AMOUNTS:
        differences = (f"f = lambda s: {code}", "d = (f(y) - f(x)).round(6).dropna()")
        session.run(*differences)
        counts = session.names["d"].value_counts()
        known = session.names["f"](session.names["x"])
        most = counts.iloc[0] if len(counts) and counts.index[0] != 0 else 0
        if most >= max(_FEWEST_UNDONE, len(known) / 2) and known.nunique() >= _FEWEST_UNDONE:
            yield from session.step(shifted, *differences, 'print(d.value_counts().iloc[0], "of", len(d))')
            return
