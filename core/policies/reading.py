"""Policies as files: what one says, who says it, and whether that was read; all that is wrong at once."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from core.checks import GROUPS
from core.errors import refuse
from core.policies.identifiers import KINDS
from core.policies.limits import LIMITS, LimitKind
from core.settings.files import first_problems, nearest_known, read_toml
from core.settings.form import Setting, settings_named_by
from core.tools import TOOLS
from core.words import own, text

# What settings are without a policy, and must not cross: the ℓ-diversity search's, the tabular verifier's.
_LARGEST_DEFAULT_K, _WARN_SHARE = 12, 0.05


@dataclass(frozen=True, kw_only=True)
class Limit:
    """One limit of a policy.

    `value` is None for findings and columns that there must not be, which `checks`, `groups` of them and
    `kinds` name. `tools`
    are those that it is for, all that it can be for without any.
    """

    key: str  # of :data:`core.policies.limits.LIMITS`
    clause: str  # where in the source it stands
    says: str  # what the source asks for, in words of our own
    source: str
    year: int
    read: bool  # whether whoever wrote the policy read the clause itself
    value: float | None = None
    checks: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()  # of checks
    kinds: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    read_in: str = ""  # which text was read, where that is not the source's own

    @property
    def kind(self) -> LimitKind:
        """Return what is limited."""
        return LIMITS[self.key]

    def concerns(self, tool: str) -> bool:
        """Return whether a tool can hold its figures against the limit."""
        able = self.kind.tools or set(TOOLS)
        return tool in able and (not self.tools or tool in self.tools)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Limits that somebody named."""

    name: str  # of the file, without its ending
    digest: str  # SHA-256 of the file
    title: str
    about: str
    version: str
    read_on: str  # the day, as 2026-11-23
    judgement: tuple[str, ...]  # what the source leaves to people
    limits: tuple[Limit, ...]

    @property
    def kinds(self) -> frozenset[str]:
        """Return what columns are looked for."""
        return frozenset(kind for limit in self.limits for kind in limit.kinds)

    def for_tool(self, tool: str) -> tuple[Limit, ...]:
        """Return the limits that a tool can be held against."""
        return tuple(limit for limit in self.limits if limit.concerns(tool))


def policy_settings(policy: Policy, tool: str) -> dict[str, Any]:
    """Return the settings that a policy's limits mean for a tool, the strictest where several set one."""
    found: dict[str, Any] = {}
    for limit in policy.for_tool(tool):
        for name in limit.kind.settings.get(tool, ()):
            wanted = limit.kind.to_setting(limit.value)
            strictest = max if limit.kind.is_floor_of_setting else min
            found[name] = strictest(found.get(name, wanted), wanted)
    if found.get("k_min", 0) > _LARGEST_DEFAULT_K:
        found["k_max"] = found["k_min"]
    if "relinkage_fail_share" in found:
        found["relinkage_warn_share"] = min(_WARN_SHARE, found["relinkage_fail_share"])
    return found


def read_policy(data: bytes, *, name: str) -> Policy:
    """Read a policy file.

    Raises
    ------
    AuditInputError
        Names every key that is unknown or absent and every impossible limit.
    """
    content = read_toml(data, name=name)
    tables = content.pop("limit", None)
    limits = tables if isinstance(tables, list) and all(isinstance(each, dict) for each in tables) else []
    refuse([*first_problems(_problems_in(content, limits), name=name)])
    return Policy(
        name=Path(name).stem,
        digest=hashlib.sha256(data).hexdigest(),
        limits=tuple(Limit(**_frozen(table)) for table in limits),
        **_frozen(content),
    )


def _problems_in(content: Mapping[str, object], limits: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from _problems_of(content, _TOP, ())
    if not limits:
        yield text("there is no limit; write each under [[limit]].")
    for number, table in enumerate(limits, start=1):
        yield from (
            text("limit {number}: {problem}", number=number, problem=own(problem))
            for problem in _problems_of_limit(table)
        )
    named = Counter(key for table in limits if isinstance(key := table.get("key"), str))
    for key, n in named.items():
        if n > 1 and key not in ("findings", "identifiers"):
            yield text("{key} is limited twice.", key=key)


def _frozen(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


_TOP: Mapping[str, type] = {"title": str, "about": str, "version": str, "read_on": str, "judgement": list}
_LIMIT: Mapping[str, type] = {
    "key": str,
    "clause": str,
    "says": str,
    "source": str,
    "year": int,
    "read": bool,
    "value": float,
    "checks": list,
    "groups": list,
    "kinds": list,
    "tools": list,
    "read_in": str,
}
_OPTIONAL = tuple(each.name for each in fields(Limit) if each.default is not MISSING)


def _problems_of(
    table: Mapping[str, object], known: Mapping[str, type], optional: Sequence[str]
) -> Iterator[str]:
    """Say which keys of a table are unknown, absent, or hold something else than they should."""
    for key, value in table.items():
        if key not in known:
            yield nearest_known(key, known)
        elif not _is_a(value, known[key]):
            yield text("{setting} must be {kind}.", setting=key, kind=_KINDS[known[key]])
    for key in known:
        if key not in table and key not in optional:
            yield text("{key} is absent.", key=key)


_KINDS = {
    str: text("a text in quotation marks"),
    int: text("a whole number"),
    float: text("a number"),
    bool: text("true or false"),
    list: text("a list of texts"),
}


def _is_a(value: object, kind: type) -> bool:
    if kind is list:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and isinstance(value, bool) is (kind is bool)


def _problems_of_limit(table: Mapping[str, Any]) -> Iterator[str]:
    yield from _problems_of(table, _LIMIT, _OPTIONAL)
    key = table.get("key")
    if not isinstance(key, str):
        return
    if key not in LIMITS:
        yield nearest_known(key, LIMITS)
        return
    wanted = {"findings": "checks", "identifiers": "kinds"}.get(key, "value")
    if wanted not in table and not (wanted == "checks" and "groups" in table):
        yield text("{key} is absent.", key=wanted)
    elif wanted == "value" and _is_a(table["value"], float):
        yield from _problems_of_value(key, table["value"])
    if isinstance(table.get("groups"), list):
        yield from _unknown(table["groups"], GROUPS)
    if isinstance(table.get("kinds"), list):
        yield from _unknown(table["kinds"], KINDS)
    if isinstance(table.get("tools"), list):
        yield from _unknown(table["tools"], TOOLS)


def _problems_of_value(key: str, value: float) -> Iterator[str]:
    kind = LIMITS[key]
    above = 0 if key == "highest_risk" else -float("inf")
    told = Setting(
        label=kind.label,
        about="",
        flag="",
        name=key,
        kind=int if kind.whole else float,
        least=kind.least,
        most=kind.most,
        above=above,
    )
    with settings_named_by("name"):
        yield from told.problems(value)


def _unknown(names: Iterable[object], known: Iterable[str]) -> Iterator[str]:
    known = sorted(known)
    yield from (nearest_known(name, known) for name in names if isinstance(name, str) and name not in known)
