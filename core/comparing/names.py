"""Which columns of two tables are the same by their names."""

import unicodedata
from collections.abc import Iterable, Sequence


def folded_name(name: str) -> str:
    """Return a column's name by its letters and digits alone, no matter their case, width or composition.

    >>> folded_name("Straße_ ") == folded_name("STRASSE"), folded_name("%")
    (True, '%')
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(letter for letter in folded if letter.isalnum()) or folded


def columns_alike(columns: Sequence[str], others: Sequence[str]) -> dict[str, str]:
    """Return column to the other table's column of the same name.

    The same name as written wins; else the only one that folds alike, where it is the only one on both sides:
    of names that differ in case alone nobody can say which was meant.

    >>> columns_alike(["id", "First Name", "age", "AGE"], ["id", "first_name", "Age"])
    {'id': 'id', 'First Name': 'first_name'}
    """
    exact = frozenset(columns) & frozenset(others)
    ours, theirs = (_by_folded(name for name in names if name not in exact) for names in (columns, others))
    alike = {
        names[0]: theirs[word][0]
        for word, names in ours.items()
        if len(names) == len(theirs.get(word, ())) == 1
    }
    return {name: alike.get(name, name) for name in columns if name in exact or name in alike}


def aligned_names(columns: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Return the other table's columns by the names of those of this one that are the same."""
    own = {other: name for name, other in columns_alike(columns, others).items()}
    return tuple(own.get(name, name) for name in others)


def _by_folded(names: Iterable[str]) -> dict[str, list[str]]:
    """Return folded name to the names that fold so."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(folded_name(name), []).append(name)
    return found
