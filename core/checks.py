"""Every check: what it asks and can say, what its findings are about, and what a person can do.

They stand in `checks.txt`, a line each, in the order of the harm that they tell of.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

Group = Literal[
    "masking",
    "direct_identifiers",
    "pseudonyms",
    "linkability",
    "singling_out",
    "counts",
    "inference",
    "log",
    "conditions",
]
GROUPS: tuple[Group, ...] = get_args(Group)


class Check(NamedTuple):
    """A check, or all whose names begin alike."""

    name: str
    group: Group
    tool: str = ""  # that asks it, by key; "shared" where several do
    verdicts: str = ""  # that it can give, by their first letters, the worst first
    asks: str = ""  # the question; empty where it stands with the checks of genome files
    remedy: str = ""


def _read() -> Iterator[Check]:
    """Yield the checks of the file: below a line "# GROUP: …" each has its cells between bars."""
    group: Group | None = None
    for line in Path(__file__).with_name("checks.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            group = next(each for each in GROUPS if line.startswith(f"# {each}:"))
        elif line and group:
            name, *cells = (cell.strip() for cell in line.split(" |"))
            yield Check(name, group, *cells)


CHECKS: Mapping[str, Check] = {check.name: check for check in _read()}
_RANKS: Mapping[str, int] = {name: rank for rank, name in enumerate(CHECKS)}


@cache
def check_of(name: str) -> Check | None:
    """Return a check by its name, else that with the longest name that it begins with."""
    if name in CHECKS:
        return CHECKS[name]
    fitting = [known for known in CHECKS if known.endswith("*") and name.startswith(known[:-1])]
    return CHECKS[max(fitting, key=len)] if fitting else None


def remedy_of(check: str) -> str:
    """Return what a person can do about a check's finding; empty where it can only be looked at."""
    found = check_of(check)
    return found.remedy if found else ""


def harm_rank(check: str) -> int:
    """Return the place of a check in the order of harm, 0 for the worst; those not named come last."""
    found = check_of(check)
    return _RANKS[found.name] if found and found.remedy else len(_RANKS)


def is_among(check: str, names: Sequence[str], groups: Sequence[str] = ()) -> bool:
    """Return whether a check is named, itself or by a beginning with ``*``, or is of one of the groups."""
    found = check_of(check)
    return (found is not None and found.group in groups) or any(
        check == name or (name.endswith("*") and check.startswith(name[:-1])) for name in names
    )
