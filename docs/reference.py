"""The pages of `docs/reference/`, from what the code declares: what a tool needs, takes, shows and asks."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from core.checks import CHECKS, Check, check_of
from core.counts.tool import TOOL as COUNTS
from core.measures import MEASURES, Measure, keys_of
from core.policies.shipped import shipped_names
from core.settings.form import Setting, described
from core.settings.options import Option, policy_option
from core.tools import TOOLS, Tool, tool
from core.vcf.checks import ALL_CHECKS

PAGES = (*TOOLS, "counts", "shared")
_ARROWS = {"higher": " ↑", "lower": " ↓", "neither": ""}
_SHARED = """# What several tools share

The other pages say what each tool needs, takes, shows and asks. `make docs` writes them from the code.

**Options**: `python -m core TOOL --help` says more; every tool takes `--demo`, `--language` and `--debug`.
**Figures**: ↑ protects people better where it is higher, ↓ where it is lower. A share or a risk is from 0 to
1, any other figure at least 0, unless its line says otherwise. What each means, by which source, stands in
every report and in the tables of [core/measures](../../core/measures); what to do about a finding beside it
and in [core/checks.txt](../../core/checks.txt).
**Checks** stand in the order of the harm that they tell of, each with the verdicts that it can give: F FAIL,
W WARN, N NOT ASSESSED, P PASS. A name with `*` stands for all that begin so. Limits
that are settings are among the options."""


def page(name: str) -> str:
    """Return a page of the reference: of a tool, of tables of counts, or of what several tools share."""
    first = [_SHARED, _options(_common())] if name == "shared" else _of_tool(_tool(name))
    return "\n\n".join([*first, _figures(name), _checks(name)]) + "\n"


def _tool(name: str) -> Tool:
    return COUNTS if name == "counts" else tool(name)


def _of_tool(asked: Tool) -> Iterator[str]:
    yield f"# {asked.title}\n\n{asked.question}\n\n**Needs** {asked.needs}."
    if asked.inputs:
        yield "\n".join(
            f"- {each.label}{'' if each.needed else ' (optional)'}: {_flags(each.taken_by)}"
            for each in asked.inputs
            if _flags(each.taken_by)
        )
    yield _options(told for form in asked.forms for told in described(form).values())
    if asked is not COUNTS:
        common = {_key(one) for one in _common()}
        own = (one for one in asked.options if not one.is_field and _key(one) not in common)
        yield f"Besides {_flags(own)}, and [what several tools take](shared.md)."


def _flags(options: Iterable[Option]) -> str:
    return ", ".join(f"`{one.flag or one.metavar}`" for one in options if not one.is_hidden)


def _key(told: Setting) -> tuple[str, str]:
    return told.flag, told.label


@cache
def _common() -> tuple[Option, ...]:
    """Return the options that several tools take and that are no settings of a form."""
    every = [one for key in TOOLS for one in tool(key).asks if not (one.is_field or one.is_hidden)]
    taken = Counter(map(_key, every))
    policy = policy_option(shipped_names())
    common = {_key(one): one for one in every if taken[_key(one)] > 1}
    return tuple(policy if one.flag == policy.flag else one for one in common.values())


def _options(options: Iterable[Setting]) -> str:
    rows = ["## Options", "", "option | sets | may be | default", "-|-|-|-"]
    for told in options:
        usual = "ours" if told.default_words.startswith("{'") else told.default_words
        usual = "" if usual == "none" else usual
        sets = re.split("; | [(]default", told.label)[0]
        rows.append(_row((f"`{told.flag or told.metavar}`", sets, _allowed(told), usual)))
    return "\n".join(rows)


def _allowed(told: Setting) -> str:
    if told.kind is bool:
        return ""
    if told.choices:
        return ", ".join(f"`{value}`" for value in told.choices)
    return told.allowed or (f"{told.metavar}…" if told.is_several else told.metavar)


def _row(cells: Iterable[str]) -> str:
    return " | ".join(cell.replace("|", r"\|") for cell in cells).rstrip()


@cache
def measures_of(name: str) -> tuple[Measure, ...]:
    """Return the figures that stand on a page: those of one tool on its own, those of several together."""
    shown = Counter(key for each in PAGES if each != "shared" for key in _tool(each).measures)
    if name == "shared":
        return tuple(measure for key, measure in MEASURES.items() if shown[key] > 1)
    return tuple(MEASURES[key] for key in _tool(name).measures if shown[key] == 1)


def _figures(name: str) -> str:
    measures = measures_of(name)
    rows = ["## Figures", "", "figure | key | unit", "-|-|-"]
    rows += [_row((each.label, f"`{each.key}`", _unit(each))) for each in measures]
    also = [key for key in _tool(name).measures if MEASURES[key] not in measures] if name != "shared" else []
    if also:
        releases = {*keys_of("releases")} if {*keys_of("releases")} <= {*also} else {*()}
        named = [f"`{key}`" for key in also if key not in releases]
        named += ["those of earlier releases"] if releases else []
        rows += ["", f"Shown too, [as of several tools](shared.md): {', '.join(named)}."]
    return "\n".join(rows)


def _unit(measure: Measure) -> str:
    lower = "−∞" if measure.lower is None else f"{measure.lower:g}"
    upper = "∞" if measure.upper is None else f"{measure.upper:g}"
    is_usual = measure.lower == 0 and measure.upper == (1 if measure.unit in ("share", "risk") else None)
    return f"{measure.unit}{_ARROWS[measure.better]}" + ("" if is_usual else f" {lower}…{upper}")


def checks_of(name: str) -> Iterator[Check]:
    """Yield the checks of a page, by harm; those of genome files as their own table tells them."""
    for check in CHECKS.values():
        if check.tool == name and check.asks:
            yield check
        elif check.tool == name:
            for one in (each for each in ALL_CHECKS.values() if check_of(each.name) is check):
                told = f"{one.label}?", one.remedy.format(keys="fields", fields="FIELDS")
                yield Check(one.name, check.group, name, one.default.name[0], *told)


def _checks(name: str) -> str:
    rows = ["## Checks", "", "check | asks", "-|-"]
    last: Check | None = None
    for check in checks_of(name):
        if last is None or check.group != last.group:
            rows.append(f"**{check.group.replace('_', ' ')}** |")
        rows.append(_row((f"`{check.name}` {check.verdicts.replace(' ', '')}", check.asks)))
        last = check
    return "\n".join(rows)
