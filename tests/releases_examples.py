"""Releases for tests, and what is said of them read off one by one."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from core.releases import EarlierTable, ReleasedTable, ReleasesMeasurement, Roles, measure_releases
from core.releases.measuring import Compared
from core.tables import Dataset, read_dataset

Row = tuple[str, ...]
HEADER = ("pid", "age", "sex", "diagnosis")
ROLES = Roles(quasi_identifiers=("age", "sex"), sensitive=("diagnosis",), person="pid")
RECORDS = Roles(quasi_identifiers=("age", "sex"), sensitive=("diagnosis",))


def table(
    rows: Iterable[Sequence[str]], *, name: str = "later.csv", header: Sequence[str] = HEADER
) -> Dataset:
    lines = [",".join(header), *(",".join(row) for row in rows)]
    return read_dataset(("\n".join(lines) + "\n").encode(), name=name)


def measured(
    later: Iterable[Sequence[str]],
    *earlier: Iterable[Sequence[str]],
    roles: Roles = ROLES,
    header: Sequence[str] = HEADER,
) -> ReleasesMeasurement:
    released = ReleasedTable(name="later", dataset=table(later, header=header), roles=roles)
    before = [
        EarlierTable(release=f"r{n}", dataset=table(rows, name=f"r{n}.csv", header=header))
        for n, rows in enumerate(earlier)
    ]
    return measure_releases([released], before)


def compared(
    later: Iterable[Sequence[str]], earlier: Iterable[Sequence[str]], roles: Roles = ROLES
) -> Compared:
    (found,) = measured(later, earlier, roles=roles).compared
    return found


def literal_surplus(of: Sequence[Row], than: Sequence[Row], k: int) -> tuple[int, int, int]:
    """Count records by class and value in both, subtract: who moved, among fewer than k, with one value."""
    classes = Counter(row[1:3] for row in of)
    values = Counter(row[1:4] for row in of if row[3])
    moved_classes = classes - Counter(row[1:3] for row in than)
    moved_values = values - Counter(row[1:4] for row in than if row[3])
    n_all = n_below = n_away = 0
    for group, size in classes.items():
        mine = {value[2]: n for value, n in moved_values.items() if value[:2] == group}
        n = max(moved_classes[group], sum(mine.values()))
        alone = {value[2] for value in values if value[:2] == group}
        n_all += n
        n_below += n if n < k <= size else 0
        n_away += n if n and len(mine) == 1 and sum(mine.values()) >= n and len(alone) > 1 else 0
    return n_all, n_below, n_away


def literal_surplus_of_persons(of: Sequence[Row], than: Sequence[Row], k: int) -> tuple[int, int, int]:
    """Take those without a record in the other release, class by class."""
    there = {row[0] for row in than}
    moved = [row for row in of if row[0] and row[0] not in there]
    below, away = set(), set()
    for person, *_ in moved:
        for group in {row[1:3] for row in moved if row[0] == person}:
            others = {row[0] for row in moved if row[1:3] == group}
            everybody = {row[0] for row in of if row[0] and row[1:3] == group}
            if len(others) < k <= len(everybody):
                below.add(person)
            pairs = {(row[0], row[3]) for row in moved if row[1:3] == group and row[3]}
            alone = {row[3] for row in of if row[0] and row[1:3] == group and row[3]}
            if len({value for _, value in pairs}) == 1 and len(pairs) >= len(others) and len(alone) > 1:
                away.add(person)
    return len({row[0] for row in moved}), len(below), len(away)


def literal_alike(later: Sequence[Row], earlier: Sequence[Row], k: int) -> tuple[int, int]:
    """Put persons of both releases together who are in the same class in both; all classes of a person."""
    both = {row[0] for row in later if row[0]} & {row[0] for row in earlier if row[0]}
    groups = defaultdict(set)
    for one in later:
        for other in earlier:
            if one[0] in both and one[0] == other[0]:
                groups[one[1:3], other[1:3]].add(one[0])
    below = set()
    for (mine, theirs), people in groups.items():
        alone = min(
            len({row[0] for row in later if row[0] and row[1:3] == mine}),
            len({row[0] for row in earlier if row[0] and row[1:3] == theirs}),
        )
        if len(people) < k <= alone:
            below |= people
    return len(both), len(below)


def literal_candidates(later: Sequence[Row], *earlier: Sequence[Row]) -> tuple[int, int]:
    """Intersect the values of the classes a person was in, where class and value are single and the same."""
    n_persons = n_away = 0
    for person in {row[0] for row in later if row[0]}:
        sets = []
        own = {row[3] for row in later if row[0] == person and row[3]}
        for release in (later, *earlier):
            groups = {row[1:3] for row in release if row[0] == person}
            values = {row[3] for row in release if row[0] == person and row[3]}
            if len(groups) == 1 and len(own) == 1 and values == own:
                sets.append({row[3] for row in release if row[0] and row[1:3] in groups and row[3]})
            elif release is later:
                break
        if len(sets) > 1:
            n_persons += 1
            n_away += len(set.intersection(*sets)) == 1 and min(map(len, sets)) > 1
    return n_persons, n_away
