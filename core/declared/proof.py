"""How a sceptic sees that a delivery is not as declared: released cells beside the original ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.declared.lines import Line, Shown
from core.declared.measuring import Declared, Originals
from core.declared.rules import matches
from core.reports.proof import Read, Session, Step, disguise_steps, literal
from core.tables import Dataset
from core.verdict import Verdict
from core.words import counted, listed, own, text

FOLDER = "original"  # where the originals are, beside the released files
NOTE = text(
    "The originals are in a folder {folder} beside the released files, and so is the mapping beside these.",
    folder=f"`{FOLDER}`",
)
_FOLD = ("import re", r"f = lambda v: re.sub(r'[\W_]', '', v).lower().lstrip('0')")
# What is printed of released cells x and original ones y, and what it says
_PRINTED: Mapping[str, tuple[str, str]] = {
    "alike": (
        'print(sum(v == w for v, w in zip(x, y)), "of", len(x))',
        "{column} is what {original} is: {found} of {n} looked at.",
    ),
    "unlike": (
        'print(sum(v != w for v, w in zip(x, y)), "of", len(x))',
        "{column} is not what {original} is: {found} of {n} looked at.",
    ),
    "filled": (
        'print(sum(map(bool, x)), "of", len(x))',
        "{column} holds something: {found} of {n} looked at.",
    ),
    "blank": (
        'print(sum(w > v == "" for v, w in zip(x, y)), "of", len(x))',
        "{column} has lost what {original} is: {found} of {n} looked at.",
    ),
    "mapped": (
        'print(sum(d.get(w) != v for v, w in zip(x, y)), "of", len(x))',
        "{column} is not what the mapping says of {original}: {found} of {n} looked at.",
    ),
    "held": (
        'print(sum(f(w) in f(v) for v, w in zip(x, y)), "of", len(x))',
        "{column} holds what {original} is: {found} of {n} looked at.",
    ),
    "within": (
        'print(sum(any(i in f(v) for i in ids) for v in x), "of", len(x))',
        "{column} holds something of {original}: {found} of {n} looked at.",
    ),
    "still": (
        'print(sum(v == w for v, w in zip(x, y)), "of", len(x))',
        "Records that a rule takes away are there, {column} as in {original}: {found} of {n} looked at.",
    ),
    "links": (
        'print(len({*y}), "and", len({*x}))',
        "Different identifiers in what is looked at of {columns}: {found}; different pseudonyms: {n}.",
    ),
    "told": (
        'print(len({*x}), "and", len({*zip(x, y)}))',
        "Different values of {column} in what is looked at: {found}; with those of {original} beside: {n}.",
    ),
    "ordered": (
        'print(sum(v <= w for v, w in zip(y, y[1:])), "of", len(y) - 1)',
        "{original} does not fall from one to the next in the order of {column}: {found} of {n} steps.",
    ),
}
_DAYS = {  # how dates are written, and found in texts
    "%Y-%m-%d": r"\d{4}-\d{2}-\d{2}",
    "%d.%m.%Y": r"\d{2}[.]\d{2}[.]\d{4}",
    **dict.fromkeys(("%m/%d/%Y", "%d/%m/%Y"), r"\d{2}/\d{2}/\d{4}"),
    "%Y/%m/%d": r"\d{4}/\d{2}/\d{2}",
    "%d-%m-%Y": r"\d{2}-\d{2}-\d{4}",
    "%Y%m%d": r"\d{8}",
}


def declared_steps(declared: Declared, released: Mapping[str, Dataset], given: Originals) -> Iterator[Step]:
    """Yield the steps that show what fails beside the originals; of what takes longer to show, none.

    `released` are the tables by the names that a rule file has.
    """
    originals = {name: replace(each, name=f"{FOLDER}/{each.name}") for name, each in given.tables.items()}
    seen: set[str] = set()
    for line in declared.lines:
        if line.verdict is Verdict.FAIL:
            for step in _steps(line, released, originals, given):
                if step.command not in seen:
                    seen.add(step.command)
                    yield step


def _steps(
    line: Line, released: Mapping[str, Dataset], originals: Mapping[str, Dataset], given: Originals
) -> Iterator[Step]:
    if line.kind == "refers":
        yield from _referring(line, released, given)
    if not line.shown:
        return
    first = line.shown[0]
    if first.form == "rows":
        yield from _rows(released[first.table], originals[first.original])
    elif first.form == "drawn":
        yield from disguise_steps(originals[first.original], released[first.table], first.of, first.column)
    elif first.form == "moved":
        yield from _moved(line.shown, released, originals)
    elif first.form == "day":
        yield from _one_day(first, originals[first.original])
    elif first.form == "links":
        yield from _printed(line.shown, released, originals, given)
    else:
        for each in line.shown:
            yield from _printed([each], released, originals, given)


def _cells(name: str, column: str, records: Sequence[int]) -> str:
    return f"{name}[{literal(column)}].iloc[{[*records]}].str.strip()"


def _places(each: Shown) -> tuple[str, str]:
    return f"`{each.table}.{each.column}`", f"`{FOLDER}/{each.original}.{each.of}`"


def _printed(
    shown: Sequence[Shown],
    released: Mapping[str, Dataset],
    originals: Mapping[str, Dataset],
    given: Originals,
) -> Iterator[Step]:
    """Yield the step of what cells of some records say, in one table or two."""
    form, of = shown[0].form, literal(shown[0].of)
    code, said = _PRINTED[form]
    tables = _tables(shown, released, originals)
    x, y = (" + ".join(f"{cells}.tolist()" for cells in each) for each in zip(*_both(shown), strict=True))
    before = [f"x = {x}", f"y = {y}"]
    if form == "mapped":
        names = given.given["mapping"].columns[:2]
        tables["m"] = Read.of(given.given["mapping"], names)
        before.append(f"d = dict(zip(*(m[c].str.strip() for c in {literal(names)})))")
    if form in ("held", "within"):
        before += [*_FOLD, f"ids = {{f(v) for v in b0[{of}] if len(f(v)) > 4}}"]
    column, original = _places(shown[0])
    columns = listed([f"{each.table}.{each.column}" for each in shown])
    yield from Session(tables, *before).step(
        lambda found, n: text(said, found=found, n=n, column=column, original=original, columns=columns),
        code,
    )


def _both(shown: Sequence[Shown]) -> Iterator[tuple[str, str]]:
    """Yield the code of released and original cells."""
    for at, each in enumerate(shown):
        yield _cells(f"a{at}", each.column, each.mine), _cells(f"b{at}", each.of, each.theirs)


def _moved(
    shown: Sequence[Shown], released: Mapping[str, Dataset], originals: Mapping[str, Dataset]
) -> Iterator[Step]:
    """Yield the step of dates moved otherwise than declared: of one person, or of each."""
    tables = _tables(shown, released, originals)
    differences = " + ".join(f"(p({x}) - p({y}).values).dt.days.tolist()" for x, y in _both(shown))

    columns = listed([f"{each.table}.{each.column}" for each in shown])
    says = (
        text("Dates of one person in {columns} were moved by different numbers of days.", columns=columns)
        if len(shown) > 1
        else text("Dates of {columns} were moved by days that are not as declared.", columns=columns)
    )
    for form, pattern in _DAYS.items():
        found = f"s.str.extract(r'({pattern})')[0]"
        parse = f"p = lambda s: pd.to_datetime({found}, errors='coerce', format='{form}')"
        session = Session(tables, parse)
        session.run(f"d = {differences}")
        if session.names["d"] == [days for each in shown for days in each.days]:
            yield from session.step(
                lambda *_: says, f"d = {differences}", 'print(len({*d}), "different:", *d)'
            )
            return


def _tables(
    shown: Sequence[Shown], released: Mapping[str, Dataset], originals: Mapping[str, Dataset]
) -> dict[str, Read]:
    """Return the columns that are shown, those of the first as a0 and b0, and so on."""
    found = {}
    for at, each in enumerate(shown):
        found[f"a{at}"] = Read.of(released[each.table], [each.column])
        found[f"b{at}"] = Read.of(originals[each.original], [each.of])
    return found


def _one_day(each: Shown, theirs: Dataset) -> Iterator[Step]:
    session = Session({"b": Read.of(theirs, [each.of, each.person])})
    yield from session.step(
        lambda n, found: text(
            "Different persons in what is looked at of {original}: {n}; different days: {found}.",
            n=n,
            found=found,
            original=_places(each)[1],
        ),
        *(
            f"{name} = {{*{_cells('b', column, each.theirs)}{cut}}}"
            for name, column, cut in (("p", each.person, ""), ("d", each.of, ".str[:10]"))
        ),
        'print(len(p), "on", len(d))',
    )


def _rows(mine: Dataset, theirs: Dataset) -> Iterator[Step]:
    session = Session({"a": Read.of(mine, mine.columns[:1]), "b": Read.of(theirs, theirs.columns[:1])})
    if mine.n_records != theirs.n_records:
        yield from session.step(
            lambda found, n: text(
                "{table}: {released}, of originally {originals}.",
                table=f"`{mine.name}`",
                released=counted(found, "record"),
                originals=counted(n, "record"),
            ),
            'print(len(a), "of", len(b))',
        )


def _referring(line: Line, released: Mapping[str, Dataset], given: Originals) -> Iterator[Step]:
    rules = () if given.rules is None else given.rules.of("refers")
    rule = next((each for each in rules if each.line == line.line), None)
    mine = next((name for name in released if line.of.startswith(f"{name}.")), None)
    if rule is None or mine is None:
        return
    targets = [
        (each, one) for each in released for one in released[each].columns if matches(rule.to, each, one)
    ]
    column = line.of[len(mine) + 1 :]
    tables = {"a": Read.of(released[mine], [column])}
    tables |= {f"t{at}": Read.of(released[name], [one]) for at, (name, one) in enumerate(targets)}
    known = " | ".join(f"{{*t{at}[{literal(one)}].str.strip()}}" for at, (_, one) in enumerate(targets))
    yield from Session(tables).step(
        lambda found, n: text(
            "{column} has what is not in {to}: {found} of {n} looked at.",
            found=found,
            n=n,
            column=f"`{line.of}`",
            to=own(f"`{rule.to}`"),
        ),
        f"c = a[{literal(column)}].str.strip()",
        f'print(((c != "") & ~c.isin({known or "[]"})).sum(), "of", len(c))',
    )
