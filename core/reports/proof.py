"""Proof of an attack: steps that anybody can run on their own copy of the files; or what was tried.

A step is a sentence, a command of standard tools, and what it prints: counts and numbers of records, never a
cell. Names of files and columns stand in a command as text that no shell and no terminal takes for more; a
command that a name would keep from running is not given. Commands compare cells as text; where an audit also
takes 1 and 1.0 for equal, the sentence says so.
"""

import base64
import codecs
import hashlib
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import IntArray
from core.free_text import TextColumn, records_that_name
from core.measures import MEASURES
from core.plain import masked_shapes
from core.reports.model import Column, Figure, ReportTable, Table, figure_text, table_of
from core.tables import Dataset
from core.words import Text, counted, listed, own, text

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
    Column("step", "Step"),
    Column("what", "What it shows", kind="words"),
    Column("command", "Command", kind="code"),
    Column("prints", "It prints", kind="words"),
)
_TRIED = (
    Column("attack", "Attack", kind="words"),
    Column("budget", "How far it went", kind="words"),
    Column("outcome", "What came of it", kind="words"),
)


class Step(NamedTuple):
    """A check that a sceptic can run."""

    what: str
    command: str
    prints: str


class Tried(NamedTuple):
    """An attack that was tried, how far, and what came of it."""

    attack: str
    budget: str
    outcome: str


_NOTE = (
    "Run each command in the folder of the files, with Python 3 and pandas. Records count from 1, without "
    "the header. No cell is printed. Workbooks need openpyxl or xlrd too, and Parquet files pyarrow."
)


def proof_tables(steps: Iterable[Step], *, note: str = _NOTE, of: str = "") -> tuple[ReportTable, ...]:
    """Return steps as a table, but for commands that are too long; nothing where there are none."""
    short = (each for each in steps if len(each.command.encode("utf-16-le")) // 2 <= _LONGEST)
    rows = [(number, own(each.what), each.command, each.prints) for number, each in enumerate(short, start=1)]
    return _named("Proof", "Check it yourself", table_of(rows, _STEPS), note=note, of=of)


def tried_tables(tried: Iterable[Tried], *, of: str = "") -> tuple[ReportTable, ...]:
    """Return attacks that were tried as a table; nothing where there were none."""
    rows = [tuple(own(words) for words in each) for each in tried]
    note = "What is not in this list was not tried. Who knows more, or computes longer, may get further."
    return _named("Tried", "Attacks that were tried", table_of(rows, _TRIED), note=note, of=of)


def figure_tried(figure: Figure, budget: Text) -> Tried:
    """Return an attack whose success is one of the figures of a report."""
    attack = text("{what}: {of}", what=own(MEASURES[figure.measure].label), of=own(figure.of))
    label = own(MEASURES[figure.measure].label)
    return Tried(attack if figure.of else label, budget, own(figure_text(figure)))


def _named(name: str, title: str, frame: Table, *, note: str, of: str) -> tuple[ReportTable, ...]:
    """Return a table of a run, or of one of its files; nothing where it has no row."""
    if not len(frame):
        return ()
    if of:
        name, title = f"{name} {of}", text("{file}: {title}", file=of, title=own(title))
    return (ReportTable(name, title, frame, note=note),)


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


def reading_code(variable: str, dataset: Dataset) -> str:
    """Return the statement that reads a table as text, missing cells as empty ones."""
    missing = literal(["", *dataset.reading.options.missing_spellings])
    blanked = f'.fillna("").apply(lambda c: c.mask(c.str.strip().isin({missing}), ""))'
    return f"{variable} = {_read_code(dataset)}{blanked}"


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


def plain_cells(dataset: Dataset, names: Sequence[str], *, trimmed: bool = False) -> list[pa.ChunkedArray]:
    """Return columns as the commands read them: missing cells are empty ones."""
    found = []
    for name in names:
        column = dataset.table[name].cast(pa.large_string())
        trim = pc.utf8_trim_whitespace(column)
        column = trim if trimmed else column
        found.append(pc.fill_null(pc.if_else(pc.equal(trim, ""), "", column), ""))
    return found


def whole_rows(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    """Return rows as one text each, which are equal where all cells are."""
    return pc.binary_join_element_wise(*columns, pa.scalar("\x1f", pa.large_string()))


def numbers(positions: IntArray) -> str:
    """Return the first record numbers, from 1, as a command prints them."""
    return " ".join(str(number) for number in (np.asarray(positions) + 1)[:MOST_NAMED].tolist())


def small_class_steps(dataset: Dataset, columns: Sequence[str], *, k: int) -> Iterator[Step]:
    """Yield how many records share all of some columns with fewer than `k`, and which are alone."""
    cells = plain_cells(dataset, columns)
    shown = np.logical_or.reduce([column.to_numpy() != "" for column in cells])
    rows = whole_rows(cells).to_numpy()[shown]
    _, codes, counts = np.unique(rows, return_inverse=True, return_counts=True)
    sizes, places = counts[codes], np.flatnonzero(shown)
    small, alone = int((sizes < k).sum()), places[sizes == 1]
    prepare = (
        reading_code("t", dataset),
        f"q = {literal(columns)}",
        't = t[(t[q] != "").any(axis=1)]',
        'n = t.groupby(q)[q[0]].transform("size")',
    )
    if small:
        yield Step(
            text(
                "{found} of {n} record shares all of {columns} with fewer than {k}, itself included.",
                "{found} of {n} records share all of {columns} with fewer than {k}, themselves included.",
                n=len(sizes),
                found=small,
                columns=listed(list(columns)),
                k=k,
            ),
            python_command(*prepare, f'print((n < {k}).sum(), "of", len(t))'),
            f"{small} of {len(sizes)}",
        )
    if len(alone):
        shapes = [masked_shapes(column.take([alone[0]])).to_pylist()[0] for column in cells]
        yield Step(
            text(
                "{n} record is alone with its values: who knows them has one candidate. Shape: {shape}.",
                "{n} records are alone with their values: who knows them has one candidate. Shape of the "
                "first: {shape}.",
                n=len(alone),
                shape=", ".join(shapes),
            ),
            python_command(
                *prepare,
                "a = t.index[n == 1]",
                f'print(len(a), "alone:", *[i + 1 for i in a[:{MOST_NAMED}]])',
            ),
            f"{len(alone)} alone: {numbers(alone)}",
        )


class Told(NamedTuple):
    """A table with a column that names persons, and what it says of them."""

    dataset: Dataset
    person: str
    columns: tuple[str, ...]

    @property
    def code(self) -> str:
        """Return the columns as a command names them, the person first."""
        return literal([self.person, *self.columns])


def person_steps(told: Sequence[Told], *, k: int) -> Iterator[Step]:
    """Yield how many persons share all that tables say of them with fewer than `k`."""
    if not told or sum(each.dataset.n_records for each in told) > MOST_OF_PERSONS:
        return
    known: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for number, each in enumerate(told):
        (persons,) = plain_cells(each.dataset, [each.person], trimmed=True)
        columns = [column.to_pylist() for column in plain_cells(each.dataset, each.columns)]
        for person, *cells in zip(persons.to_pylist(), *columns, strict=True):
            if person:
                known[person].append((str(number), *cells))
    sizes = Counter(tuple(sorted(records)) for records in known.values()).values()
    small, alone = sum(size for size in sizes if size < k), sum(size == 1 for size in sizes)
    if not small:
        return
    tables = ", ".join(f"(t{number}, {each.code})" for number, each in enumerate(told))
    yield Step(
        text(
            "{found} of {n} person shares all that {columns} say together with fewer than {k}, itself "
            "included; {alone} is alone.",
            "{found} of {n} persons share all that {columns} say together with fewer than {k}, themselves "
            "included; {alone} are alone.",
            n=len(known),
            found=small,
            columns=listed([f"{each.dataset.name}: {column}" for each in told for column in each.columns]),
            k=k,
            alone=alone,
        ),
        python_command(
            *(reading_code(f"t{number}", each.dataset) for number, each in enumerate(told)),
            "import collections",
            "d = collections.defaultdict(list)",
            "[d[r[0].strip()].append((str(i), *r[1:])) "
            f"for i, (t, c) in enumerate([{tables}]) "
            "for r in t[c].itertuples(index=False) if r[0].strip()]",
            "n = collections.Counter(tuple(sorted(v)) for v in d.values()).values()",
            f'print(sum(m for m in n if m < {k}), "of", len(d), "-", sum(m == 1 for m in n), "alone")',
        ),
        f"{small} of {len(known)} - {alone} alone",
    )


def text_steps(dataset: Dataset, texts: Iterable[TextColumn]) -> Iterator[Step]:
    """Yield which cells of free text tell who somebody is, for a person to read in their own copy."""
    for each in texts:
        if not each.n_found:
            continue
        found = records_that_name(dataset.table, each)
        (cells,) = plain_cells(dataset, [each.column])
        first = found[:MOST_NAMED].tolist()
        yield Step(
            text(
                "{n} cell of {column} says in its words who somebody is. Read it in your copy: the command "
                "prints its record, and how many characters it has.",
                "{n} cells of {column} say in their words who somebody is. Read the first of them in your "
                "copy: the command prints their records, and how many characters each has.",
                n=len(found),
                column=f"`{each.column}`",
            ),
            python_command(
                reading_code("t", dataset),
                f"c = t[{literal(each.column)}]",
                f'print(*[f"{{i}}:{{len(c[i - 1])}}" for i in {[n + 1 for n in first]}])',
            ),
            " ".join(f"{n + 1}:{len(cells[n].as_py())}" for n in first),
        )


def texts_tried(texts: Sequence[TextColumn]) -> Tried:
    """Return what looking for people in the words of a table came to."""
    cells = counted(sum(each.n_cells for each in texts), "cell")
    columns = counted(len(texts), "column")
    return Tried(
        text("Names, addresses and numbers of people in the words of cells"),
        text("every cell; free text, or names: {columns} of {cells}", columns=columns, cells=cells),
        text("{n} cell", "{n} cells", n=sum(each.n_found for each in texts)),
    )


class _Form(NamedTuple):
    """A way to write a value otherwise: in words, as code of the value ``v``, and what that does."""

    how: str
    code: str
    of: Callable[[str], str]


def _digest(name: str) -> _Form:
    label = {"md5": "MD5", "sha1": "SHA-1"}.get(name, f"SHA-{name[3:]}")
    return _Form(
        text("as their {name} digests", name=label),
        f"hashlib.{name}(v.encode()).hexdigest()",
        lambda value: hashlib.new(name, value.encode(), usedforsecurity=False).hexdigest(),
    )


_FORMS = (
    _Form(text("as they were"), "v", str),
    _Form(text("in capital letters"), "v.upper()", str.upper),
    _Form(text("in small letters"), "v.lower()", str.lower),
    _Form(text("read backwards"), "v[::-1]", lambda value: value[::-1]),
    _Form(
        text("in Base64"),
        "base64.b64encode(v.encode()).decode()",
        lambda value: base64.b64encode(value.encode()).decode(),
    ),
    _Form(text("in hexadecimal"), "v.encode().hex()", lambda value: value.encode().hex()),
    _Form(text("in ROT13"), 'codecs.encode(v, "rot13")', lambda value: codecs.encode(value, "rot13")),
    _Form(text("as their digits alone"), r're.sub(r"\D", "", v)', lambda value: re.sub(r"\D", "", value)),
    _Form(
        text("as their letters and digits alone"),
        r're.sub(r"[\W_]", "", v)',
        lambda value: re.sub(r"[\W_]", "", value),
    ),
    *map(_digest, ("md5", "sha1", "sha256", "sha512")),
)
_FEWEST_UNDONE = 3  # distinct values
_MOST_TRIED = 1_000  # distinct values, of which one has to be found before all are tried
_IMPORTS = "import base64, codecs, hashlib, re"


def disguise_step(original: Dataset, anonymized: Dataset, column: str, name: str) -> Step | None:
    """Return the simplest step that finds most values of an original column in a column of another table.

    None where no usual way of writing values otherwise, nor one constant, explains most of them, and of a
    column of few values, which chance explains.
    """
    sides = [
        pc.utf8_trim_whitespace(plain_cells(each, [one])[0]).to_pandas()
        for each, one in ((original, column), (anonymized, name))
    ]
    x, y = ([each for each in dict.fromkeys(side) if each] for side in sides)
    there, fewest = {*y}, 0.5 * min(len(x), len(y))
    sample = x[:_MOST_TRIED]
    prepare = (
        _IMPORTS,
        reading_code("a", original),
        reading_code("b", anonymized),
        f"x, y = a[{literal(column)}].str.strip(), b[{literal(name)}].str.strip()",
    )
    if 2 * len(x) < original.n_records:
        return None  # few values stand in any column by chance
    for form in _FORMS[column == name :]:
        if not any(made and made in there for made in map(form.of, sample)):
            continue
        found = sum(bool(made) and made in there for made in map(form.of, x))
        if found >= max(_FEWEST_UNDONE, fewest):
            return _written_so(
                form,
                f"{found} of {len(x)}",
                prepare,
                text(
                    "{found} of {n} distinct values of the original column {original} stand in {column}, "
                    "{how}: whoever knows the values finds them.",
                    found=found,
                    n=len(x),
                    original=f"`{column}`",
                    column=f"`{name}`",
                    how=own(form.how),
                ),
            )
    if original.n_records == anonymized.n_records:
        return _shifted(*sides, prepare=prepare, column=column, name=name)
    return None


def _written_so(form: _Form, prints: str, prepare: Sequence[str], what: Text) -> Step:
    """Return the step of values that stand in a column in some form."""
    count = f'print(sum(w in y for v in x for w in [{form.code}] if w), "of", len(x))'
    return Step(what, python_command(*prepare, 'x={*x}-{""}', 'y={*y}-{""}', count), prints)


_AMOUNTS: Mapping[str, Callable[[pd.Series], pd.Series]] = {  # numbers, and days
    'pd.to_numeric(s, errors="coerce")': lambda cells: pd.Series(pd.to_numeric(cells, errors="coerce")),
    '(pd.to_datetime(s, errors="coerce", format="%Y-%m-%d") - pd.Timestamp(0)).dt.days': lambda cells: (
        (pd.to_datetime(cells, errors="coerce", format="%Y-%m-%d") - pd.Timestamp(0)).dt.days
    ),
}


def _shifted(x: pd.Series, y: pd.Series, *, prepare: Sequence[str], column: str, name: str) -> Step | None:
    """Return the step of numbers or days that differ from the original's in their row by one constant."""
    for code, of in _AMOUNTS.items():
        known, other = of(x), of(y)
        between = (other - known).round(6).dropna()
        counts = between.value_counts()
        found = int(counts.iloc[0]) if len(counts) and counts.index[0] != 0 else 0
        if found >= max(_FEWEST_UNDONE, len(x) / 2) and known.nunique() >= _FEWEST_UNDONE:
            return Step(
                text(
                    "In {found} of {n} rows the value of {column} is that of the original column {original} "
                    "and one constant: one known value undoes all. The constant is not told here.",
                    found=found,
                    n=len(between),
                    original=f"`{column}`",
                    column=f"`{name}`",
                ),
                python_command(
                    *prepare,
                    f"f = lambda s: {code}",
                    "d = (f(y) - f(x)).round(6).dropna()",
                    'print(d.value_counts().iloc[0], "of", len(d))',
                ),
                f"{found} of {len(between)}",
            )
    return None
