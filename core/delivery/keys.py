"""Keys between tables: which columns hold the same persons, visits or samples, and whose each record is."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice, product
from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedColumn, CodedTable, IntArray, coded
from core.people.roles.vocabulary import match_name, name_tokens
from core.settings.reading import TABLE_ENDINGS
from core.values.cells import as_numbers
from core.values.dates import read_days
from core.values.letters import without_accents
from core.words import input_error

_FOUND = 0.5  # share of values found from which columns of like names are one key
_SURELY_FOUND = 0.95  # … and of unlike names
_MANY = 30  # distinct values from which chance makes no such inclusion
_LOOKED_AT = 200  # values that decide whether two columns are compared in full
_HARDLY = 0.25
_OF_ITS_OWN = 0.8  # share of records with an amount of their own, from which it refers to no list of amounts
_PREFIX = re.compile(r".*[^0-9]")  # up to its last letter or mark: numbers may begin alike by chance
_MOST_SITES = 1000
_MARKS = r"[^\p{L}\p{N}]+"  # between parts of a value, such as the name of a file
_MOST_PARTS, _WIDEST = 12, 3  # parts of a value that are looked at, and joined
_FEWEST = 5  # values of a key that has to be met in parts of others
_FEWEST_LEFT = 6  # letters and digits that are left of a key which was cut
_BEFORE_NUMBERS = frozenset(("sub", "subj", "pat", "pt", "pid", "p", "id"))  # of persons, in names of files
_DENSE = 3  # whole numbers within a range so many times their number are counted, not drawn
_GENERIC = frozenset(
    (
        *(
            "id",
            "ids",
            "no",
            "nr",
            "num",
            "number",
            "key",
            "code",
            "ref",
            "uid",
            "guid",
            "pseudonym",
            "pseudo",
        ),
        *("hash", "token", "번호", "아이디", "식별자", "id번호", "sifra", "st", "stevilka", "oznaka"),
    )
)
_PERSON = re.compile(
    "person|patient|subject|client|insured|member|respondent|participant|donor|user|customer|citizen|case|"
    "proband|student|employee|환자|대상자|피험자|회원|가입자|수진자|참여자|고객|사람|이용자|"
    "oseb|pacient|bolnik|zavarovan|udelezen|uporabnik|preiskovan|anketiran"
)


class Place(NamedTuple):
    """A column of a table."""

    table: str
    column: str

    def __str__(self) -> str:
        """Return it as a person writes it."""
        return f"{self.table}.{self.column}"


def table_names(files: Sequence[str]) -> list[str]:
    """Return what tables are called: their files' names, without ending where that keeps them apart."""
    stems = [name.rpartition(".")[0] or name for name in files]
    names = stems if len(set(stems)) == len(stems) else [*files]
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name} ({n + 1})" if n else name for name, n in zip(names, before, strict=True)]


class PlaceNames:
    """Finds the columns that settings name."""

    def __init__(self, columns: Mapping[str, Sequence[str]]) -> None:
        self._columns = columns

    def place(self, written: str, option: str) -> Place:
        """Return the column that is written as TABLE.COL."""
        for name in sorted(self._columns, key=len, reverse=True):
            for prefix in (f"{name}.", *(f"{name}.{ending}." for ending in TABLE_ENDINGS)):
                column = written.removeprefix(prefix)
                if column != written and column in self._columns[name]:
                    return Place(name, column)
        raise input_error(
            "{option}: there is no column {column}; write TABLE.COL with one of the tables {tables}.",
            option=option,
            column=f"`{written}`",
            tables=", ".join(self._columns),
        )

    def keys(self, written: Sequence[str]) -> list[tuple[Place, Place]]:
        """Return the columns that are written as TABLE.COL=TABLE.COL."""
        found = []
        for key in written:
            one, separator, other = key.partition("=")
            if not separator:
                raise input_error("--key needs TABLE.COL=TABLE.COL, received {given}.", given=key)
            pair = self.place(one.strip(), "--key"), self.place(other.strip(), "--key")
            if pair[0].table == pair[1].table:
                raise input_error(
                    "--key {given} joins a table to itself; name columns of two tables.", given=key
                )
            found.append(pair)
        return found


@dataclass(frozen=True, kw_only=True)
class Link:
    """Two columns that hold the same things; `one` holds each once, or more of them."""

    one: Place
    other: Place
    n_found: int  # distinct values of `other` that `one` has too, and all of them
    n_values: int
    one_is_unique: bool  # whether `one` holds each value once
    other_is_unique: bool
    # whether they match only without leading zeros, white space, hyphens and case
    is_folded: bool = False
    is_given: bool = False  # whether the person named it

    @property
    def share_found(self) -> float:
        """Return the share in [0, 1] of `other`'s distinct values that `one` has."""
        return self.n_found / self.n_values if self.n_values else 0.0

    @property
    def places(self) -> tuple[Place, Place]:
        """Return both columns."""
        return self.one, self.other

    @property
    def is_many_to_many(self) -> bool:
        """Return whether both columns repeat values."""
        return not (self.one_is_unique or self.other_is_unique)


@dataclass(frozen=True, kw_only=True, eq=False)
class Persons:
    """Who the records of each table are about."""

    n_persons: int
    columns: Mapping[str, Place]  # by table: the column that says so, in this table or in one it is joined to
    of_record: Mapping[str, IntArray]  # by table, shape (n_records,); -1 where nobody is named
    # by table that another says it of: its column and that of the other, and whether they match only folded
    through: Mapping[str, tuple[Place, Place, bool]] = field(default_factory=dict)

    def repeat_in(self, table: str) -> bool:
        """Return whether somebody has several records in a table."""
        return table in self.of_record and bool(self.in_table(table).max(initial=0) > 1)

    def in_table(self, table: str) -> IntArray:
        """Return shape (n_persons,): the records of each person in a table."""
        person = self.of_record[table]
        return np.bincount(person[person >= 0], minlength=self.n_persons)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    place: Place
    values: CodedColumn
    stems: frozenset[str]  # of the words of its name, but those that say no more than that it is a key
    is_unique: bool
    is_counted: bool  # whole numbers, one after the other
    made_of: tuple[str, ...] = ()  # the columns that it is read from, where it is made of others

    @property
    def n_values(self) -> int:
        return self.values.n_distinct

    def written(self, *, folded: bool) -> pa.Array:
        """Return the values, or the distinct ones as folded."""
        if not folded:
            return self.values.values
        if "folded" not in self.values.kept:
            self.values.kept["folded"] = pc.unique(fold_keys(self.values.values))
        return self.values.kept["folded"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Keys:
    """The links between tables, which have a column more for each reading of others that is a key."""

    tables: Mapping[str, CodedTable]
    links: Sequence[Link]
    # each new column with the number that says nobody alone, or the column that it is a part of
    numbers: Mapping[Place, Place]
    made_of: Mapping[Place, tuple[str, ...]] = field(default_factory=dict)

    def parts_of(self, place: Place) -> tuple[str, ...]:
        """Return the columns that a column is made of: itself, where it is none that was combined."""
        return self.made_of.get(place, (place.column,))


def find_keys(
    tables: Mapping[str, CodedTable], given: Sequence[Link] = (), *, counts: Collection[str] = ()
) -> Keys:
    """Return the columns of different tables that hold the same things, by some reading of one of them.

    Columns are read as they are, folded, together with a site where they name a person only within one, and
    of tables that nothing joins so, in part. Columns of like names are one key where half of the values of
    one are found in the other; columns of unlike names where 95 % are, they are at least 30, and no whole
    numbers that were counted off. Of two columns of one table only the better one is joined to a column of
    another. Cells are compared as text; missing is null and equals nothing.

    Parameters
    ----------
    tables
        What is released, by name.
    given
        Links that a person named: their columns belong to no other.
    counts
        Tables of counts, whose categories are no keys.
    """
    taken = {place for link in given for place in link.places}
    candidates = {name: _candidates(name, table) for name, table in tables.items()}
    columns = {name: keys for name, (keys, _) in candidates.items()}
    few = {name: others for name, (_, others) in candidates.items()}
    links, made = list[Link](), dict[Place, _Column]()
    for one, other in combinations(columns, 2):
        pairs = list(product(columns[one], columns[other]))
        lookups = [*product(columns[one], few[other]), *product(columns[other], few[one])]
        with_site = [each for pair in pairs for each in _with_sites(tables, *pair, taken=taken)]
        found = [link for pair in pairs if (link := _link(*pair)) is not None]
        found += [link for pair in lookups if (link := _lookup(*pair)) is not None]
        for pair in with_site:
            link = _measured(*pair)
            if link.one_is_unique and link.share_found >= _SURELY_FOUND:
                found.append(link)
                made |= {each.place: each for each in pair}
        links += [each for each in _best(found) if _is_key(each, taken, counts)]
    numbers = {place: Place(place.table, each.made_of[1]) for place, each in made.items()}
    alone = {*numbers.values()}
    links = [*given, *(link for link in links if not {*link.places} <= alone)]
    for part, link in _links_of_parts(tables, columns, links):
        made[part.place], numbers[part.place] = part, Place(part.place.table, part.made_of[0])
        links.append(link)
    return Keys(
        tables=_with_columns(tables, made.values()),
        links=links,
        numbers=numbers,
        made_of={place: each.made_of for place, each in made.items() if len(each.made_of) > 1},
    )


def propose_links(tables: Mapping[str, CodedTable]) -> tuple[Link, ...]:
    """Return the columns of different tables that seem to hold the same things, see `find_keys`."""
    return tuple(find_keys(tables).links)


def _is_key(link: Link, taken: Collection[Place], counts: Collection[str]) -> bool:
    of_cells = {place.table for place in link.places} <= {*counts} or (
        link.one.table in counts and link.one_is_unique
    )
    return not {*link.places} & {*taken} and (not of_cells or any(map(names_persons, link.places)))


def _with_columns(tables: Mapping[str, CodedTable], made: Iterable["_Column"]) -> dict[str, CodedTable]:
    found = dict(tables)
    for each in made:
        table, (name, column) = found[each.place.table], each.place
        cells = each.values.values.take(pa.array(each.values.codes, mask=each.values.codes < 0))
        found[name] = replace(table, table=table.table.append_column(column, cells))
    return found


def _links_of_parts(
    tables: Mapping[str, CodedTable], columns: Mapping[str, Sequence["_Column"]], links: Sequence[Link]
) -> Iterator[tuple["_Column", Link]]:
    """Yield keys that stand inside longer values, such as names of files, of tables that no link joins.

    A part between marks is a key where 95 % of the values of the column have one in the same place that
    a column has which names each record of another table once. Marks, case and leading zeros aside, keys with
    letters in them, or that are no whole numbers counted off, are hardly met by chance; others need a word
    for persons before them, such as ``sub-01``. Or the values are what longer keys begin or end with.
    """
    joined = {place.table for link in links for place in link.places}
    keys = [
        each for found in columns.values() for each in found if each.is_unique and each.n_values >= _FEWEST
    ]
    for name in (each for each in tables if each not in joined):
        parted = [
            each for each in tables[name].table.column_names if _has_parts(tables[name][each].trimmed.values)
        ]
        found = (
            (part, _measured(part, key))
            for column in parted
            for key in keys
            if key.place.table != name
            for part in _parts(Place(name, column), tables[name][column].trimmed, key)
        )
        cut = (
            (part, _measured(part, key))
            for column in columns[name]
            for key in keys
            if key.place.table != name and not key.is_counted and key.n_values >= _MANY
            for part in _cut(column, key)
        )
        yield from islice(chain(found, cut), 1)


def _cut(column: "_Column", key: "_Column") -> Iterator["_Column"]:
    """Yield a column read as a key's, where its values are what the key's longer ones begin or end with.

    As much of each is there as tells the key's values apart; marks and case aside.
    """
    mine, forms = (
        pc.replace_substring_regex(pc.utf8_lower(each.values.values), _MARKS, "") for each in (column, key)
    )
    width = pc.min_max(pc.utf8_length(mine)).as_py()
    if width["min"] != width["max"] or width["max"] < _FEWEST_LEFT or column.n_values < _MANY:
        return
    whole = pc.utf8_length(forms)
    if pc.min(whole).as_py() <= width["max"]:
        return
    ends = pc.utf8_reverse(pc.utf8_slice_codeunits(pc.utf8_reverse(forms), 0, width["max"]))
    for left in (pc.utf8_slice_codeunits(forms, 0, width["max"]), ends):
        if len(pc.unique(left)) == len(left) and _are_among(mine, left):
            cells = key.values.values.take(pc.index_in(mine, value_set=left))
            cells = cells.take(pa.array(column.values.codes, mask=column.values.codes < 0))
            made = Place(column.place.table, f"{column.place.column} (whole)")
            yield _column(made, coded(cells), made_of=(column.place.column,))


def _has_parts(values: pa.Array) -> bool:
    """Return whether marks part nearly all of some values."""
    some = pc.list_value_length(pc.split_pattern_regex(values.slice(0, _LOOKED_AT), _MARKS))
    return len(some) > 0 and pc.mean(pc.greater(some, 1)).as_py() >= _SURELY_FOUND


def _parts(place: Place, column: CodedColumn, key: "_Column") -> Iterator["_Column"]:
    """Yield the parts of a column's values that are values of a key, written as it writes them."""
    forms = _bare(key.values.values)
    if len(pc.unique(forms)) < len(forms):
        return
    is_sure = not key.is_counted and key.n_values >= _MANY
    is_sure |= pc.mean(pc.match_substring_regex(forms, r"\p{L}")).as_py() >= _SURELY_FOUND
    some = pc.split_pattern_regex(column.values.slice(0, _LOOKED_AT), _MARKS)
    last = min(pc.max(pc.list_value_length(some)).as_py(), _MOST_PARTS)
    for first, width in product(range(last), range(1, _WIDEST + 1)):
        if not _are_among(_bare(_window(some, first, width)), forms):
            continue
        split = pc.split_pattern_regex(column.values, _MARKS)
        window = _bare(_window(split, first, width))
        if _are_among(window, forms) and (is_sure or (first and _say_person(_window(split, first - 1, 1)))):
            cells = key.values.values.take(pc.index_in(window, value_set=forms))
            cells = cells.take(pa.array(column.codes, mask=column.codes < 0))
            made = Place(place.table, f"{place.column} ({first + 1})")
            part = _column(made, coded(cells), made_of=(place.column,))
            if part.n_values >= _FEWEST:
                yield part


def _are_among(values: pa.Array, others: pa.Array) -> bool:
    return bool(pc.mean(pc.is_in(values, value_set=others)).as_py() >= _SURELY_FOUND)


def _window(split: pa.Array, place: int, width: int) -> pa.Array:
    """Return so many parts from one place on, joined; empty where there are none."""
    return pc.binary_join(pc.list_slice(split, place, place + width), "")


def _bare(values: pa.Array) -> pa.Array:
    """Return values in small letters, without marks and leading zeros."""
    plain = pc.replace_substring_regex(pc.utf8_lower(values), _MARKS, "")
    return pc.replace_substring_regex(plain, r"^0+(.)", r"\1")


def _say_person(before: pa.Array) -> bool:
    """Return whether one word stands before all parts and says that a person's number follows."""
    words = pc.unique(before).to_pylist()
    return len(words) == 1 and (
        words[0].casefold() in _BEFORE_NUMBERS or _PERSON.search(_plain(words[0])) is not None
    )


def _with_sites(
    tables: Mapping[str, CodedTable], first: "_Column", second: "_Column", *, taken: Collection[Place]
) -> Iterator[tuple["_Column", "_Column"]]:
    """Yield two columns that both repeat values, each together with a column that may say the same site."""
    places = first.place, second.place
    if first.is_unique or second.is_unique or {*places} & {*taken} or not _named_alike(first, second):
        return
    if not any(names_persons(place) or _says_identifier(place.column) for place in places):
        return
    for sites in _sites(*(tables[place.table] for place in places)):
        if any(site == place.column for site, place in zip(sites, places, strict=True)):
            continue
        together = []
        for site, place in zip(sites, places, strict=True):
            table = tables[place.table].table
            cells = pc.binary_join_element_wise(table[site], table[place.column], "\x1f")
            made = Place(place.table, f"{site} + {place.column}")
            together.append(_column(made, coded(cells), made_of=(site, place.column)))
        yield together[0], together[1]


def _sites(mine: CodedTable, theirs: CodedTable) -> Iterator[tuple[str, str]]:
    """Yield columns of two tables that may say the same site: of one name, else of the same values."""
    few = [
        {name for name in each.table.column_names if 1 < each[name].n_distinct <= _MOST_SITES}
        for each in (mine, theirs)
    ]
    for site in mine.table.column_names:
        if site in few[0] and site in theirs.table.column_names:
            if site in few[1]:
                yield site, site
        elif site in few[0]:
            values = mine[site].trimmed.values
            for there in theirs.table.column_names:
                others = theirs[there].trimmed.values if there in few[1] else values[:0]
                if len(others) == len(values) == len(_common(values, others)):
                    yield site, there


def given_links(tables: Mapping[str, CodedTable], keys: Iterable[tuple[Place, Place]]) -> tuple[Link, ...]:
    """Return the links that a person named, measured as any other."""
    found = []
    for one, other in keys:
        first, second = (_column(place, tables[place.table][place.column]) for place in (one, other))
        link = _measured(first, second)
        found.append(replace(link, is_given=True))
    return tuple(found)


RECORD = "(record)"  # stands for the column that says whose a record is where each record is a person


def persons_or_records(
    tables: Mapping[str, CodedTable],
    links: Sequence[Link],
    *,
    person: Place | None = None,
    facts: Collection[Place] = (),
) -> tuple[Mapping[str, CodedTable], Persons | None]:
    """Return tables, and whose each record is; None where no links join tables.

    Where nothing joined is a person, and a table refers to others by facts such as a postal code, each of
    its records is a person: the table has a column more that numbers them.
    """
    persons = persons_of(tables, links, person=person, facts=facts)
    named = {link.one.table for link in links if link.one_is_unique}
    referring = {link.other.table for link in links if link.one_is_unique} - named
    if persons is not None or not referring:
        return tables, persons
    root = max(referring, key=lambda name: tables[name].table.num_rows)
    numbers = np.arange(tables[root].table.num_rows)
    table = tables[root].table.append_column(RECORD, pa.array(numbers).cast(pa.string()))
    persons = Persons(n_persons=len(numbers), columns={root: Place(root, RECORD)}, of_record={root: numbers})
    return {**tables, root: replace(tables[root], table=table)}, persons


def persons_of(
    tables: Mapping[str, CodedTable],
    links: Sequence[Link],
    *,
    person: Place | None = None,
    facts: Collection[Place] = (),
) -> Persons | None:
    """Return whose each record is, by the links; None where no links join tables.

    The columns that links join hold one kind of thing. Persons are the kind that `person` belongs to, else
    the one whose columns are named like persons, else the one that joins most tables. `facts` are columns
    that others know of a person, such as a postal code: they are no persons. A table without such a column
    is read through a link to a table that has one, where that names each record once.
    """
    chosen = kind_of_persons(links, lambda place: tables[place.table][place.column].n_distinct, person, facts)
    if not chosen:
        return None
    columns: dict[str, Place] = {}
    for place in chosen:
        columns.setdefault(place.table, place)
    folded = any(link.is_folded for link in links if link.one in chosen)
    names = list(columns)
    texts = [_texts(tables[name], columns[name].column, folded=folded) for name in names]
    codes, n_persons = _coded_together(texts)
    of_record = dict(zip(names, codes, strict=True))
    through: dict[str, tuple[Place, Place, bool]] = {}
    while reached := _through(tables, links, of_record):
        for name, (person_of_record, way) in reached.items():
            of_record[name], columns[name], through[name] = person_of_record, way[1], way
    return Persons(n_persons=n_persons, columns=columns, of_record=of_record, through=through)


def kind_of_persons(
    links: Sequence[Link],
    n_distinct: Callable[[Place], int],
    person: Place | None,
    facts: Collection[Place] = (),
) -> list[Place]:
    """Return the columns that say whose records are, of a table the likeliest first; none without links.

    Columns of `facts` are none, nor are a few categories that nobody named as a key, unless they are joined
    to `person`.
    """
    given = {place for link in links if link.is_given for place in link.places}
    kinds: list[set[Place]] = [{person}] if person is not None else []
    for link in links:
        joined = [kind for kind in kinds if kind & {link.one, link.other}]
        kinds = [kind for kind in kinds if kind not in joined]
        kinds.append({link.one, link.other}.union(*joined))
    kinds = [
        kind
        for kind in kinds
        if person in kind
        or (not kind & {*facts} and (kind & given or _may_be_persons(kind, links, n_distinct)))
    ]
    chosen = max(kinds, key=lambda kind: _rank(kind, n_distinct, person), default=set())
    return sorted(chosen, key=lambda place: (not names_persons(place), place))


def _may_be_persons(kind: set[Place], links: Sequence[Link], n_distinct: Callable[[Place], int]) -> bool:
    """Return whether columns are named like persons or hold many values; a number, once in some table."""
    if any(map(names_persons, kind)) or max(map(n_distinct, kind)) >= _MANY:
        return True
    is_once = any(not link.is_many_to_many for link in links if kind & {*link.places})
    return is_once and any(_says_identifier(place.column) for place in kind)


def _candidates(name: str, table: CodedTable) -> tuple[list[_Column], list[_Column]]:
    """Return the columns that may be keys, and others of few values: these may refer to a table of them."""
    columns = [_column(Place(name, column), table[column]) for column in table.table.column_names]
    columns = [each for each in columns if each.n_values > 1]
    keys = [
        each
        for each in columns
        if each.is_unique or each.n_values >= _MANY or _says_identifier(each.place.column)
    ]
    return keys, [each for each in columns if each not in keys]


def _says_identifier(name: str) -> bool:
    rule = match_name(name)
    return bool(_GENERIC & set(name_tokens(name))) or (
        rule is not None and rule.rule.kind == "record identifier"
    )


def _lookup(one: _Column, other: _Column) -> Link | None:
    """Return the link of a column of categories with one of like name that holds each of them once."""
    if not one.is_unique or not _named_alike(one, other):
        return None
    link = _measured(one, other)
    return link if link.share_found >= _SURELY_FOUND and not link.is_folded else None


def _column(place: Place, column: CodedColumn, made_of: tuple[str, ...] = ()) -> _Column:
    values = column.trimmed
    return _Column(
        place=place,
        values=values,
        stems=_stems(name_tokens(place.column)),
        is_unique=values.n_distinct == values.n_filled > 0,
        is_counted=_are_counted(values.values),
        made_of=made_of,
    )


def _are_counted(values: pa.Array) -> bool:
    """Return whether values are whole numbers within a range not much wider than there are values."""
    if not len(values) or not pc.all(pc.match_substring_regex(values, r"^[0-9]{1,9}$")).as_py():
        return False
    numbers = values.cast(pa.int64())
    ends = pc.min_max(numbers).as_py()
    return bool(ends["max"] - ends["min"] < _DENSE * len(values))


def _are_measured(column: _Column) -> bool:
    """Return whether most records have a number with decimals, or a time, of their own; no identifier."""
    if _says_identifier(column.place.column) or names_persons(column.place):
        return False
    if column.n_values < _OF_ITS_OWN * column.values.n_filled:
        return False
    numbers = as_numbers(column.values.values)
    if numbers is None:
        numbers = read_days(column.values.values)
    return len(numbers) > 0 and not np.isnan(numbers).any() and bool((numbers % 1 != 0).any())


def _link(one: _Column, other: _Column) -> Link | None:
    alike = _named_alike(one, other)
    if not alike and (one.is_counted or other.is_counted or min(one.n_values, other.n_values) < _MANY):
        return None
    if not (one.is_unique or other.is_unique or alike):
        return None  # categories share values too
    if _are_measured(one) and _are_measured(other):
        return None  # amounts may tell whose they are, see core.delivery.met_values, and are no key
    fewer, more = sorted((one, other), key=lambda column: column.n_values)
    if all(_sampled(fewer, more, folded=folded) < _HARDLY for folded in (False, True)):
        return None
    link = _measured(one, other)
    if (
        link.is_folded
        and not alike
        and any(_are_counted(fold_keys(each.values.values)) for each in (one, other))
    ):
        return None  # p0001 and s0001 are both the first of something
    return link if link.share_found >= (_FOUND if alike else _SURELY_FOUND) else None


def _sampled(fewer: _Column, more: _Column, *, folded: bool) -> float:
    """Return the share of some values of one column that another one has."""
    some = fewer.values.values.slice(0, _LOOKED_AT)
    some = fold_keys(some) if folded else some
    return float(pc.mean(pc.is_in(some, value_set=_common(more.written(folded=folded), some))).as_py() or 0)


def _common(values: pa.Array, others: pa.Array) -> pa.Array:
    """Return the distinct values that stand among others; looked up are the more among the fewer."""
    if len(values) < len(others):
        values, others = others, values
    return pc.unique(values.filter(pc.is_in(values, value_set=others)))


def _measured(one: _Column, other: _Column) -> Link:
    """Return the link, from the column that holds each value once or has more values."""
    first, second = sorted((one, other), key=lambda column: (not column.is_unique, -column.n_values))
    plain = len(_common(second.written(folded=False), first.written(folded=False)))
    folded = plain
    if plain < second.n_values:
        folded = len(_common(second.written(folded=True), first.written(folded=True)))
    is_folded = folded > plain and plain < _SURELY_FOUND * second.n_values
    return Link(
        one=first.place,
        other=second.place,
        n_found=folded if is_folded else plain,
        n_values=second.n_values,
        one_is_unique=first.is_unique,
        other_is_unique=second.is_unique,
        is_folded=is_folded,
    )


def fold_keys(values: pa.Array) -> pa.Array:
    """Return values without what all begin or end with, leading zeros, ``.0``, space, marks and case."""
    lower = pc.utf8_lower(values)
    for _ in range(2):
        lower = pc.utf8_reverse(_without_beginning(lower))
    plain = pc.replace_substring_regex(pc.replace_substring_regex(lower, r"[.,]0+$", ""), r"[\s\-_./]+", "")
    return pc.replace_substring_regex(plain, r"^0+(.)", r"\1")


def _without_beginning(values: pa.Array) -> pa.Array:
    """Return values without what all begin with, up to its last letter or mark."""
    ends = pc.min_max(values).as_py() if len(values) else {"min": None, "max": None}
    begin = _PREFIX.match(_common_beginning(ends["min"] or "", ends["max"] or ""))
    return pc.utf8_slice_codeunits(values, begin.end()) if begin and ends["min"] != ends["max"] else values


def _common_beginning(one: str, other: str) -> str:
    pairs = enumerate(zip(one, other, strict=False))
    return one[: next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))]


def _best(links: Sequence[Link]) -> Iterator[Link]:
    """Return the links of two tables, each column in one of them at most, the better first."""
    taken: set[Place] = set()
    for link in sorted(
        links, key=lambda link: (-link.share_found, link.is_folded, _is_generic(link), -link.n_values)
    ):
        if not {link.one, link.other} & taken:
            taken |= {link.one, link.other}
            yield link


def _is_generic(link: Link) -> bool:
    """Return whether both columns say no more than that they number something, each perhaps its own rows."""
    return not any(_stems(name_tokens(place.column)) for place in link.places)


def _plain(name: str) -> str:
    """Return a name in lower case, without accents and separators."""
    return unicodedata.normalize("NFC", without_accents(name))


def _named_alike(one: _Column, other: _Column) -> bool:
    """Return whether two columns are named for the same thing, such as `id` of patients and `patient_id`."""
    if one.stems and other.stems:
        return one.stems == other.stems
    if not (one.stems or other.stems):
        return name_tokens(one.place.column) == name_tokens(other.place.column)
    named, table = (one.stems, other.place.table) if one.stems else (other.stems, one.place.table)
    return named <= {_stem(token) for token in name_tokens(table.rpartition(".")[0] or table)}


def _stems(tokens: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_stem(token) for token in tokens if token not in _GENERIC)


def _stem(token: str) -> str:
    plain = _plain(token)
    return plain[:-1] if len(plain) > 3 and plain.endswith(("s", "i", "e", "a")) else plain


def names_persons(place: Place | None) -> bool:
    """Return whether a column is named like persons, or only numbered in a table that is."""
    if place is None:
        return False
    only_numbered = set(name_tokens(place.column)) <= _GENERIC
    is_short = "pid" in name_tokens(place.column)
    return is_short or bool(_PERSON.search(_plain(place.table if only_numbered else place.column)))


def _rank(
    kind: set[Place], n_distinct: Callable[[Place], int], person: Place | None
) -> tuple[bool, bool, int, int]:
    return (
        person in kind,
        any(map(names_persons, kind)),
        len({place.table for place in kind}),
        max(map(n_distinct, kind)),
    )


def _texts(table: CodedTable, column: str, *, folded: bool) -> CodedColumn:
    values = table[column].trimmed
    if not folded:
        return values
    return replace(values, values=fold_keys(values.values), is_distinct=False)


def _coded_together(columns: Sequence[CodedColumn]) -> tuple[list[IntArray], int]:
    """Return the records' codes, alike for equal values, -1 for missing, and how many codes there are."""
    every = pa.chunked_array([column.values.cast(pa.large_string()) for column in columns])
    encoded = (
        every.combine_chunks().dictionary_encode() if every.num_chunks else pa.array([]).dictionary_encode()
    )
    codes = cast("IntArray", encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))
    found, start = [], 0
    for column in columns:
        mine = np.append(codes[start : start + len(column.values)], -1)
        found.append(mine[column.codes])
        start += len(column.values)
    return found, len(encoded.dictionary)


def _through(
    tables: Mapping[str, CodedTable], links: Sequence[Link], known: Mapping[str, IntArray]
) -> dict[str, tuple[IntArray, tuple[Place, Place, bool]]]:
    """Return the persons of tables that a link joins to a table whose persons are known, and how."""
    found: dict[str, tuple[IntArray, tuple[Place, Place, bool]]] = {}
    for name, (here, there, is_folded) in ways_to_persons(links, known).items():
        texts = [_texts(tables[place.table], place.column, folded=is_folded) for place in (there, here)]
        (of_there, of_here), n_codes = _coded_together(texts)
        person = np.full(n_codes + 1, -1, dtype=np.int64)
        person[of_there[of_there >= 0]] = known[there.table][of_there >= 0]
        found[name] = person[of_here], (here, there, is_folded)
    return found


def ways_to_persons(links: Sequence[Link], known: Collection[str]) -> dict[str, tuple[Place, Place, bool]]:
    """Return by table, of which nobody is known, its column and that of a known table that says whose it is.

    The latter names each record of its table once; the last says whether they match only folded.
    """
    found: dict[str, tuple[Place, Place, bool]] = {}
    for link in links:
        for there, here, is_unique in (
            (link.one, link.other, link.one_is_unique),
            (link.other, link.one, link.other_is_unique),
        ):
            if is_unique and there.table in known and here.table not in known:
                found.setdefault(here.table, (here, there, link.is_folded))
    return found
