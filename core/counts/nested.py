"""Categories that are sums of others in their column: a year and its quarters, a region and its towns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_MOST_CATEGORIES = 300  # of a column that is looked at
_FEWEST_CONTEXTS = 2  # in which the sum of neighbours is no chance


@dataclass(frozen=True, kw_only=True)
class Subtotal:
    """A category, and those that it is the sum of: neither is itself a sum."""

    category: int
    parts: tuple[int, ...]


Counts = Mapping[int, int | None]  # of one context (the categories of all other columns): by category


def subtotals_of(categories: Sequence[str], contexts: Sequence[Counts]) -> list[Subtotal]:
    """Return the categories of a column that are sums of others.

    A category is one of those that begin with its name, or of its neighbours in the order of the table, where
    its count is theirs together: in every context of which all are shown, in two at least for neighbours, and
    nowhere less than what is shown of them.

    Parameters
    ----------
    categories
        In the order of the table, without its total.
    contexts
        By combination of the other columns, the counts by category, None where suppressed, with -1 for the
        total over the column.
    """
    left = list(range(len(categories))) if len(categories) <= _MOST_CATEGORIES else []
    leaves: dict[int, tuple[int, ...]] = {each: (each,) for each in left}
    found: list[Subtotal] = []
    while (sums := _first_sum(categories, contexts, left, leaves)) is not None:
        category, parts = sums
        leaves[category] = tuple(sorted(leaf for part in parts for leaf in leaves[part]))
        found.append(Subtotal(category=category, parts=leaves[category]))
        left = [each for each in left if each not in parts]
    return found


def _first_sum(
    categories: Sequence[str],
    contexts: Sequence[Counts],
    left: Sequence[int],
    leaves: Mapping[int, tuple[int, ...]],
) -> tuple[int, tuple[int, ...]] | None:
    open_ones = [each for each in left if leaves[each] == (each,)]
    for category in sorted(open_ones, key=lambda each: -len(categories[each])):
        parts = tuple(each for each in left if _is_within(categories[each], categories[category]))
        if len(parts) > 1 and _n_agreeing(category, parts, left, contexts) > 0:
            return category, parts
    for place, category in enumerate(left):
        if category in open_ones:
            for parts in _neighbours(left, place):
                if _n_agreeing(category, parts, left, contexts) >= _FEWEST_CONTEXTS:
                    return category, parts
    return None


def _is_within(name: str, of: str) -> bool:
    """Whether a category is named as a part of another: ``2024-Q1`` of ``2024``, ``SI011`` of ``SI01``."""
    if not of or name == of or not name.startswith(of):
        return False
    return not name[len(of)].isalnum() or (of[-1].isdigit() and not any(map(str.isspace, name)))


def _neighbours(left: Sequence[int], place: int) -> Iterator[tuple[int, ...]]:
    for end in range(place + 3, len(left) + 1):
        yield tuple(left[place + 1 : end])
    for start in range(place - 2, -1, -1):
        yield tuple(left[start:place])


def _n_agreeing(
    category: int, parts: tuple[int, ...], left: Sequence[int], contexts: Sequence[Counts]
) -> int:
    """Return in how many contexts that show all the sum is right; -1 where it is wrong in one."""
    agreeing = set()
    for number, counts in enumerate(contexts):
        whole, some = counts.get(category), [counts.get(each, 0) for each in parts]
        known = sum(each or 0 for each in some)
        every = [counts.get(each, 0) for each in left]
        if None not in every and whole and sum(each or 0 for each in every) == counts.get(-1):
            return -1  # the total counts it beside them
        if whole is None:
            continue
        if whole < known or (None not in some and whole != known):
            return -1
        if None not in some and whole:
            agreeing.add(number)
    return len(agreeing)
